"""What a body returns is written down by rules: one way for each kind of value, and nothing guessed."""

from __future__ import annotations

import dataclasses
import math
from base64 import b64encode
from collections import OrderedDict, UserDict, deque
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import attrs
import pytest
import trio

from trio_tools import ErrorCode, Image, Json, Text, Tool, ToolCall, ToolResult, from_json, open_registry, to_json, tool
from trio_tools.pipeline import CallNext, Dispatch
from trio_tools.values import NotJSON, to_plain


class Color(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Mode(StrEnum):
    FAST = "fast"


@attrs.define
class Account:
    owner: str
    _secret: int = 7
    total: int = attrs.field(init=False, default=0)


@dataclasses.dataclass
class Point:
    x: int
    inside: object = None
    total: int = dataclasses.field(init=False, default=0)


class Shouted(str):
    def __str__(self) -> str:
        return "something else"


class Row(NamedTuple):
    a: int
    b: int


UUID_TEXT = "12345678-1234-5678-1234-567812345678"


WRITTEN: list[tuple[Any, object]] = [
    (datetime(2026, 11, 30, 8, tzinfo=UTC), "2026-11-30T08:00:00+00:00"),
    (date(2026, 11, 30), "2026-11-30"),
    (time(8, 30), "08:30:00"),
    (UUID(UUID_TEXT), UUID_TEXT),
    (Decimal("1.50"), "1.50"),
    (Path("a/b"), "a/b"),
    (b"\xff", "/w=="),
    (bytearray(b"ab"), "YWI="),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    ((1, (2,)), [1, [2]]),
    (deque([1]), [1]),
    (Row(1, 2), [1, 2]),
    (OrderedDict(a=1), {"a": 1}),
    (MappingProxyType({"a": UserDict(b=1)}), {"a": {"b": 1}}),
    (Color.RED, "red"),
    ([Level.LOW, Mode.FAST], [1, "fast"]),
    ({Mode.FAST: 1, Path("a"): 2, date(2026, 1, 1): 3}, {"fast": 1, "a": 2, "2026-01-01": 3}),
    (Account("a"), {"owner": "a", "secret": 7}),
    (Point(1, [Account("a"), {Color.RED}]), {"x": 1, "inside": [{"owner": "a", "secret": 7}, ["red"]]}),
    (Shouted("as it is"), "as it is"),
]


@pytest.mark.parametrize(("value", "written"), WRITTEN, ids=lambda value: type(value).__name__)
def test_each_kind_of_value_has_one_form(value: object, written: object) -> None:
    """R051, case B29: at any depth, as a key too where it is text."""
    got = to_plain(value)
    assert got == written
    assert to_plain({"deep": [value]}) == {"deep": [written]}


def _ring() -> Point:
    point = Point(1)
    point.inside = [point]
    return point


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param(object(), "$: a value of type object has no JSON form", id="object"),
        ({"a": [1, print]}, "$.a[1]: a value of type builtin_function_or_method has no JSON form"),
        (math.nan, "$: nan is not a finite number"),
        ([Decimal("NaN")], "$[0]: NaN is not a finite number"),
        (_ring(), "$.inside[0]: contains itself"),
        ({1: "a"}, "$: a key of type int is not a string"),
        ({(1, 2): "a"}, "$: a key of type tuple is not a string"),
        ({Color.RED: 1, "red": 2}, '$: two keys that are both "red"'),
        (Point, "$: a value of type type has no JSON form"),
        pytest.param((one for one in [1]), "$: a value of type generator has no JSON form", id="generator"),
    ],
    ids=str,
)
def test_what_has_no_form_is_refused_with_its_place(value: object, said: str) -> None:
    """R051, case B29."""
    with pytest.raises(NotJSON) as caught:
        to_plain(value)
    assert str(caught.value) == said


async def draw() -> object:
    """Never run here."""


async def returned(value: object, **options: Any) -> ToolResult:
    @tool(name="give", **options)
    async def give() -> object:
        return value

    async with open_registry() as registry:
        registry.register(give)
        return await registry.execute(ToolCall("give"), scope=trio.CancelScope())


async def test_nan_is_null_where_its_tool_says_so() -> None:
    """R051, case B29: and only there."""
    value = {"a": [math.nan, -math.inf, 1.5]}
    assert (await returned(value, nan_as_null=True)).value == {"a": [None, None, 1.5]}
    refused = await returned(value)
    assert refused.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert "$.a[0]: nan is not a finite number" in refused.text


PICTURE = Image(b64encode(b"picture").decode(), "image/png")


