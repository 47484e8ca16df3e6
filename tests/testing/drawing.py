"""What the tests of drawn arguments share: tools by schema or type, and all that a strategy draws in a few tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hypothesis import Phase, given, settings
from hypothesis.strategies import SearchStrategy

from trio_tools.testing import arguments
from trio_tools.tool import Tool
from trio_tools.values import JSONValue

Drawn: TypeAlias = dict[str, JSONValue]

Wanted: TypeAlias = Callable[[Any], object]

# Examples: two more than Hypothesis makes up its mind on how healthy a strategy is by.
HEALTHY = 12
ALWAYS_THE_SAME = settings(deadline=None, database=None, derandomize=True)


async def look(**whatever: object) -> None:
    """Takes any keywords. Never run here."""


def raw(schema: Mapping[str, object]) -> Tool:
    """A tool of a schema by hand."""
    return Tool(name="look", parameters=schema, body=look)


def of_x(schema: Any, **root: Any) -> Tool:
    """A tool with one parameter by hand, `x`, which must be there."""
    return raw(
        {"type": "object", "properties": {"x": schema}, "required": ["x"], "additionalProperties": False, **root}
    )


def some(strategy: SearchStrategy[Drawn], count: int = 12) -> list[Drawn]:
    """A few that are drawn, with all health checks on, and always the same ones."""
    found: list[Drawn] = []

    @settings(ALWAYS_THE_SAME, max_examples=count)
    @given(strategy)
    def draw(one: Drawn) -> None:
        found.append(one)

    draw()
    return found


class Found(Exception):  # noqa: N818 - what the search is for
    """A value that was wanted has been drawn."""


def has(tool: Tool, wanted: Wanted) -> bool:
    """Whether a value that is wanted is drawn for `x`: among a few, or else among many, with all health checks on."""
    strategy = arguments(tool)
    if any(wanted(one["x"]) for one in some(strategy, HEALTHY)):
        return True

    @settings(ALWAYS_THE_SAME, max_examples=500, phases=[Phase.generate])
    @given(strategy)
    def draw(one: Drawn) -> None:
        if wanted(one["x"]):
            raise Found

    try:
        draw()
    except Found:
        return True
    return False
