"""Random and hostile turns: calls come back as they were written, and no line is taken for one of another form."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest
import trio
from hypothesis import event, given, settings
from hypothesis import strategies as st

from trio_tools import ErrorCode, ToolCall, open_registry
from trio_tools.formats import (
    TURN_FORMS,
    NotATurn,
    Turn,
    anthropic_assistant_message,
    openai_assistant_message,
    read_turn,
)

OFTEN = settings(max_examples=200, deadline=None)
# Text that UTF-8 can carry, and that holds what JSON has to escape.
ESCAPED = st.sampled_from(['"', "\\", "\0", "\x7f\u2028", "😀"])
TEXT = ESCAPED | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ANY_TEXT = TEXT | st.text(st.characters(), max_size=8)  # with lone surrogates
NUMBERS = st.integers() | st.integers(10**30, 10**40) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)


def spaced(value: object, indent: str | None) -> str:
    """As JSON text, one of several ways. Lines are one line, so what would break it is made a blank."""
    return json.dumps(value, indent=indent, ensure_ascii=indent is None).replace("\n", "\r")


SPACES = st.sampled_from([None, "", "\t"])


@st.composite
def calls_of(draw: st.DrawFn, arguments: st.SearchStrategy[str]) -> list[ToolCall]:
    made = st.builds(ToolCall, TEXT, arguments, id=TEXT)
    return draw(st.lists(made, min_size=1, max_size=4))


@OFTEN
@given(calls=calls_of(TEXT | OBJECTS.map(json.dumps)), indent=SPACES, rest=OBJECTS)
def test_what_is_written_for_openai_is_read_back(calls: list[ToolCall], indent: str | None, rest: Any) -> None:
    message = {**{f"x-{key}": one for key, one in rest.items()}, **openai_assistant_message(calls)}
    whole = {"object": "chat.completion", "choices": [{"index": 0, "message": message}], "x": rest}
    for line in (spaced(message, indent), spaced(whole, indent)):
        assert read_turn(line) == read_turn(line.encode(), "openai") == Turn("openai", tuple(calls))


@OFTEN
@given(calls=calls_of(st.builds(spaced, OBJECTS, SPACES)), indent=SPACES, rest=OBJECTS)
def test_what_is_written_for_anthropic_is_read_back(calls: list[ToolCall], indent: str | None, rest: Any) -> None:
    message = anthropic_assistant_message(calls)
    blocks: Any = message["content"]
    beside = [{"type": "text", "text": "so"}, {**rest, "type": "thinking"}]
    whole = {"x": rest, "type": "message", **message, "content": [*beside, *blocks, *beside]}
    for line in (spaced(message, indent), spaced(whole, indent)):
        turn = read_turn(line)
        assert turn == read_turn(line.encode(), "anthropic")
        assert [(one.name, one.id) for one in turn.calls] == [(one.name, one.id) for one in calls]
        for read, call in zip(turn.calls, calls, strict=True):  # numbers with their types
            assert repr(json.loads(str(read.arguments))) == repr(json.loads(str(call.arguments)))


@OFTEN
@given(text=st.builds(spaced, JSON, SPACES))
def test_the_input_of_anthropic_goes_on_as_the_text_it_stands_in(text: str) -> None:
    line = '{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": ' + text + ', "name": "x"}]}'
    assert read_turn(line).calls == (ToolCall("x", text, id="a"),)


# Keys of every form, with values that are right in one of them or in none.
KEYS = st.sampled_from(
    [
        *("calls", "role", "content", "tool_calls", "choices", "message", "type", "id", "name", "input", "function"),
        *("arguments", "function_call", "object", "refusal"),
    ]
)
WORDS = ["assistant", "user", "tool", "model", "message", "text", "tool_use", "tool_result", "function", "custom", "{}"]
VALUES = st.recursive(
    st.none() | st.integers(0, 1) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
)
CALL = ToolCall("x", "{}", id="a")
TURNS: list[dict[str, Any]] = [
    {"calls": [{"name": "x"}]},
    openai_assistant_message([CALL]),
    anthropic_assistant_message([CALL]),
    {"choices": [{"message": openai_assistant_message([CALL])}]},
    {"type": "message", **anthropic_assistant_message([CALL, CALL])},
]
# Turns of several forms, laid one over the other in any order with anything between them.
LAID = st.lists(st.sampled_from(TURNS) | st.dictionaries(KEYS, VALUES, max_size=2), min_size=1, max_size=3)


@settings(max_examples=500, deadline=None)
@given(parts=LAID, order=st.integers(0, 2**32 - 1).map(random.Random))
def test_no_line_is_a_turn_with_calls_in_two_forms(parts: list[dict[str, Any]], order: random.Random) -> None:
    """And one that is found to be in a form reads the same when that form is wanted."""
    members = [*{key: one for part in parts for key, one in part.items()}.items()]
    order.shuffle(members)
    read: dict[str | None, Turn] = {}
    for form in (None, *TURN_FORMS):
        with suppress(NotATurn):
            read[form] = read_turn(json.dumps(dict(members)), form)
    called = [form for form, turn in read.items() if form is not None and turn.calls]
    event(f"calls in {called}")
    assert len(called) <= 1
    if None in read:
        found = read[None]
        assert called == ([found.form] if found.calls else [])
        assert found.form is None or read[found.form] == found


@OFTEN
@given(text=ANY_TEXT, other=ANY_TEXT)
def test_any_text_in_the_arguments_is_the_registrys_to_answer(text: str, other: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": other, "arguments": text}}
    assert read_turn(json.dumps({"role": "assistant", "tool_calls": [call]})).calls == (ToolCall(other, text, id="a"),)


DEEP = '{"a":' * 200 + "1" + "}" * 200
HOSTILE = ['{"a": 1, "a": 2}', DEEP, '{"n": ' + "1" * 5_000 + "}", '{"\\ud800": 1}', "[1]", '"{}"']


async def test_what_is_hostile_in_arguments_is_answered_for_that_call_alone() -> None:
    async def x() -> str:
        return "ran"

    async with open_registry() as registry:
        registry.register(x)
        for line in (anthropic_line("{}", *HOSTILE, "{}"), openai_line("{}", *HOSTILE, "{}")):
            results = await registry.execute_turn(read_turn(line).calls, scope=trio.CancelScope())
            assert [one.code for one in results] == [None, *[ErrorCode.INVALID_ARGS] * len(HOSTILE), None]


def anthropic_line(*inputs: str) -> str:
    calls = ", ".join('{"type": "tool_use", "id": "a", "name": "x", "input": ' + one + "}" for one in inputs)
    return '{"role": "assistant", "content": [' + calls + "]}"


def openai_line(*arguments: str) -> str:
    calls = [{"id": "a", "type": "function", "function": {"name": "x", "arguments": one}} for one in arguments]
    return json.dumps({"role": "assistant", "tool_calls": calls})


@pytest.mark.parametrize("write", [anthropic_line, openai_line])
def test_ten_megabytes_of_arguments_are_handed_on(write: Any) -> None:
    huge = '{"a": "' + "x\\n" * 3_500_000 + '"}'
    assert [one.arguments for one in read_turn(write(huge, "{}")).calls] == [huge, "{}"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (anthropic_line('{"n": NaN}'), "not JSON: NaN"),
        (anthropic_line('{"n": -Infinity}'), "not JSON: -Infinity"),
        (anthropic_line("[" * 100_000 + "]" * 100_000), "not readable: nested too deep"),
        (anthropic_line("{}") * 2, "not JSON: more text after the value, at character 93"),
        (openai_line("{}").replace('"id"', "'id'"), "not JSON: Expecting property name enclosed in double quotes"),
    ],
)
def test_what_is_not_json_is_in_no_form(line: str, error: str) -> None:
    for form in (None, "openai", "anthropic"):
        with pytest.raises(NotATurn) as caught:
            read_turn(line, form)
        assert str(caught.value).startswith(error)
        assert caught.value.form == form


@pytest.mark.parametrize("deep", range(150, 1_050, 7))
def test_depth_is_no_error_of_ours_wherever_it_ends(deep: int) -> None:
    """Each level of reading stands deeper in the interpreter's stack than the one before."""
    nested = "[" * deep + "]" * deep
    for line in (anthropic_line(nested), anthropic_line("{}")[:-1] + ', "x": ' + nested + "}"):
        with suppress(NotATurn):
            assert len(read_turn(line).calls) == 1


@pytest.mark.parametrize("long", ['{"role": "%s"}', '{"role": "assistant", "tool_calls": [{"id": "", "type": "%s"}]}'])
def test_a_message_about_a_long_line_is_short_and_can_be_shown(long: str) -> None:
    with pytest.raises(NotATurn) as caught:
        read_turn(long.replace("%s", "\\u001b" * 1_000_000))
    assert len(str(caught.value)) < 600
    assert "\x1b" not in str(caught.value)
