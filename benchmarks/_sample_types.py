"""Classes as people write them, with postponed annotations: recursive ones, generic ones, and what inherits from both.

Each comes with the `Kind` that says, independently of the code under test, what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum
from typing import Any, Generic, NotRequired, Optional, TypedDict, TypeVar

import attrs

from benchmarks._kinds import Anything, Choice, Kind, Nothing, Text, Whole
from benchmarks._kinds_many import Either, Later, Many, Table
from benchmarks._kinds_records import Chain, Field, Record, as_dict
from trio_tools.values import JSONValue

K = TypeVar("K")
V = TypeVar("V")


class Color(Enum):
    RED = "red"
    GREEN = "green"
    ONE = 1
    HALF = 0.5
    NONE = None


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(StrEnum):
    YES = "yes"
    NO = "no"


@dataclass
class Node:
    """Case B26 a."""

    name: str
    children: list[Node] = field(default_factory=list["Node"])


@attrs.define
class Link:
    _value: int
    rest: Optional[Link] = None  # noqa: UP045 - as in case B26 c


@attrs.define
class Even:
    odd: Odd | None


@dataclass
class Odd:
    evens: Sequence[Even]
    word: Word = Word.NO


class Menu(TypedDict):
    title: str
    items: NotRequired[list[Menu]]


@attrs.frozen
class Folder:
    inside: Mapping[str, Folder]


@attrs.frozen
class Box(Generic[V]):
    value: V
    more: tuple[V, ...] = ()


@dataclass(frozen=True)
class Both(Generic[K, V]):
    one: K
    other: V


class Entry(TypedDict, Generic[V]):
    value: V


@attrs.define
class Train(Generic[V]):
    load: V
    behind: Train[V] | None = None


@attrs.frozen
class Crate(Box[int]):
    level: Level = Level.LOW


def _node(inside: JSONValue) -> JSONValue:
    return {"name": "n", "children": [] if inside is None else [inside]}


NODE: Kind = Chain(
    Node,
    [Field("name", Text(), True), Field("children", Many(None, Later(None, lambda: NODE)), False)],
    Node,
    _node,
)
LINK: Kind = Chain(
    Link,
    [Field("value", Whole(), True), Field("rest", Either(None, [Later(None, lambda: LINK), Nothing()]), False)],
    Link,
    lambda inside: {"value": 1, "rest": inside},
)
EVEN: Kind = Chain(
    Even,
    [Field("odd", Either(None, [Later(None, lambda: ODD), Nothing()]), True)],
    Even,
    lambda inside: {"odd": None if inside is None else {"evens": [inside]}},
)
ODD: Kind = Chain(
    Odd,
    [
        Field("evens", Many(None, Later(None, lambda: EVEN)), True),
        Field("word", Choice(Word, list(Word)), False),
    ],
    Odd,
    lambda inside: {"evens": [] if inside is None else [{"odd": inside}], "word": "yes"},
)
MENU: Kind = Chain(
    Menu,
    [Field("title", Text(), True), Field("items", Many(None, Later(None, lambda: MENU)), False)],
    as_dict,
    lambda inside: {"title": "m"} if inside is None else {"title": "m", "items": [inside]},
)
FOLDER: Kind = Chain(
    Folder,
    [Field("inside", Table(None, Text(), Later(None, lambda: FOLDER)), True)],
    Folder,
    lambda inside: {"inside": {} if inside is None else {"": inside}},
)
CRATE = Record(
    Crate,
    [
        Field("value", Whole(), True),
        Field("more", Many(None, Whole(), tuple), False),
        Field("level", Choice(Level, list(Level)), False),
    ],
    Crate,
    hashable=True,
)
RECURSIVE = (NODE, LINK, EVEN, ODD, MENU, FOLDER)
ENUMS = (Choice(Color, list(Color)), Choice(Level, list(Level)), Choice(Word, list(Word)))

# The classes as values: a checker cannot follow a type argument that is drawn.
_BOX: Any = Box
_BOTH: Any = Both
_ENTRY: Any = Entry
_TRAIN: Any = Train


def box_of(kind: Kind) -> Record:
    fields = [Field("value", kind, True), Field("more", Many(None, kind, tuple), False)]
    return Record(_BOX[kind.annotation], fields, Box, hashable=kind.hashable)


def both_of(one: Kind, other: Kind) -> Record:
    fields = [Field("one", one, True), Field("other", other, True)]
    return Record(_BOTH[one.annotation, other.annotation], fields, Both, hashable=one.hashable and other.hashable)


def entry_of(kind: Kind) -> Record:
    return Record(_ENTRY[kind.annotation], [Field("value", kind, True)], as_dict)


def train_of(kind: Kind) -> Record:
    of = _TRAIN[kind.annotation]
    behind = Either(None, [Later(of, lambda: train), Nothing()])
    train = Record(of, [Field("load", kind, True), Field("behind", behind, False)], Train)
    return train


def bare_box() -> Record:
    """A generic class without arguments takes anything."""
    fields = [Field("value", Anything(), True), Field("more", Many(None, Anything(), tuple), False)]
    return Record(Box, fields, Box)
