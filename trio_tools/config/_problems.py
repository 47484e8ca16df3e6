"""How a config's problems are told: one line each, whatever was in the config, and whatever the plugins' code did."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

import attrs
import cattrs

from trio_tools.config._toml import BARE_KEY
from trio_tools.values import one_line, printable

# Characters of a key, a name or a path in a problem: what people write is shorter, and a line is to stay readable.
NAME_LENGTH = 200
# Characters of what is wrong, most of it from plugins. Long enough for a sentence or two.
WORDS_LENGTH = 600
# Problems of one config that are told. Whoever has more of them has got the wrong file.
SHOWN_PROBLEMS = 100


class ConfigError(ValueError):
    """A config that cannot be used. `problems` has one line for each thing that is wrong with it, of which `str()` puts
    each on a line of its own."""

    def __init__(self, problems: Iterable[str]) -> None:
        every = tuple(problems)
        more = len(every) - SHOWN_PROBLEMS
        self.problems = every if more <= 0 else (*every[:SHOWN_PROBLEMS], f"and {more} problems more")
        super().__init__("\n".join(self.problems))


@attrs.frozen
class Problem:
    """What is wrong, and at which key or index inside of what was looked at."""

    path: tuple[str | int, ...]
    words: str

    def inside(self, *steps: str | int) -> Problem:
        """The same, seen from further out."""
        return Problem((*steps, *self.path), self.words)


class Misfit(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A value that does not fit, with everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{one.path}: {one.words}" for one in problems))
        self.problems = tuple(problems)


def problems_in(thrown: BaseException) -> tuple[Problem, ...]:
    """What a structuring hook raised, as problems."""
    if isinstance(thrown, Misfit):
        return thrown.problems
    if isinstance(thrown, cattrs.StructureHandlerNotFoundError):
        return (Problem((), f"the plugin asks for a type that no config can give: {thrown.type_!r}"),)
    return (Problem((), words_of(thrown)),)


def words_of(thrown: BaseException) -> str:
    """What an exception says, whatever it is: of a `ValueError` or `TypeError` the text alone."""
    kind = type(thrown).__name__
    if isinstance(thrown, SystemExit):
        return "the plugin's code tried to exit the process"
    if not isinstance(thrown, (ValueError, TypeError)):
        return f"{kind}: {printable(thrown)}".removesuffix(": ")
    # validators of attrs put the text first, and behind it what they looked at
    first: object = thrown.args[0] if len(thrown.args) > 1 and type(thrown) in (ValueError, TypeError) else None
    return first if isinstance(first, str) else printable(thrown) or kind


def line(place: str, path: Sequence[str | int], words: str) -> str:
    """A problem in one line: where, and what. `place` must be printable, `path` and `words` may be anything."""
    inside = "".join(f"[{step}]" if isinstance(step, int) else f".{shown_key(step)}" for step in path)
    return f"{place}{one_line(inside, limit=NAME_LENGTH)}: {one_line(words, limit=WORDS_LENGTH)}"


def shown_key(key: str) -> str:
    """A key or a name, as it may stand in a line: in quotes if TOML would want them."""
    return key if BARE_KEY.fullmatch(key) and len(key) <= NAME_LENGTH else f'"{one_line(key, limit=NAME_LENGTH)}"'


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?` if there is something like it, or else nothing."""
    close = difflib.get_close_matches(name[:NAME_LENGTH], list(known), n=1)
    return f'; did you mean "{one_line(close[0], limit=NAME_LENGTH)}"?' if close else ""


def instead_of(name: str, known: Iterable[str]) -> str:
    """`did_you_mean`, or else what there is."""
    names = tuple(known)
    there_are = one_line(", ".join(names), limit=NAME_LENGTH) or "none"
    return did_you_mean(name, names) or f"; there are {there_are}"


def undoubled(words: str, name: str) -> str:
    """The words without the option's name before them, since the line has it already: validators name it for those who
    make a config in Python."""
    verbs = "must|is|are|has|have|can|cannot|may|should|needs?|does|do"
    return re.sub(rf"""^(['"]?){re.escape(name)}\1(:\s+(?=\S)|\s+(?=({verbs})\b))""", "", words, count=1)
