"""Arguments, results and schemas that are small and made to take long; keys that are not the model's to say."""

from __future__ import annotations

import json
import time as clocks
from datetime import datetime, time
from decimal import Decimal
from functools import partial
from typing import Annotated, Any
from uuid import UUID

import attrs
import pytest
import trio
from annotated_types import MultipleOf
from declared import of

from trio_tools import ErrorCode, Tool, ToolCall, ToolContext, open_registry, tool

# Seconds of this thread's own time. Each of these once took whole seconds; a slow machine has its share in the rest.
LONGEST = 0.25


@attrs.define
class Bush:
    n: int = 0
    left: Bush | None = None
    right: Bush | None = None


def bush(levels: int) -> dict[str, object]:
    return {"n": "w"} if not levels else {"left": bush(levels - 1), "right": bush(levels - 1)}


def chain(value: dict[str, object], levels: int) -> dict[str, object]:
    for _ in range(levels):
        value = {"left": value}
    return value


COLLIDING = 2**61 - 1  # whose multiples have one hash
SLOW: dict[str, tuple[Any, object]] = {
    "a bush of what does not fit": (Bush, chain(bush(11), 180)),
    "numbers of one hash": (set[int], [COLLIDING * one for one in range(1, 9_000)]),
    "keys of one hash": (dict[UUID, int], {str(UUID(int=COLLIDING * one)): 1 for one in range(1, 4_000)}),
    "a decimal of a million digits": (Annotated[Decimal, MultipleOf(Decimal("0.01"))], "1" * 1_000_000),
    "whole numbers of 4,000 digits": (list[Annotated[int, MultipleOf(3)]], [10**4000] * 200),
    "noughts after a second": (datetime, "2026-01-01T00:00:00." + "0" * 1_000_000 + "!"),
    "the same of a time": (time, "08:00:00." + "0" * 1_000_000 + "!"),
    "base64 that is none at the end": (bytes, "A" * 1_000_000 + "!"),
}


def seconds_of(one: Tool, arguments: object) -> float:
    """The least of three readings: of what else goes on the machine some have more."""
    taken: list[float] = []
    text = json.dumps(arguments)
    for _ in range(3):
        began = clocks.thread_time()
        assert one.violations(text)
        taken.append(clocks.thread_time() - began)
    return min(taken)


@pytest.mark.parametrize("name", SLOW)
def test_what_is_made_to_take_long_is_refused_in_no_time(name: str) -> None:
    """D28: whatever its type is."""
    annotation, value = SLOW[name]
    assert seconds_of(of(annotation), {"x": value}) < LONGEST


def arm(key: str) -> dict[str, object]:
    return {"type": "object", "properties": {"l": {"$ref": "#/$defs/N"}}, "required": [key]}


CHOICES = {
    "properties": {"x": {"$ref": "#/$defs/N"}},
    "$defs": {"N": {"anyOf": [arm("x"), arm("y"), {"type": "string"}]}},
}


def test_choices_within_choices_are_not_told_of_one_by_one() -> None:
    """D28, D27: a raw schema of an expression, say."""
    value: object = 1
    for _ in range(40):
        value = {"l": value, "x": 1, "y": 1}
    one = Tool(name="raw", parameters=CHOICES, body=take)
    assert seconds_of(one, {"x": value}) < LONGEST
    (said,) = one.violations({"x": value})
    assert "too deep to say where" in said
    assert one.violations({"x": {"l": 1, "x": 1, "y": 1}}) != []


def test_many_violations_of_a_raw_schema_are_not_all_asked_for() -> None:
    """D28, D26."""
    one = Tool(name="raw", parameters={"properties": {"x": {"items": {"type": "integer"}}}}, body=take)
    assert seconds_of(one, {"x": ["a" * 50] * 11_000}) < LONGEST
    assert one.violations({"x": ["a"] * 11_000}) == ['"x[0]" must be an integer', "and there may be more"]


def test_a_schema_that_doubles_at_each_reference_is_refused() -> None:
    """D27: other programs send what they like."""
    doubled = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    with pytest.raises(ValueError, match="unfold to more than"):
        Tool(name="raw", parameters={"$ref": "#/$defs/d0", "$defs": {**doubled, "d40": {}}}, body=take)


async def take(**arguments: object) -> object:
    return arguments


class Owner:
    async def method(self, **arguments: object) -> object:
        return arguments


async def two(a: int, b: int = 2, **more: object) -> object:
    return [a, b, more]


async def told(ctx: ToolContext, **arguments: object) -> object:
    return arguments


@pytest.mark.parametrize(
    ("body", "key"), [(Owner().method, "self"), (partial(two, 1), "a"), (partial(two, b=1), "b"), (told, "ctx")]
)
async def test_a_key_that_the_body_is_given_already_is_no_arguments(body: Any, key: str) -> None:
    """Case B16: nor the model's to say."""
    with pytest.raises(TypeError, match=f'the property "{key}" is a parameter that the body is given already'):
        Tool(name="raw", parameters={"properties": {key: {}}, "required": [key]}, body=body)
    required = {"required": ["a"]} if body is not told and key == "b" else {}
    one = Tool(name="raw", parameters=required, body=body)
    async with open_registry() as registry:
        registry.register(one)
        result = await registry.execute(ToolCall("raw", {"a": 0, key: 1}), scope=trio.CancelScope())
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_ARGS, False)
    assert f'unknown property "{key}"' in result.text


async def test_a_returned_value_that_lies_about_its_class_is_an_invalid_output() -> None:
    """R051, case B29: as proxies do outside of what they stand for."""

    class Proxy:
        @property  # type: ignore[misc]
        def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
            raise RuntimeError("nobody is there")

    @tool(name="give")
    async def give() -> object:
        return Proxy()

    async with open_registry() as registry:
        registry.register(give)
        result = await registry.execute(ToolCall("give"), scope=trio.CancelScope())
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_TOOL_OUTPUT, True)


async def test_a_result_that_shares_its_parts_is_not_written_out_to_be_measured() -> None:
    """D28: a thousand times one megabyte."""
    began = clocks.thread_time()

    @tool(name="give")
    async def give() -> object:
        return ["x" * 1_000_000] * 1_000

    async with open_registry() as registry:
        registry.register(give)
        result = await registry.execute(ToolCall("give"), scope=trio.CancelScope())
    assert result.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert clocks.thread_time() - began < LONGEST * 4
