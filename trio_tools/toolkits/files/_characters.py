"""Sets of characters, as rows of ranges: what a class of an expression comes to, spelled out.

Spelled out they mean the same to every engine, whatever tables of Unicode it carries. No set holds a line end, so that
no match spans lines; none holds a NUL, which makes a file binary; and none holds a surrogate: a byte that is not UTF-8
is matched by nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

# Ranges of code points, both ends included, in order and apart from one another.
Characters: TypeAlias = tuple[tuple[int, int], ...]

# What no set holds: NUL, the line ends, and the surrogates, which stand for bytes that are not UTF-8.
_NEVER: Characters = ((0x00, 0x00), (0x0A, 0x0A), (0x0D, 0x0D), (0xD800, 0xDFFF))
# The last code point of Unicode.
_LAST = 0x10FFFF
# Characters of a set whose other cases are looked up one by one. A larger one is a range of some alphabet, and gets
# those of ASCII.
_FOLDED_ONE_BY_ONE = 1_000


def joined(ranges: Iterable[tuple[int, int]]) -> Characters:
    """The set that these ranges make up, without what no set holds."""
    return _without(_merged(ranges), _NEVER)


def complement(characters: Characters) -> Characters:
    """Every character that a set may hold, and this one does not."""
    return _without(((0, _LAST),), _merged((*characters, *_NEVER)))


def overlap(one: Characters, other: Characters) -> bool:
    """Whether some character is in both sets."""
    return any(low <= last and first <= high for low, high in one for first, last in other)


def holds(characters: Characters, code: int) -> bool:
    """Whether a code point is in the set."""
    at = bisect_right(characters, code, key=_start)
    return at > 0 and code <= characters[at - 1][1]


def folded(characters: Characters) -> Characters:
    """The set with the upper and lower case of each of its letters, where that is one character."""
    size = sum(high - low + 1 for low, high in characters)
    codes: Iterable[int] = (code for low, high in characters for code in range(low, high + 1))
    if size > _FOLDED_ONE_BY_ONE:
        codes = (code for code in range(128) if holds(characters, code))
    others = (other for code in codes for other in (chr(code).lower(), chr(code).upper()) if len(other) == 1)
    return joined((*characters, *((ord(other), ord(other)) for other in others)))


def _start(one: tuple[int, int]) -> int:
    return one[0]


def _merged(ranges: Iterable[tuple[int, int]]) -> Characters:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _without(characters: Characters, taken: Characters) -> Characters:
    gaps = [(before[1] + 1, after[0] - 1) for before, after in pairwise(((-1, -1), *taken, (_LAST + 1, _LAST + 1)))]
    cut = ((max(low, first), min(high, last)) for low, high in characters for first, last in gaps)
    return tuple((low, high) for low, high in cut if low <= high)


def _named(text: str) -> Characters:
    return joined((ord(one), ord(one)) for one in text)


# What `.` means, and the classes with a name: of ASCII only, for these are the same wherever one looks.
ANY = complement(())
DIGITS = _named("0123456789")
SPACES = _named(" \t\v\f")
WORDS = _named("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
CLASSES = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "s": SPACES,
    "S": complement(SPACES),
    "w": WORDS,
    "W": complement(WORDS),
}
