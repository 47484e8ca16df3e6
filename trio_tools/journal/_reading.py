"""Rows as entries. What is not as it was written is told apart, and never taken for true."""

from __future__ import annotations

from collections.abc import Iterable

from trio_tools.journal._check import entry_damage
from trio_tools.journal._fold import OPEN
from trio_tools.journal._keys import counting
from trio_tools.journal._records import Damage, Entry
from trio_tools.journal._rows import Row, entry_of, is_whole
from trio_tools.values import CallRef


def read(rows: Iterable[Row]) -> tuple[list[Entry], list[Damage]]:
    """The entries that rows hold, in their order, and those that cannot be read."""
    entries: list[Entry] = []
    damage: list[Damage] = []
    refs: dict[Row, CallRef] = {}
    for row in rows:
        if not is_whole(row):
            damage.append(entry_damage(row))
            continue
        try:
            entries.append(entry_of(row, refs))
        except ValueError as error:
            damage.append(entry_damage(row, str(error)))
    return entries, damage


def is_unknown(rows: Iterable[Row]) -> bool:
    """Whether nobody knows what became of the effect of which these rows tell."""
    counts = counting(read(rows)[0])
    return counts is not None and counts.effect.state in OPEN
