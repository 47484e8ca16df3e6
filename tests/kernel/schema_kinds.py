"""Types and bodies whose annotations are not postponed, for the tests of schemas. Each body returns what it got."""

import dataclasses
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Generic, Literal, Optional, TypeVar

T = TypeVar("T")


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Many(Enum):
    NOTHING = None
    YES = True
    TWO = 2.0


@dataclasses.dataclass
class Placed:
    """Its annotations are partly text, and of this module's names."""

    where: "Optional[Path]" = None  # noqa: UP045 - old style, and text
    color: Color = Color.RED
    by_color: "dict[Color, int]" = dataclasses.field(default_factory=dict[Color, int])


@dataclasses.dataclass
class Tree(Generic[T]):
    value: T
    children: "list[Tree[T]]" = dataclasses.field(default_factory=list["Tree[T]"])


@dataclasses.dataclass
class Node:
    """Another class has this name too."""

    other: int


NOT_JSON = object()


async def at_once(x: Optional[int] = None, p: Path = Path("."), c: Color = Color.BLUE) -> str:  # noqa: UP045 - old style
    return repr((x, p, c))


async def of_trees(numbers: Tree[int], words: Tree[str], nested: Tree[Tree[bool]] | None = None) -> str:
    return repr((numbers, words, nested))


async def of_values(m: Many, mode: Literal["a", 1, None] = None) -> str:
    return repr((m, mode))


class NoMembers(Enum):
    pass


class OfLists(Enum):
    A = [1]  # noqa: RUF012 - the point


class OfObjects(Enum):
    A = NOT_JSON


class OfNaN(Enum):
    A = float("nan")


class OfInfinity(Enum):
    A = "finite"
    B = float("-inf")


class OfHalves(Enum):
    A = "half \ud800"


class OfDigits(Enum):
    A = 10**4300


def taking(kind: object) -> Callable[..., object]:
    """A body with a parameter of this type, and one of a type that always works."""

    async def unusable(fine: int, bad: object) -> str:
        return repr((fine, bad))

    unusable.__annotations__["bad"] = kind
    return unusable
