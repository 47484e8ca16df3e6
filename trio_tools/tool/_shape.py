"""What one type is to a model and to a body: its JSON Schema, and how a JSON value is read as it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

from trio_tools.values import JSONValue, printable, safe

Step: TypeAlias = "str | int"
# Reads a JSON value as a type; raises `Misfit`. The second argument is what cattrs passes to its hooks, and unused.
# Each type has two, made by one row: one that stops at the first thing that does not fit, and one that tells all.
Hook: TypeAlias = Callable[[JSONValue, object], object]
# What bounds may bind: numbers and lengths that JSON Schema has words for, and what only the run time can compare.
Measure: TypeAlias = Literal["number", "string", "array", "object", "order", "size", "none"]

# Violations that one text lists. A model mends what it reads, not thousands; and finding more takes its time.
SHOWN_VIOLATIONS = 100
# Characters of a place in a message. Enough to find it, not enough to flood a model with a 200-level path.
SHOWN_PATH = 120


@attrs.frozen(eq=False, repr=False)
class Problem:
    """One thing that does not fit: its place, in quotes, and the words before and after it."""

    after: str = ""
    path: tuple[Step, ...] = ()  # from the innermost step to the outermost, since it is found on the way out
    before: str = ""

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{safe(step)}" for step in reversed(self.path))
        place = "".join(steps).removeprefix(".")
        shown = place if len(place) <= SHOWN_PATH else place[:SHOWN_PATH] + "..."
        return f'{self.before}"{shown}"{self.after}'


class Misfit(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """A JSON value that is not of a type, with all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = list(problems)

    def __str__(self) -> str:
        return "; ".join(map(str, self.problems))

    def inside(self, step: Step) -> list[Problem]:
        """The problems as they are seen from the container around, which counts those that are new."""
        telling.left -= sum(not one.path for one in self.problems)
        return [Problem(one.after, (*one.path, step), one.before) for one in self.problems]


class _Telling(threading.local):
    """How many more problems are looked for, in this thread. Finding more takes its time, and nobody reads them."""

    left = 0


telling = _Telling()


def must_be(noun: str) -> Misfit:
    """The misfit of a value that is no such thing."""
    return Misfit([Problem(f" must be {noun}")])


def _same(shape: Shape) -> Hook:
    return shape.hook


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Shape:
    """One type: its `schema`, the `noun` that messages use, and the `hook` that reads a JSON value as it.

    `tell` reads as `hook` does, and tells what does not fit, up to `SHOWN_VIOLATIONS` things. Neither reads a value
    twice, or what is wrong deep down would be read twice at each level. `kind`: the Python type, where only the run
    time can bound it. `hashable`: whether what is read can be in a set. `measure`: what bounds may bind of it. `arms`:
    those of a union. `trusted`: whether reading runs no code of the tool's author. `may_be`: a quick look at an object
    or a scalar, which lets all through that fit, and spares a union most arms.
    """

    schema: dict[str, JSONValue]
    noun: str
    hook: Hook
    tell: Hook = attrs.field(default=attrs.Factory(_same, takes_self=True))
    hashable: bool = False
    measure: Measure = "none"
    kind: type | None = None
    arms: tuple[Shape, ...] = ()
    trusted: bool = True
    may_be: Callable[[JSONValue], bool] | None = None
    untold: str = ""  # the bounds that the schema has no word for

    def violations(self, value: JSONValue, name: str) -> list[str]:
        """All that is wrong with a value that is called `name`; nothing if it fits."""
        telling.left = SHOWN_VIOLATIONS
        try:
            self.tell(value, None)
        except Misfit as misfit:
            return [str(problem) for problem in misfit.inside(name)]
        except RecursionError:
            return [f'"{name}" is nested too deep to be read from here']
        except Exception as error:  # code of the tool's author that no hook expects, such as a `__hash__`
            return [f'"{name}" cannot be read: {printable(error) or type(error).__name__}']
        return []


class Walk(Protocol):
    """The way of one declaration through the table of types."""

    def shape(self, annotation: object) -> Shape:
        """The shape of a type that stands inside another. Raises `TypeError` for one without a row."""
        ...

    def define(self, annotation: object, build: Callable[[Walk], Shape]) -> Shape:
        """The shape of a class, which may stand in several places and inside itself."""
        ...

    def unfold(self, annotation: object, build: Callable[[Walk], Shape]) -> Shape:
        """The shape of an alias, which may stand inside what it stands for."""
        ...

    def among(self, bindings: Mapping[object, object]) -> Walk:
        """The same walk, where type variables stand for these types."""
        ...


# One row of the table: the shape of this annotation, or None if it is not this row's.
Row: TypeAlias = Callable[[object, Walk], "Shape | None"]
