"""Tools by hand: any JSON Schema, checked offline, with all violations in one text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from trio_tools import ErrorCode, SyncToolContext, Tool, ToolCall, ToolContext, ToolResult, open_registry
from trio_tools.values import FrozenDict

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"]},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
        "one": {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"row": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}, "required": ["x"]}},
}


async def take(**arguments: object) -> object:
    """Give back what came."""
    return arguments


def raw(parameters: Mapping[str, object], body: Any = take, **fields: Any) -> Tool:
    return Tool(name="raw", description="By hand.", parameters=parameters, body=body, **fields)


async def called(tool: Tool, arguments: Mapping[str, object] | str) -> ToolResult:
    async with open_registry() as registry:
        registry.register(tool)
        return await registry.execute(ToolCall("raw", arguments), scope=trio.CancelScope())


@pytest.mark.parametrize("arguments", [{"id": 1}, {"id": 2.0, "kind": "a", "rows": [{"x": None}], "one": 3.5}])
async def test_what_fits_reaches_the_body_as_it_came(arguments: dict[str, object]) -> None:
    """R117, D27: no default is put in, and nothing is made of another type."""
    assert (await called(raw(SCHEMA), arguments)).value == arguments


async def test_all_violations_stand_in_one_text_with_their_places() -> None:
    """R117, D26: in the words of every other tool."""
    arguments = {"id": "1", "kind": "c", "rows": [{"x": 1}, {"y": 1}, {"x": "a"}], "one": 7, "extra": 1}
    result = await called(raw(SCHEMA), arguments)
    assert result.code == ErrorCode.INVALID_ARGS
    assert not result.dispatched
    assert set(result.text.removeprefix("Error: invalid arguments: ").split("; ")) == {
        '"id" must be an integer',
        '"kind" must be one of ["a","b"]',
        'missing required property "rows[1].x"',
        '"rows[2].x" must be null or a number',
        '"one" must match exactly one oneOf branch (matched 2)',
        'unknown property "extra"',
    }
    assert raw(SCHEMA).violations({"id": 0}) == ['"id": 0 is less than the minimum of 1']
    assert raw({"minProperties": 1}).violations({}) == ['"$": {} has less than 1 property']


def whole(arguments: Mapping[str, object]) -> object:
    return [type(arguments).__name__, dict(arguments)]


def keywords(**arguments: object) -> object:
    return [type(arguments["b-c"]).__name__, arguments["a"]]


@pytest.mark.parametrize(
    ("body", "seen"),
    [(whole, ["FrozenDict", {"a": 1, "b-c": [2]}]), (keywords, ["FrozenList", 1])],
)
async def test_the_body_takes_the_arguments_whole_or_by_keyword(body: Any, seen: object) -> None:
    """R004, case B23: frozen either way."""
    assert (await called(raw({"type": "object"}, body), {"a": 1, "b-c": [2]})).value == seen


async def test_a_context_is_injected_by_annotation(autojump_clock: MockClock) -> None:
    """D27: beside the whole of the arguments too."""

    async def whole(ctx: ToolContext, arguments: FrozenDict) -> object:
        return [ctx.call.name, arguments["a"]]

    def keywords(a: int, ctx: SyncToolContext, b: int = 2) -> object:
        return [ctx.call.name, a, b]

    schema: dict[str, object] = {
        "properties": {"a": {}, "b": {}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert (await called(raw(schema, whole), {"a": 1})).value == ["raw", 1]
    assert (await called(raw(schema, keywords), {"a": 1})).value == ["raw", 1, 2]


def two(a: int, b: int) -> None: ...
def only(a: int, /) -> None: ...
def other(a: int, c: int) -> None: ...
def less(a: int, c: int = 1) -> None: ...


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (two, 'parameter "b": it has no default, and the schema does not require it'),
        (only, "given by keyword"),
        (other, 'parameter "c": it has no default'),
        (less, 'no parameter for the property "b"'),
    ],
    ids=["optional", "positional", "unknown", "left out"],
)
def test_a_body_that_could_not_be_called_fails_when_it_is_declared(body: Any, said: str) -> None:
    """Case B16: no raw TypeError about keyword arguments in any text."""
    with pytest.raises(TypeError, match=said):
        raw({"properties": {"a": {}, "b": {}}, "required": ["a"]}, body)


async def test_what_an_open_schema_lets_in_and_the_body_cannot_take_is_refused_by_name() -> None:
    """Case B16."""

    async def narrow(a: int = 0) -> int:
        return a

    result = await called(raw({"properties": {"a": {"type": "integer"}}}, narrow), {"a": 1, "z": 2})
    assert result.text == 'Error: invalid arguments: unknown property "z"'


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ({}, {"type": "object"}),
        ({"type": ["object", "null"], "minProperties": 0}, {"type": "object", "minProperties": 0}),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"required": ["x"]}}}, {"required": ["x"]}),
        (
            {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"title": "B"}}},
            {"title": "B"},
        ),
    ],
)
def test_the_top_is_a_plain_object(given: dict[str, Any], canonical: dict[str, Any]) -> None:
    """Case B26: a reference at the root is put in its place."""
    shown = dict(raw(given).parameters)
    for name in ("$defs", "definitions"):
        shown.pop(name, None)
    assert shown == {"type": "object", **canonical}
    assert next(iter(raw(given).parameters)) == "type"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array"}, "arguments are always an object"),
        ({"$ref": "#/$defs/nowhere"}, "leads nowhere"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "leads to no end"),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "leads nowhere within the schema"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}, "never fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "never fetched"),
        ({"allOf": [{"if": {"$dynamicRef": "other.json#x"}}]}, "never fetched"),
        ({"$defs": {"a": {"$id": "http://127.0.0.1:9/a"}}}, r"\$id of its own"),
    ],
)
def test_a_schema_that_reaches_outside_itself_or_fits_nothing_is_refused_at_once(schema: Any, said: str) -> None:
    """D27: nothing is ever fetched for a reference."""
    with pytest.raises(ValueError, match=said):
        raw(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "dict"}}},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {"a": {"$ref": "#/$defs/nowhere"}}},
        {"$schema": "http://127.0.0.1:9/draft"},
        {"properties": []},
        {"required": "a"},
    ],
)
async def test_what_is_no_schema_fails_at_registration_naming_the_tool(schema: Any) -> None:
    """D27: and does not take the other tools with it."""
    async with open_registry() as registry:
        with pytest.raises(ValueError, match='tool "raw": not a JSON Schema that can be checked: '):
            registry.register(raw(schema))
        assert not registry.tools


async def test_draft_7_is_read_as_draft_7() -> None:
    """D27: where a list of items goes by place."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False}},
    }
    one = raw(schema)
    assert one.violations({"a": [1, "b"]}) == []
    assert one.violations({"a": ["b"]}) == ['"a[0]" must be an integer']


