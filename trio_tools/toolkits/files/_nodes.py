"""What a regular expression is made of, once it has been read."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from trio_tools.toolkits.files._characters import Characters


@attrs.frozen
class Char:
    """One character of a set."""

    characters: Characters


@attrs.frozen
class Edge:
    """A place without width: the beginning of a line, its end, the edge of a word."""

    kind: Literal["^", "$", "b"]


@attrs.frozen
class Row:
    """One after another."""

    items: tuple[Node, ...]


@attrs.frozen
class Either:
    """Any one of them."""

    options: tuple[Node, ...]


@attrs.frozen
class Repeat:
    """At least, and at most (None: without end) so often."""

    item: Node
    least: int
    most: int | None


Node: TypeAlias = Char | Edge | Row | Either | Repeat


def size(node: Node) -> int:
    """How many characters and places an expression comes to when its repetitions are written out."""
    match node:
        case Row(items) | Either(items):
            return 1 + sum(map(size, items))
        case Repeat(item, least, most):
            return 1 + size(item) * max(1, least, most or 0)
        case _:
            return 1