@pytest.mark.parametrize(
    ("value", "content", "json"),
    [
        (PICTURE, (PICTURE,), {"type": "image", "data": "cGljdHVyZQ==", "media_type": "image/png"}),
        (Text("a"), (Text("a"),), {"type": "text", "text": "a"}),
        ([PICTURE], (PICTURE,), [{"type": "image", "data": "cGljdHVyZQ==", "media_type": "image/png"}]),
        (
            ["see", PICTURE, Json({"a": 1})],
            (Text("see"), PICTURE, Json({"a": 1})),
            [
                {"type": "text", "text": "see"},
                {"type": "image", "data": "cGljdHVyZQ==", "media_type": "image/png"},
                {"type": "json", "value": {"a": 1}},
            ],
        ),
        (["a", "b"], (Text('["a", "b"]'),), ["a", "b"]),
    ],
    ids=["image", "text", "list", "mixed", "no block"],
)
async def test_blocks_are_content_and_their_json_is_the_value(value: object, content: object, json: object) -> None:
    """D1, R051: a list without a block is a list; all of it goes to a file and back."""
    result = await returned(value)
    assert (result.content, result.value, result.error) == (content, json, None)
    assert from_json(ToolResult, to_json(result)) == result


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (Text(5), "content must be a string or a tuple of Text, Image and Json blocks"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        (Image(b"picture", "image/png"), "base64.b64encode"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ],
)
async def test_a_block_of_what_is_no_text_is_refused_and_the_body_ran(block: object, said: str) -> None:
    """R051: with what to do about bytes."""
    result = await returned([block])
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_TOOL_OUTPUT, True)
    assert said in result.text


async def test_what_stands_beside_a_block_becomes_one() -> None:
    """R051: text one of text, any other value one of JSON, by the rules for results."""
    result = await returned((PICTURE, "see", Point(1), {2}))
    assert result.content == (PICTURE, Text("see"), Json({"x": 1, "inside": None}), Json([2]))
    assert (await returned([PICTURE, object()])).code == ErrorCode.INVALID_TOOL_OUTPUT


async def test_a_wrapper_that_keeps_a_result_keeps_its_picture() -> None:
    """R057: content is rendered anew from what the body returned, and so is a picture."""
    kept: list[ToolResult] = []
    runs: list[int] = []

    @tool
    async def draw() -> object:
        runs.append(1)
        return ["see", PICTURE]

    async def cache(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if not kept:
            kept.append(await call_next())
        return kept[0]

    async with open_registry() as registry:
        registry.register(draw)
        registry.add_wrapper(cache)
        first, second = [await registry.execute(ToolCall("draw"), scope=trio.CancelScope()) for _ in "ab"]
    assert len(runs) == 1
    assert first.content == second.content == (Text("see"), PICTURE)


@pytest.mark.parametrize(
    ("value", "size"),
    [("a" * 100, 100), ("ä" * 50, 100), ([1] * 40, 120), ([Image("A" * 91, "image/png")], 100)],
    ids=["ascii", "utf-8", "json", "image"],
)
async def test_a_result_is_bounded_in_bytes_of_what_a_model_reads(value: object, size: int) -> None:
    """D28, case B29: at the bound it is kept; beyond, the model is told that the body ran, and sees its beginning."""
    kept = await returned(value, max_result_bytes=size)
    assert kept.error is None
    cut = await returned(value, max_result_bytes=size - 1)
    assert cut.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert cut.dispatched
    assert f"{size} bytes, more than the {size - 1} that a result may have" in cut.text
    assert "has run all the same" in cut.text
    assert cut.superseded is not None
    assert len(cut.superseded.text) <= 2_000


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "1"])
def test_the_bound_is_a_positive_whole_number(wrong: Any) -> None:
    """R110, D28."""
    with pytest.raises(ValueError, match="max_result_bytes must be a positive whole number of bytes"):
        tool(max_result_bytes=wrong)(draw)


async def test_the_contract_is_checked_on_what_is_written_down() -> None:
    """D22: an output type reads the same forms that results are written in."""
    assert (await returned(Point(1, {2, 1}), output=Point)).value == {"x": 1, "inside": [1, 2]}
    assert (await returned({"x": 1, "inside": None}, output=Point)).value == {"x": 1, "inside": None}
    wrong = await returned({"x": "1"}, output=Point)
    assert '"value.x" must be an integer' in wrong.text


def test_a_tool_keeps_its_signature_and_its_schema_together() -> None:
    """R117: schema and run time never disagree, also not by `evolve`."""

    @tool
    async def one(x: int) -> None: ...

    assert attrs.evolve(one, name="other").name == "other"
    with pytest.raises(ValueError, match="its parameters are not its signature's"):
        attrs.evolve(one, parameters={"type": "object"})

    async def take(arguments: object) -> None: ...

    by_hand = Tool(name="raw", parameters={"minProperties": 1}, body=take)
    assert attrs.evolve(by_hand, timeout=1).parameters == {"type": "object", "minProperties": 1}