async def test_an_output_may_be_a_raw_schema() -> None:
    """D22: checked as the parameters are."""
    one = raw({}, output={"type": "object", "required": ["n"]})
    assert (await called(one, {"n": 1})).value == {"n": 1}
    result = await called(one, {"m": 1})
    assert result.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert 'missing required property "value.n"' in result.text


WITHOUT = """
import sys
sys.modules["jsonschema_rs"] = None
import trio
from trio_tools import Tool, ToolCall, open_registry, tool

async def main():
    async with open_registry() as registry:
        registry.register(tool(name="typed")(lambda: 1))
        assert (await registry.execute(ToolCall("typed"), scope=trio.CancelScope())).value == 1
        try:
            registry.register(Tool(name="raw", parameters={}, body=lambda arguments: 1))
        except ModuleNotFoundError as error:
            print(error)

trio.run(main)
"""


def test_without_the_extra_a_raw_tool_cannot_be_registered_and_the_extra_is_named() -> None:
    """D27: typed tools need none of it."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "tool \"raw\": a raw JSON Schema needs jsonschema-rs; install it: pip install 'trio-tools[schema]'\n"
    )


def test_a_hundred_levels_and_a_hostile_pattern_are_no_matter() -> None:
    """D28: the validator neither recurses nor backtracks."""
    deep: dict[str, object] = {}
    for _ in range(90):
        deep = {"properties": {"a": deep}}
    value: dict[str, object] = {}
    for _ in range(150):
        value = {"a": value}
    assert raw(deep).violations(value) == []
    storm = raw({"properties": {"a": {"pattern": "^(a+)+$"}}})
    (violation,) = storm.violations({"a": "a" * 5_000 + "!"})
    assert len(violation) < 400
