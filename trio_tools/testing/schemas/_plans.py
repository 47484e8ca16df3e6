"""What is to be drawn at each place of a tool's arguments: plans without references and choices, in a graph that may
come back to itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import attrs

from trio_tools.testing.schemas._numbers import Number
from trio_tools.values import JSONValue


@attrs.frozen
class OneOf:
    """One of these values."""

    values: tuple[JSONValue, ...]


@attrs.frozen
class Text:
    """A string of `least` to `most` characters that matches all patterns and is of all formats."""

    patterns: tuple[str, ...]
    formats: tuple[str, ...]
    least: int
    most: int | None


@attrs.frozen(eq=False)
class Array:
    """An array of `least` to `most` items: what stands at its first places, and at each one after them."""

    first: tuple[Node, ...]
    rest: Node
    least: int
    most: int | None
    unique: bool

    def needed(self) -> list[Node]:
        """The places that are always there."""
        return [*self.first[: self.least], *([self.rest] if self.least > len(self.first) else [])]


@attrs.frozen(eq=False)
class Object:
    """An object of `least` to `most` properties: those that it has, those that it may have, and others, each a pair of
    what is its name and what is its value."""

    required: Mapping[str, Node]
    optional: Mapping[str, Node]
    others: tuple[tuple[Node, Node], ...]
    least: int
    most: int | None

    def needed(self) -> list[Node]:
        """The places that are always there."""
        nodes = [*self.required.values()]
        if self.least > len(nodes) + len(self.optional) and self.others:
            nodes += min(self.others, key=lambda pair: max(one.height for one in pair))
        return nodes


Plan: TypeAlias = "OneOf | Number | Text | Array | Object"


@attrs.define(eq=False)
class Node:
    """A place in the arguments, and the plans that a value there may follow. `height`: levels of nesting of the least
    value that fits; infinite if none does, or none is known yet."""

    plans: list[Plan] = attrs.field(factory=list["Plan"])
    height: float = math.inf  # levels


def height_of(plan: Plan) -> float:
    """Levels of nesting of the least value that follows a plan; infinite if none does."""
    if not isinstance(plan, (Array, Object)):
        return 0
    if isinstance(plan, Array) and plan.unique and plan.least > len(plan.first) + _values_of(plan.rest):
        return math.inf
    if isinstance(plan, Object) and not plan.others and plan.least > len(plan.required) + len(plan.optional):
        return math.inf
    return max((1 + node.height for node in plan.needed()), default=0)


def _values_of(node: Node) -> float:
    """How many values there are for a place, which may be without end."""
    return sum(len(plan.values) if isinstance(plan, OneOf) else math.inf for plan in node.plans)


def measure(nodes: Iterable[Node]) -> None:
    """Find the height of each, from those that stand on nothing upwards. What only stands on itself has none."""
    nodes = list(nodes)
    lower = True
    while lower:
        lower = False
        for node in nodes:
            height = min(map(height_of, node.plans), default=math.inf)
            lower = lower or height < node.height
            node.height = height
