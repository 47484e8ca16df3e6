"""Classes and functions with postponed annotations, whose names only this module knows."""

from __future__ import annotations

import dataclasses
from enum import Enum
from pathlib import Path
from typing import Annotated, Generic, NotRequired, Required, TypedDict, TypeVar

import attrs
import typing_extensions
from annotated_types import Ge

from trio_tools import ToolContext

T = TypeVar("T")
Count = Annotated[int, Ge(1), "how many"]


class Shade(Enum):
    DARK = "dark"


@dataclasses.dataclass
class Base:
    shade: Shade
    count: Count = 1


@attrs.frozen
class Boxed(Generic[T]):
    inside: T
    others: list[T] = attrs.field(factory=list[T])


class Options(TypedDict):
    name: str
    size: NotRequired[Annotated[int, Ge(1)]]


class Loose(Options, total=False):
    shade: Required[Shade]
    path: Path


class Extended(typing_extensions.TypedDict):
    kept: typing_extensions.ReadOnly[int]
    maybe: typing_extensions.NotRequired[str]


def _no_trees() -> list[Tree]:
    return []


@dataclasses.dataclass
class Tree:
    name: str
    children: list[Tree] = dataclasses.field(default_factory=_no_trees)


@attrs.define
class Egg:
    hen: Hen | None = None


@attrs.define
class Hen:
    egg: Egg


async def plain(x: int | None = None, p: Path = Path("."), ctx: ToolContext | None = None) -> object:
    """Case B26 c."""
    return [x, str(p), ctx is not None]


class Service:
    """Has a method with names of this module."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def paint(self, shade: Shade, *, count: Count = 2) -> str:
        """Paint it.

        Args:
            shade: The shade.
        """
        return f"{self.name} {shade.name} {count}"
