"""Arguments as the model's raw text: one unambiguous object within its bounds, or an error; never a guess."""

from __future__ import annotations

import json

import pytest
import trio
from intake_tools import call, cancelled_scope, nested, trailed

from trio_tools import ErrorCode, ToolCall, tool

MIB = 1024 * 1024


@tool
async def now() -> str:
    return "noon"


@tool
async def wipe(path: str = ".", recursive: bool = True) -> str:
    return f"wiped {path}"


@tool
async def keep(value: object = None) -> object:
    return value


@tool
async def measure(value: str) -> int:
    return len(value)


@tool
async def build(levels: int) -> object:
    value: object = []
    for _ in range(levels - 1):
        value = [value] if levels % 2 else {"in": value}
    return value


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "{}", " { } ", "null", " null\n"])
async def test_blank_text_and_null_are_no_arguments(text: str) -> None:
    """L001, case B33."""
    async with trailed(now) as (registry, trail):
        result = await call(registry, "now", text)
    assert result.value == "noon"
    assert trail.at("observer").arguments == {}


async def test_blank_text_for_a_tool_that_needs_arguments() -> None:
    """L001, R117: it names what is missing."""
    async with trailed(measure) as (registry, _):
        result = await call(registry, "measure", "")
    assert result.text == 'Error: invalid arguments: missing required property "value"'


BROKEN = [
    '{"path": "/data/a", "recurs',
    "[]",
    "42",
    '"x"',
    "true",
    "false",
    "0",
    '{"path": "/a"} {"path": "/b"}',
    '{"path": "/a"},',
    "{'path': '/a'}",
    '{"path": "/a",}',
    '{path: "/a"}',
    '```json\n{"path": "/a"}\n```',
    '\ufeff{"path": "/a"}',
    '{"path": "/data/a", "path": "/etc/passwd"}',
    '{"path": "/a", "\\u0070ath": "/b"}',
    '{"path": "line\nbreak"}',
    '{"recursive": NaN}',
    '{"recursive": -Infinity}',
    '{"recursive": 1e999}',
    '{"path": ' + "[" * 100_000 + "]" * 100_000 + "}",
    '{"path": ' + "[" * 100_000,
    '{"recursive": ' + "9" * 5_000 + "}",
    '{"path": "\\ud83d"}',
    '{"path": "\ud83d"}',
]


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: ascii(text)[:30])
async def test_text_that_is_not_one_object_is_an_argument_error(text: str) -> None:
    """L001, D29, case B33, case B23: the tool does not run on its defaults, nor on one of two values."""
    async with trailed(wipe) as (registry, trail):
        result = await call(registry, "wipe", text)
        after = await call(registry, "wipe", {})
    assert result.error is not None
    assert (result.error.name, result.code) == ("ToolArgsError", ErrorCode.INVALID_ARGS)
    assert result.text.startswith("Error: invalid arguments: ")
    assert len(result.text) < 1000
    assert result.dispatched is False
    assert trail.looks[0].arguments is None
    assert trail.stages == ["observer", "policy", "wrapper", "post-policy", "observer"]
    assert after.value == "wiped ."


@pytest.mark.parametrize("text", BROKEN[:4])
async def test_broken_text_wins_over_a_cancel(text: str) -> None:
    """L001, R007, case B33."""
    async with trailed(wipe) as (registry, _):
        result = await call(registry, "wipe", text, scope=cancelled_scope())
    assert result.code == ErrorCode.INVALID_ARGS


async def test_broken_text_spoils_no_sibling() -> None:
    """L001, L008, case B33: each of the turn's calls has its own result, in order."""
    calls = [ToolCall("now", ""), *(ToolCall("wipe", text) for text in BROKEN), ToolCall("now", "{}")]
    async with trailed(now, wipe) as (registry, _):
        first, *broken, last = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert (first.value, last.value) == ("noon", "noon")
    assert {result.code for result in broken} == {ErrorCode.INVALID_ARGS}


POISON = [
    '{"\\ud800": 1}',
    '{"\ud800": 1}',
    '{"\\ud800": 1, "\\ud800": 2}',
    '{"value": {"\\udfff": [1]}}',
    '{"value": "\\ud83d"}',
    '{"\\u0000": 1}',
]


