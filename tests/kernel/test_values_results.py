"""What a success may be: a JSON value, content rendered from it, and a contract only where one was declared."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from datetime import UTC, datetime
from typing import Any

import attrs
import pytest
import trio
from intake_tools import call, trailed

from trio_tools import ErrorCode, JSONValue, Text, ToolCall, ToolError, ToolResult, tool
from trio_tools.values import FrozenDict


@attrs.define
class Place:
    name: str
    tags: list[str]


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 2


async def returned(value: object, **options: Any) -> ToolResult:
    @tool(name="give", **options)
    async def give() -> object:
        return value

    async with trailed(give) as (registry, _):
        return await call(registry, "give", id="c1")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain text", "plain text"),
        ("\u4f60", "\u4f60"),
        ("", ""),
        (5, "5"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (True, "true"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ("[1]", "[1]"),
    ],
)
async def test_a_success_has_a_value_and_content_rendered_from_it(value: JSONValue, text: str) -> None:
    """D1, D22: a string is its own content, all else is its JSON text; no error and no code."""
    result = await returned(value)
    assert json.dumps(result.value) == json.dumps(value)
    assert result.text == text
    assert all(isinstance(block, Text) and block.text for block in result.content)
    assert (result.is_error, result.code, result.error, result.cause) == (False, None, None, None)
    assert (result.call_id, result.tool, result.dispatched, result.superseded) == ("c1", "give", True, None)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Place("Ulm", ["x"]), {"name": "Ulm", "tags": ["x"]}),
        (Point(1, 2.5), {"x": 1, "y": 2.5}),
        ((1, "a"), [1, "a"]),
        ({"at": (1, (2,)), "place": Place("Ulm", [])}, {"at": [1, [2]], "place": {"name": "Ulm", "tags": []}}),
        ([Point(0, 0.0)], [{"x": 0, "y": 0.0}]),
        (Color.RED, "red"),
        ({"level": Level.HIGH}, {"level": 2}),
    ],
)
async def test_what_unstructures_to_json_is_a_success(value: object, plain: JSONValue) -> None:
    """D22: attrs classes, dataclasses, enums and tuples, at any depth."""
    result = await returned(value)
    assert (result.value, result.code) == (plain, None)
    assert json.loads(json.dumps(result.value)) == plain


class Weird:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def _cycle() -> dict[str, object]:
    inner: dict[str, object] = {}
    inner["self"] = inner
    return inner


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        [math.inf],
        object(),
        Weird(),
        _cycle(),
        {1: "a", "1": "b"},
        {datetime.now(UTC): 1, object(): 2},
        "\ud800",
        print,
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_is_no_json_is_an_error_that_says_so(value: object) -> None:
    """D22, R051, case B29: name, code and text to the letter; the body ran, and its value is not there."""
    result = await returned(value)
    assert result.error is not None
    assert (result.error.name, result.code) == ("ToolOutputError", ErrorCode.INVALID_TOOL_OUTPUT)
    assert result.text.startswith('Error: tool "give" returned invalid output: ')
    assert (result.dispatched, result.value, result.cause) == (True, None, None)
    result.text.encode()


@pytest.mark.parametrize(
    ("output", "value", "violation"),
    [
        (int, "5", '"value" must be an integer'),
        (str, 5, '"value" must be a string'),
        (list[int], [1, "a", 2, None], '"value[1]" must be an integer; "value[3]" must be an integer'),
        (dict[str, bool], {"a": 1}, '"value.a" must be a boolean'),
        (bool, 1, '"value" must be a boolean'),
    ],
)
async def test_a_declared_output_is_what_a_success_is_checked_against(
    output: object, value: object, violation: str
) -> None:
    """D22, R110, R051: every violation is named; what the tool came to is kept as superseded."""
    result = await returned(value, output=output)
    assert result.error is not None
    assert (result.error.name, result.code) == ("ToolOutputError", ErrorCode.INVALID_TOOL_OUTPUT)
    assert result.error.message == f'tool "give" returned invalid output: {violation}'
    assert (result.dispatched, result.value) == (True, None)


@pytest.mark.parametrize(("output", "value"), [(int, 5), (list[int], (1, 2)), (str | None, None), (object, {"a": 1})])
async def test_what_fits_its_declared_output_is_a_success(output: object, value: object) -> None:
    """D22, R110: after it was unstructured."""
    result = await returned(value, output=output)
    assert (result.code, result.value) == (None, [1, 2] if value == (1, 2) else value)


async def test_a_bare_return_annotation_is_documentation() -> None:
    """D22, R110: it declares nothing."""

    @tool
    async def claims() -> int:
        answer: Any = "not an int"
        return answer  # type: ignore[no-any-return]

    @tool
    async def unclear() -> Weird:
        answer: Any = [1]
        return answer  # type: ignore[no-any-return]

    async with trailed(claims, unclear) as (registry, _):
        results = [await call(registry, name) for name in ("claims", "unclear")]
    assert [(result.code, result.value) for result in results] == [(None, "not an int"), (None, [1])]


async def test_a_value_that_the_tool_goes_on_changing_does_not_change_the_result() -> None:
    """D1, R004, case B29: it was snapshotted when the body returned."""
    shared: list[object] = [{"a": 1}]
    result = await returned(shared)
    inner = shared[0]
    assert isinstance(inner, dict)
    inner["a"] = 2
    shared.append("late")
    assert result.value == [{"a": 1}]
    assert result.text == '[{"a": 1}]'


FAILURES: list[tuple[Any, str]] = [
    (ToolError("no page", code="WEB_NOT_FOUND"), "WEB_NOT_FOUND"),
    (ToolError("no page"), "TOOL_FAILED"),
    (ValueError("x"), "TOOL_FAILED"),
    (ToolError("x", code="ABORTED"), "TOOL_FAILED"),
    (ToolError("x", code="TOOL_TIMEOUT"), "TOOL_FAILED"),
    (ToolError("x", code="lower"), "TOOL_FAILED"),
    (ToolError("x", code="AB"), "TOOL_FAILED"),
    (ToolError("x", code="A" * 65), "TOOL_FAILED"),
    (ToolError("x", code="ABC\n"), "TOOL_FAILED"),
    (ToolError("x", code="A" * 64), "A" * 64),
]


@pytest.mark.parametrize(("thrown", "code"), FAILURES)
async def test_every_failure_has_an_error_with_name_code_and_message(thrown: Exception, code: str) -> None:
    """D1, R095: a tool's own code stands if it is well formed and none of the registry's."""

    @tool
    async def fails() -> None:
        raise thrown

    async with trailed(fails) as (registry, _):
        result = await call(registry, "fails")
    assert result.error is not None
    assert (result.error.name, result.error.code, result.code) == (type(thrown).__name__, code, code)
    assert result.text == f"Error: {result.error.message}"
    assert str(thrown) in result.error.message
    assert (result.is_error, result.value) == (True, None)


async def test_every_kind_of_failure_has_a_code_and_a_text() -> None:
    """D1: also where the sources have none."""

    @tool
    async def never(a: int) -> None:
        raise ValueError

    calls = [ToolCall("never", {"a": 1}), ToolCall("never", {}), ToolCall("nobody", {}), ToolCall("never", "{")]
    async with trailed(never) as (registry, _):
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert all(result.error is not None and result.code and result.error.message for result in results)
    assert all(result.text.removeprefix("Error: ") for result in results)
    assert [result.value for result in results] == [None] * 4


async def test_a_result_is_frozen_through_and_through() -> None:
    """D1, R058."""
    result = await returned({"a": [1]})
    for field in attrs.fields(ToolResult):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            result.__setattr__(field.name, None)
    assert isinstance(result.value, FrozenDict)
    with pytest.raises(TypeError):
        result.value["a"] = 2
    assert result.value == {"a": [1]}
