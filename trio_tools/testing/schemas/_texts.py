"""Strings of a format or a pattern, as strategies of Hypothesis."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, TypeVar

from trio_tools.testing.schemas._plans import Text

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")

# Characters beyond the least that a text has. Enough to hold what is odd, few enough to be read in a failing test.
_MORE_CHARACTERS = 20
# Draws of one value, after the first, in search of one that fits.
_TRIES = 3

_HOST = r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?\.(com|net|org)"
_STEPS = r"(/[a-z0-9]{1,5}){0,3}"
# One byte of an address.
_BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
# Days that half of all drawn ones lie between: those that people write, and so those that a pattern beside asks for.
_FIRST, _LAST = datetime(2000, 1, 1), datetime(2099, 12, 31)

# A spelling of each format, of which all strings are of it; dates are not told by spelling alone.
_SPELLINGS = {
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    **dict.fromkeys(("email", "idn-email"), rf"[a-z0-9]{{1,8}}@{_HOST}"),
    **dict.fromkeys(("hostname", "idn-hostname"), _HOST),
    **dict.fromkeys(("uri", "iri"), rf"https?://{_HOST}{_STEPS}"),
    **dict.fromkeys(("uri-reference", "iri-reference", "json-pointer"), _STEPS),
    "uri-template": r"(/[a-z]{1,5}|/\{[a-z]{1,5}\}){0,3}",
    "relative-json-pointer": rf"[0-9]{_STEPS}",
    "ipv4": rf"{_BYTE}(\.{_BYTE}){{3}}",
    "ipv6": r"[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}",
    "duration": r"P[1-9][0-9]?[DWMY]|PT[1-9][0-9]?[HMS]",
    "regex": r"[a-z]{1,4}[*+?]?",
}
_ZONES = (UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8)))


def tried(strategy: SearchStrategy[T], fits: Callable[[T], bool]) -> SearchStrategy[T]:
    """What fits, where a few tries find some; what is left goes on to the tool, which says what is wrong with it."""
    from hypothesis import strategies

    @strategies.composite
    def draws(draw: DrawFn) -> T:
        drawn = draw(strategy)
        for _ in range(_TRIES):
            if fits(drawn):
                break
            drawn = draw(strategy)
        return drawn

    return draws()


def _characters() -> SearchStrategy[str]:
    """All that UTF-8 can carry. Told by the category of the others: of a codec, where it keeps no table of it yet,
    Hypothesis first tries every character there is, which takes seconds."""
    from hypothesis import strategies

    return strategies.characters(exclude_categories=["Cs"])


def texts(plan: Text) -> SearchStrategy[str]:
    """The strings that follow a plan. Raises `ValueError` for a pattern that Python does not read."""
    from hypothesis import strategies

    spellings = [compiled(pattern) for pattern in plan.patterns]
    of_format = [drawn for one in plan.formats if (drawn := _of_format(one)) is not None]
    if of_format:
        drawn = of_format[0]
    elif spellings:
        drawn = strategies.from_regex(spellings[0], alphabet=_characters())
    else:
        most = plan.least + _MORE_CHARACTERS if plan.most is None else min(plan.most, plan.least + _MORE_CHARACTERS)
        return strategies.text(_characters(), min_size=plan.least, max_size=most)

    def fits(text: str) -> bool:
        long_enough = plan.least <= len(text) and (plan.most is None or len(text) <= plan.most)
        return long_enough and all(spelling.search(text) for spelling in spellings)

    return tried(drawn, fits)


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of JSON Schema, whose classes are of ASCII and whose `$` is the very end, not the last line's. Raises
    `ValueError` for one that Python does not read."""
    ends = pattern.endswith("$") and not re.search(r"(?<!\\)(\\\\)*\\\$$", pattern)
    try:
        return re.compile(pattern[:-1] + r"\Z" if ends else pattern, re.ASCII)
    except re.error as error:
        raise ValueError(f"the pattern {pattern!r} is not read as Python reads one: {error}") from None


def _of_format(name: str) -> SearchStrategy[str] | None:
    """The strings of a format, None if it is not known here: to JSON Schema it then says nothing."""
    from hypothesis import strategies

    if name == "date":
        return (strategies.dates(_FIRST.date(), _LAST.date()) | strategies.dates()).map(str)
    if name == "date-time":
        zones = strategies.sampled_from(_ZONES)
        near = strategies.datetimes(_FIRST, _LAST, timezones=zones)
        return (near | strategies.datetimes(timezones=zones)).map(lambda moment: moment.isoformat())
    if name == "time":
        return strategies.times(timezones=strategies.sampled_from(_ZONES)).map(lambda moment: moment.isoformat())
    if (spelling := _SPELLINGS.get(name)) is None:
        return None
    return strategies.from_regex(re.compile(spelling), fullmatch=True, alphabet=_characters())
