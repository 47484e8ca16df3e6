"""A turn in a provider's form: what is read, what is let pass, and which form a line is in."""

from __future__ import annotations

import json

import pytest

from trio_tools import ToolCall
from trio_tools.formats import TURN_FORMS, NotATurn, Turn, read_turn

OPENAI_CALL = '{"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{\\"n\\": 1.50}"}}'
OPENAI = '{"role": "assistant", "content": null, "tool_calls": [' + OPENAI_CALL + "]}"
ANTHROPIC_CALL = '{"type": "tool_use", "id": "t1", "name": "x", "input": {"n": 1.50}}'
ANTHROPIC = '{"role": "assistant", "content": [' + ANTHROPIC_CALL + "]}"
PLAIN = '{"calls": [{"id": "c1", "name": "x", "arguments": {"n": 1.50}}]}'
FROM_OPENAI = ToolCall("x", '{"n": 1.50}', id="c1")
FROM_ANTHROPIC = ToolCall("x", '{"n": 1.50}', id="t1")


def response(*messages: str) -> str:
    choices = ", ".join('{"index": 0, "message": ' + one + ', "finish_reason": "tool_calls"}' for one in messages)
    return '{"id": "r", "object": "chat.completion", "choices": [' + choices + '], "usage": {"calls": 1}}'


@pytest.mark.parametrize(
    ("line", "form", "calls"),
    [
        (PLAIN, "plain", (FROM_OPENAI,)),
        (OPENAI, "openai", (FROM_OPENAI,)),
        (response(OPENAI), "openai", (FROM_OPENAI,)),
        (ANTHROPIC, "anthropic", (FROM_ANTHROPIC,)),
        (
            '{"id": "m", "type": "message", "stop_reason": "tool_use", ' + ANTHROPIC[1:],
            "anthropic",
            (FROM_ANTHROPIC,),
        ),
    ],
    ids=["plain", "openai", "openai response", "anthropic", "anthropic response"],
)
def test_a_turn_is_read_in_the_form_it_is_in(line: str, form: str, calls: tuple[ToolCall, ...]) -> None:
    assert read_turn(line) == read_turn(line.encode()) == read_turn(line, form) == Turn(form, calls)
    for other in set(TURN_FORMS) - {form}:
        with pytest.raises(NotATurn) as caught:
            read_turn(line, other)
        assert str(caught.value) == f"a turn in the form {form}, where {other} is wanted"
        assert caught.value.form == other


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ('"type": "function", "function": {"name": "x", "arguments": ""}', ToolCall("x", "", id="c")),
        # servers that are like OpenAI's leave the type out
        ('"function": {"name": "x", "arguments": "{}"}', ToolCall("x", "{}", id="c")),
        (
            '"type": null, "index": 0, "function": {"name": "x", "arguments": "{}", "parsed": {}}',
            ToolCall("x", "{}", id="c"),
        ),
        # bad arguments are the registry's to answer
        ('"function": {"arguments": "{\\"a\\": 1, \\"a\\"", "name": "x"}', ToolCall("x", '{"a": 1, "a"', id="c")),
        ('"function": {"name": "\\u00e9", "arguments": "[NaN]"}, "x": 1, "x": 2', ToolCall("é", "[NaN]", id="c")),
    ],
)
def test_an_openai_call_may_be_written_so(members: str, expected: ToolCall) -> None:
    line = '{"role": "assistant", "tool_calls": [{"id": "c", ' + members + "}]}"
    assert read_turn(line) == Turn("openai", (expected,))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ('"input": {}', ToolCall("x", "{}", id="c")),
        ('"caller": {"type": "direct"}, "input" :\t{ "a" : 1e2 }\r\n', ToolCall("x", '{ "a" : 1e2 }', id="c")),
        ('"cache_control": null, "input": null', ToolCall("x", "null", id="c")),
        ('"input": {"a": 1, "a": 2}', ToolCall("x", '{"a": 1, "a": 2}', id="c")),
        ('"input": "{}"', ToolCall("x", '"{}"', id="c")),
        ('"input": [1]', ToolCall("x", "[1]", id="c")),
    ],
)
def test_an_anthropic_call_may_be_written_so(members: str, expected: ToolCall) -> None:
    line = '{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "x", ' + members + "}]}"
    assert read_turn(line) == Turn("anthropic", (expected,))


def test_calls_stand_in_their_order_whatever_is_between_them() -> None:
    text, thought = '{"type": "text", "text": "so"}', '{"type": "thinking", "thinking": "", "signature": "s"}'
    run = '{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "trio"}}'
    second = ANTHROPIC_CALL.replace("t1", "t2")
    line = f'{{"role": "assistant", "content": [{thought}, {ANTHROPIC_CALL}, {text}, {run}, {second}]}}'
    assert [one.id for one in read_turn(line).calls] == ["t1", "t2"]
    line = OPENAI.replace(OPENAI_CALL, f"{OPENAI_CALL}, {OPENAI_CALL.replace('c1', 'c2')}")
    assert [one.id for one in read_turn(line).calls] == ["c1", "c2"]


SILENT: list[tuple[dict[str, object], str | None]] = [
    ({"role": "user", "content": "hi"}, None),
    ({"role": "system", "content": "be kind"}, None),
    ({"role": "assistant", "content": "hi"}, None),
    ({"role": "user", "content": [{"type": "text", "text": "hi"}]}, None),
    ({"role": "assistant", "content": [{"type": "text", "text": "hi"}], "name": "x"}, None),
    ({"role": "user", "content": [{"type": "of tomorrow"}]}, None),
    ({"role": "developer", "content": "be kind"}, "openai"),
    ({"role": "tool", "tool_call_id": "c1", "content": "done"}, "openai"),
    ({"role": "tool", "content": [{"type": "text", "text": "done"}]}, "openai"),
    ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.org"}}]}, "openai"),
    ({"role": "assistant", "content": "hi", "refusal": None, "tool_calls": None}, "openai"),
    ({"role": "assistant", "content": "", "tool_calls": []}, "openai"),
    ({"object": "chat.completion", "choices": []}, "openai"),
    ({"choices": [{"message": {"role": "assistant", "content": one}} for one in "ab"]}, "openai"),
    ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]}, "anthropic"),
    ({"role": "user", "content": [{"type": "image", "source": {}}, {"type": "text", "text": ""}]}, "anthropic"),
    ({"role": "assistant", "content": [{"type": "redacted_thinking", "data": ""}]}, "anthropic"),
    ({"type": "message", "role": "assistant", "content": []}, "anthropic"),
]


@pytest.mark.parametrize(("message", "form"), SILENT, ids=str)
def test_messages_without_calls_are_let_pass(message: object, form: str | None) -> None:
    line = json.dumps(message)
    assert read_turn(line) == Turn(form, ())
    for wanted in {"openai", "anthropic"} if form is None else {form}:
        assert read_turn(line, wanted) == Turn(wanted, ())


@pytest.mark.parametrize("form", ["", "OpenAI", "gemini"])
def test_a_form_that_there_is_none_of_is_a_mistake_of_the_program(form: str) -> None:
    with pytest.raises(
        ValueError, match=f"^there is no form '{form}' of turns: .* plain, openai, anthropic$"
    ) as caught:
        read_turn(PLAIN, form)
    assert not isinstance(caught.value, NotATurn)