@pytest.mark.parametrize("text", POISON)
@pytest.mark.parametrize("as_text", [True, False])
async def test_poison_in_arguments_does_not_come_back_in_the_text(text: str, as_text: bool) -> None:
    """D29, case B14: what a model reads, and what an event holds, is always valid UTF-8."""
    arguments = text if as_text else json.loads(text)
    async with trailed(keep) as (registry, trail):
        registry.add_recorder(trail.record)
        result = await call(registry, "keep", arguments)
    assert result.code == ErrorCode.INVALID_ARGS
    result.text.encode()
    for event in trail.events:
        json.dumps(getattr(event, "arguments", None), ensure_ascii=False).encode()


async def test_poison_in_a_name_does_not_come_back_in_the_text() -> None:
    """R046, case B14: a name with half a character in it is no tool's, and is shown as something else."""
    async with trailed(keep) as (registry, _):
        result = await call(registry, "keep\ud800", {})
    assert result.code == ErrorCode.UNKNOWN_TOOL
    assert result.text.encode().startswith(b'Error: unknown tool "keep')


@pytest.mark.parametrize("as_text", [False, True])
async def test_two_hundred_levels_are_kept(as_text: bool) -> None:
    """D28, R004: in text and in a mapping, to the body and back as a value."""
    arguments = nested(200)
    async with trailed(keep) as (registry, _):
        result = await call(registry, "keep", json.dumps(arguments) if as_text else arguments)
    assert result.value == arguments["value"]


@pytest.mark.parametrize("levels", [201, 5_000])
@pytest.mark.parametrize("as_text", [False, True])
async def test_deeper_arguments_are_refused(levels: int, as_text: bool) -> None:
    """D28, R004: the same in text and in a mapping; no recursion limit is hit."""
    arguments = nested(levels)
    text = '{"value": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
    async with trailed(keep) as (registry, trail):
        result = await call(registry, "keep", text if as_text else arguments)
    assert result.code == ErrorCode.INVALID_ARGS
    assert "RecursionError" not in result.text
    assert trail.stages == ["observer"]


async def test_brackets_in_strings_are_no_levels() -> None:
    """D28: nor do closed ones count on."""
    value: dict[str, object] = {"open": "[" * 1000 + '\\"{', "many": [[]] * 500}
    async with trailed(keep) as (registry, _):
        result = await call(registry, "keep", json.dumps({"value": value}))
    assert result.value == value


@pytest.mark.parametrize(("levels", "code"), [(199, None), (200, None), (201, "INVALID_TOOL_OUTPUT")])
async def test_a_value_is_as_deep_as_arguments_may_be(levels: int, code: str | None) -> None:
    """D28: 200 levels, of lists and of objects."""
    async with trailed(build) as (registry, _):
        result = await call(registry, "build", {"levels": levels})
    assert result.code == code
    assert result.dispatched


async def test_a_value_of_any_depth_is_an_error_and_no_crash() -> None:
    """D28: one level too many or a hundred thousand."""
    async with trailed(build) as (registry, _):
        results = [await call(registry, "build", {"levels": levels}) for levels in (2_000, 100_000)]
    assert [result.code for result in results] == [ErrorCode.INVALID_TOOL_OUTPUT] * 2


def sized(size: int, letter: str) -> dict[str, object]:
    """Arguments whose text has so many bytes in UTF-8."""
    room = size - len(b'{"value": ""}')
    width = len(letter.encode())
    return {"value": letter * (room // width) + "x" * (room % width)}


@pytest.mark.parametrize("letter", ["x", "\u4f60"])
async def test_a_mebibyte_of_arguments_is_kept(letter: str) -> None:
    """D28: bytes, not characters."""
    arguments = sized(MIB, letter)
    text = json.dumps(arguments, ensure_ascii=False)
    assert len(text.encode()) == MIB
    async with trailed(measure) as (registry, _):
        results = [await call(registry, "measure", form) for form in (text, arguments)]
    assert [result.value for result in results] == [len(str(arguments["value"]))] * 2


@pytest.mark.parametrize("letter", ["x", "\u4f60"])
@pytest.mark.parametrize("as_text", [True, False])
async def test_more_than_a_mebibyte_of_arguments_is_refused(letter: str, as_text: bool) -> None:
    """D28: the bound is the arguments', in whatever form they come."""
    arguments = sized(MIB + 1000, letter)
    async with trailed(measure) as (registry, trail):
        form = json.dumps(arguments, ensure_ascii=False) if as_text else arguments
        result = await call(registry, "measure", form)
    assert result.code == ErrorCode.INVALID_ARGS
    assert trail.stages == ["observer"]
    assert len(result.text) < 1000
