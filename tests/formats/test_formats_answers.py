"""Results and calls as messages of a provider: what is said, what cannot be, and what the API would refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trio_tools import Image, Json, Text, ToolCall, ToolResult
from trio_tools.formats import (
    NotInForm,
    anthropic_assistant_message,
    anthropic_user_message,
    openai_assistant_message,
    openai_tool_message,
    read_turn,
)
from trio_tools.values import Content, ErrorInfo

LOST = ErrorInfo("ToolError", "MAIL_LOST", "lost")
PNG = Image("iVBORw0KGgo=", "image/png")
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def result(*content: str | Image | Json, error: ErrorInfo | None = None) -> ToolResult:
    blocks: Content = tuple(Text(one) if isinstance(one, str) else one for one in content)
    return ToolResult("c1", "x", blocks, error=error, contexts=({"not": "the message's business"},))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (result("done"), "done"),
        (result(), ""),
        (result("see", PNG, Json({"é": [1]})), 'see\n[image content]\n{"é": [1]}'),
        (result("Error: lost", error=LOST), "Error: lost"),
        (result(" ", error=LOST), "Error: MAIL_LOST"),
        (result(error=LOST), "Error: MAIL_LOST"),
    ],
)
def test_openai_is_told_one_text_for_each_call(given: ToolResult, said: str) -> None:
    assert openai_tool_message(given) == {"role": "tool", "tool_call_id": "c1", "content": said}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (result("done"), {"content": [text("done")]}),
        (result(), {}),
        # the API refuses blank text, a picture without data, and pictures of other kinds
        (result("", " \n", "x "), {"content": [text("x ")]}),
        (result("see", PNG, Json([1])), {"content": [text("see"), PICTURE, text("[1]")]}),
        (result(Image("", "image/png")), {"content": [text("[image content]")]}),
        (result(Image("PHN2Zz4=", "image/svg+xml")), {"content": [text("[image content]")]}),
        (result("Error: lost", error=LOST), {"content": [text("Error: lost")], "is_error": True}),
        # and a failure that is empty, or holds anything but text
        (result(error=LOST), {"content": [text("Error: MAIL_LOST")], "is_error": True}),
        (result("Error:", PNG, error=LOST), {"content": [text("Error:"), text("[image content]")], "is_error": True}),
    ],
)
def test_anthropic_is_told_blocks(given: ToolResult, said: dict[str, object]) -> None:
    block = {"type": "tool_result", "tool_use_id": "c1", **said}
    assert anthropic_user_message([given]) == {"role": "user", "content": [block]}


def test_anthropic_is_told_of_all_calls_in_one_message_in_their_order() -> None:
    message = anthropic_user_message([ToolResult(own, "x", ()) for own in ("b", "a", "b")])
    assert message == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": own} for own in "bab"]}


def test_nobody_can_be_told_of_a_call_without_an_id() -> None:
    nameless = ToolResult(None, "x", ())
    problem = "call_id: the call had no id, so no answer can name it; give it one"
    with pytest.raises(NotInForm) as caught:
        openai_tool_message(nameless)
    assert str(caught.value) == f"tool 'x' does not go into the form openai: {problem}"
    with pytest.raises(NotInForm) as caught:
        anthropic_user_message([result("done"), nameless])
    assert str(caught.value) == f"tool 'x' does not go into the form anthropic: {problem}"


CALLS = [ToolCall("x", '{"n": 1.50, "b": 12345678901234567890}', id="a"), ToolCall("y", {"p": ["é"]}, id="b")]


def test_calls_are_written_for_a_history() -> None:
    message = openai_assistant_message(CALLS)
    assert (message["role"], message["content"]) == ("assistant", None)
    assert message["tool_calls"] == [
        {"id": one, "type": "function", "function": {"name": name, "arguments": arguments}}
        for one, name, arguments in (
            ("a", "x", '{"n": 1.50, "b": 12345678901234567890}'),
            ("b", "y", '{"p": ["\\u00e9"]}'),
        )
    ]
    assert anthropic_assistant_message(CALLS) == {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "x", "input": {"n": 1.5, "b": 12345678901234567890}},
            {"type": "tool_use", "id": "b", "name": "y", "input": {"p": ["é"]}},
        ],
    }


@pytest.mark.parametrize("blank", ["", " ", "null", "{}"])
def test_no_arguments_are_an_empty_object_for_anthropic_and_as_they_are_for_openai(blank: str) -> None:
    call = ToolCall("x", blank, id="a")
    assert json.dumps(anthropic_assistant_message([call])).endswith('"input": {}}]}')
    assert read_turn(json.dumps(openai_assistant_message([call]))).calls == (call,)


def test_what_comes_out_is_free_to_change() -> None:
    arguments = {"p": [1]}
    for given in (arguments, '{"p": [1]}'):
        message: Any = anthropic_assistant_message([ToolCall("x", given, id="a")])
        message["content"][0]["input"]["p"].append(2)
        assert json.dumps(message).endswith('"input": {"p": [1, 2]}}]}')
    assert arguments == {"p": [1]}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall("x", "{}"), "id: the call has no id, so no answer can name it; give it one"),
        (
            ToolCall("\ud800", "{}", id="a"),
            "name: a lone surrogate at character 0 of a string; call a tool that there is",
        ),
        (
            ToolCall("x", {"p": [{1}]}, id="a"),
            "arguments.p[0]: a value of type set is not JSON; give ",
        ),
    ],
)
def test_a_call_that_no_message_can_carry_is_refused(call: ToolCall, told: str) -> None:
    for form, write in (("openai", openai_assistant_message), ("anthropic", anthropic_assistant_message)):
        with pytest.raises(NotInForm) as caught:
            write([call])
        assert str(caught.value).startswith(f"tool {call.name!r} does not go into the form {form}: {told}")


@pytest.mark.parametrize("arguments", ["{", "[1]", '"{}"', '{"a": NaN}', '{"a": 1, "a": 2}', "7", "\ud800"])
def test_text_that_is_no_object_cannot_be_written_for_anthropic(arguments: str) -> None:
    """An object made up around it would be arguments that the model never wrote."""
    with pytest.raises(NotInForm) as caught:
        anthropic_assistant_message([ToolCall("x", arguments, id="a")])
    assert caught.value.place == "arguments"
    assert caught.value.remedy == "give one JSON object, one that holds the text for instance"


def test_argument_text_that_utf8_cannot_carry_cannot_be_written_for_openai_either() -> None:
    with pytest.raises(NotInForm, match="a lone surrogate at character 1"):
        openai_assistant_message([ToolCall("x", "a\ud800", id="a")])


def test_a_message_about_nothing_is_a_mistake_of_the_program() -> None:
    for write in (openai_assistant_message, anthropic_assistant_message):
        with pytest.raises(ValueError, match="a message with tool calls must have at least one"):
            write([])
    with pytest.raises(ValueError, match="a message with results must have at least one"):
        anthropic_user_message([])
