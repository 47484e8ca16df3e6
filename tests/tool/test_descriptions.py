"""Descriptions: from annotations first, then from the docstring, in whichever form it is written."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from trio_tools import tool


async def google(city: str, days: int = 1) -> None:
    """Say the weather.

    At length.

    Args:
        city: Which city.
        days: How many days
            ahead.
    """


async def numpy(city: str, days: int = 1) -> None:
    """Say the weather.

    At length.

    Parameters
    ----------
    city : str
        Which city.
    days : int
        How many days
        ahead.
    """


async def rest(city: str, days: int = 1) -> None:
    """Say the weather.

    At length.

    :param city: Which city.
    :param days: How many days
        ahead.
    """


@pytest.mark.parametrize("body", [google, numpy, rest])
def test_a_docstring_describes_tool_and_parameters(body: Any) -> None:
    """L023: in Google, NumPy and reST form alike."""
    declared = tool(body)
    properties: Any = declared.parameters["properties"]
    assert declared.description == "Say the weather.\n\nAt length."
    assert properties["city"]["description"] == "Which city."
    assert properties["days"]["description"].split() == ["How", "many", "days", "ahead."]


def test_an_annotation_goes_before_the_docstring_and_an_option_before_both() -> None:
    """L023."""

    @tool(description="Otherwise.")
    async def told(city: Annotated[str, "From here."]) -> None:
        """Not this.

        Args:
            city: Nor this.
        """

    properties: Any = told.parameters["properties"]
    assert (told.description, properties["city"]["description"]) == ("Otherwise.", "From here.")


@pytest.mark.parametrize(
    "text", ["", ":param", "Args:\n    x", ":param x y z: :: a\n:raises:", "Parameters\n---", "\x00"]
)
def test_no_docstring_keeps_a_function_from_being_a_tool(text: str) -> None:
    """Case B26: whatever its author wrote."""

    async def odd(x: int) -> None: ...

    odd.__doc__ = text
    assert isinstance(tool(odd).description, str)


@pytest.mark.parametrize("text", ["Do it.  ", "  Do it.", "Do it.\n", "\n    Do it.\n    "])
def test_blanks_round_a_docstring_are_no_part_of_it(text: str) -> None:
    def work() -> None: ...

    work.__doc__ = text
    assert tool(work).description == "Do it."


def test_without_a_docstring_there_is_no_description() -> None:
    """L023."""

    async def silent(x: int) -> None: ...

    assert tool(silent).description == ""
    assert tool(silent).parameters["properties"] == {"x": {"type": "integer"}}
