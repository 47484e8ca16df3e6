"""Where the last process left off: what a store has to know of its file before the first entry is added."""

from __future__ import annotations

import sqlite3

import attrs

from trio_tools.journal._check import damage_in
from trio_tools.journal._families import NO_FAMILY, Families, Unknown
from trio_tools.journal._fold import OPEN, place_of
from trio_tools.journal._keys import attempts
from trio_tools.journal._queries import perhaps_unknown, unsettled_calls
from trio_tools.journal._reading import read
from trio_tools.journal._records import Damage
from trio_tools.journal._rows import Row


@attrs.frozen
class Start:
    """The number of the last entry, which families must stay, and what cannot be read any more. `balanced` is the
    number of the last entry too, if every call has a result."""

    last: int
    balanced: int | None
    families: Families
    damage: list[Damage]


def start_of(database: sqlite3.Connection) -> Start:
    """What the file says. Raises `sqlite3.Error`."""
    families = Families()
    unknown: dict[tuple[str, str], list[Unknown]] = {}
    for rows in perhaps_unknown(database):
        for key, effect in _unknown_in(rows):
            unknown.setdefault(key, []).append(effect)
    unsettled = unsettled_calls(database)
    families.resume(unsettled, unknown)
    (last,) = database.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
    return Start(int(last), None if unsettled else int(last), families, damage_in(database))


def _unknown_in(rows: list[Row]) -> list[tuple[tuple[str, str], Unknown]]:
    of_entry = {row[0]: row[1] for row in rows}
    found: list[tuple[tuple[str, str], Unknown]] = []
    for one in attempts(read(rows)[0]):
        family, effect = of_entry[one.entry.seq], one.effect
        if effect.state in OPEN and isinstance(family, int) and effect.key is not None:
            session = None if family == NO_FAMILY else one.ref.session
            found.append(((effect.name, effect.key), Unknown(place_of(one.ref), family, session)))
    return found
