"""Case B26: tools that cannot be told to a model fail when they are declared, by name, and take no others with them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import annotated_types
import attrs
import pytest
import schema_kinds
from intake_tools import call
from schema_kinds import Color, Tree

from trio_tools import Tool, open_registry, tool


@dataclasses.dataclass
class Initial:
    seed: dataclasses.InitVar[int]
    kept: ClassVar[set[int]] = {1}


@attrs.define
class Inside:
    colors: dict[Color, schema_kinds.OfObjects]


class Row(NamedTuple):
    a: int


async def fine(c: Color = Color.RED, s: frozenset[str] = frozenset()) -> str:
    return repr((c, s))


def lost(x: Nowhere) -> None:  # type: ignore[name-defined] # noqa: F821 # pyright: ignore[reportUndefinedVariable]
    """Its annotation is nowhere to be found."""


def _lost() -> object:
    return lost  # pyright: ignore[reportUnknownVariableType]


def of_local_type() -> Callable[..., object]:
    @dataclasses.dataclass
    class Local:
        a: int

    async def local(x: Local) -> str:
        return repr(x)

    return local


async def refused(declare: Callable[[], object]) -> str:
    """What is said of what cannot be declared, among tools that stay, are told to a model, and work."""
    async with open_registry() as registry:
        registry.register(fine)
        with pytest.raises((TypeError, ValueError)) as caught:
            registry.register(declare())  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        assert list(registry.tools) == ["fine"]
        json.dumps(registry.schemas(), allow_nan=False, ensure_ascii=False).encode()
        assert (await call(registry, "fine", '{"c": "blue"}')).value == "(<Color.BLUE: 'blue'>, frozenset())"
    said = str(caught.value)
    assert "Traceback" not in said
    return said.encode().decode()


UNUSABLE: list[Any] = [
    (complex, "the type complex has no JSON form"),
    pytest.param(object(), "has no JSON form", id="object"),
    (Callable[[], int], "has no JSON form"),
    (Row, "the type Row has no JSON form"),
    (schema_kinds.NoMembers, "the Enum NoMembers has no members"),
    (schema_kinds.OfLists, "is not a JSON string, number, boolean or null"),
    (Inside, "field 'colors' of Inside"),
    (Initial, "the InitVar 'seed' of Initial"),
    (set[list[int]], "the members of a set must be hashable"),
    (dict[int, str], "the keys of a JSON object are strings"),
    (list[Tree[complex]], "field 'value' of Tree: the type complex has no JSON form"),
    (Literal[b"bytes"], "is not a JSON string, number, boolean or null"),
    (Annotated[int, annotated_types.MinLen(3)], "bounds nothing that is an integer"),
    (Annotated[int, annotated_types.Ge(float("nan"))], "bounds nothing that is an integer"),
    (Tree[Annotated[int, ["unhashable"]]], "unhashable"),
]


@pytest.mark.parametrize(("kind", "words"), UNUSABLE, ids=lambda one: str(one)[:40])
async def test_a_type_without_a_json_form_is_refused_by_tool_and_parameter(kind: object, words: str) -> None:
    """Case B26 (d): and the other tools of the program go on."""
    said = await refused(lambda: tool(schema_kinds.taking(kind)))
    assert said.startswith('tool "unusable", parameter "bad": ')
    assert words in said


NOT_WRITTEN: list[tuple[object, str]] = [
    (schema_kinds.OfNaN, "nan"),
    (schema_kinds.OfInfinity, "-inf"),
    (schema_kinds.OfHalves, "surrogate"),
    (schema_kinds.OfDigits, "digits"),
    (Literal["\ud800"], "surrogate"),
    (Literal[10**4300], "digits"),
    (Annotated[int, "half \ud800"], "surrogate"),
    (Annotated[int, annotated_types.Le(10**4300)], "digits"),
    (Annotated[str, annotated_types.MaxLen(10**4300)], "digits"),
]
IDS = ["NaN", "infinity", "half", "digits", "Literal half", "Literal digits", "described", "Le", "MaxLen"]


@pytest.mark.parametrize(("kind", "words"), NOT_WRITTEN, ids=IDS)
async def test_what_no_json_text_can_say_is_refused_by_tool_and_parameter(kind: object, words: str) -> None:
    """Case B26: a schema that cannot be written down would break the request of all tools."""
    said = await refused(lambda: tool(schema_kinds.taking(kind)))
    assert 'tool "unusable"' in said
    assert "bad" in said
    assert words in said


@pytest.mark.parametrize(("declare", "name"), [(_lost, "Nowhere"), (of_local_type, "Local")], ids=["none", "local"])
async def test_an_annotation_that_is_not_to_be_found_is_named(declare: Callable[[], object], name: str) -> None:
    """Case B26 (c): with what to do about it."""
    said = await refused(declare)
    assert said.startswith(
        f'tool "{"lost" if name == "Nowhere" else "local"}", parameter "x": the annotation {name!r} cannot be found'
    )
    assert "define or import it at module level" in said


def _described() -> Tool:
    return tool(name="poisoned", description="half \ud800")(fine)


def _documented() -> Tool:
    async def poisoned(x: int) -> int:
        """Half \ud800."""
        return x

    return tool(poisoned)


def _argument() -> Tool:
    async def poisoned(x: int) -> int:
        """Whole.

        Args:
            x: half \ud800
        """
        return x

    return tool(poisoned)


def _by_hand() -> Tool:
    schema: Any = {"properties": {"c": {"const": float("inf")}}}
    return Tool(name="poisoned", parameters=schema, body=fine)


@pytest.mark.parametrize("declare", [_described, _documented, _argument, _by_hand], ids=lambda one: one.__name__[1:])
async def test_words_that_utf_8_cannot_carry_are_refused_by_tool(declare: Callable[[], object]) -> None:
    """Case B26, case B14: a description is part of the request, and no provider could be sent it."""
    assert '"poisoned"' in await refused(declare)
