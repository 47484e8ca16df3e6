"""The providers' own types take what we write, and we read what they write."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from test_formats_answers import CALLS, LOST, PNG, result
from test_formats_sdks import adapter_of
from transcripts import lines_of

from trio_tools import Json, ToolCall, ToolResult
from trio_tools.formats import (
    HistoryTurn,
    anthropic_assistant_message,
    anthropic_user_message,
    history,
    openai_assistant_message,
    openai_tool_message,
    read_turn,
)

pydantic: Any
chat: Any
anthropic: Any

Write = Callable[[Any], str]
WRITES: list[Write] = [
    lambda model: model.model_dump_json(),
    lambda model: model.model_dump_json(exclude_none=True, exclude_unset=True),
    lambda model: json.dumps(model.model_dump()),
    lambda model: json.dumps(model.model_dump(mode="json", by_alias=True), ensure_ascii=False),
    lambda model: model.to_json(indent=None),
]
written = pytest.mark.parametrize("write", WRITES, ids=["json", "json unset", "dict", "dict aliases", "to_json"])


@pytest.fixture(scope="module", autouse=True)
def sdks() -> None:
    """Imported when the first of these tests runs: they take as long as all other modules of tests together."""
    global pydantic, chat, anthropic  # noqa: PLW0603 - as an import does
    pydantic = pytest.importorskip("pydantic", reason="comes with the providers' packages, extras of the tests")
    chat = pytest.importorskip("openai.types.chat", reason="an extra of the tests")
    anthropic = pytest.importorskip("anthropic.types", reason="an extra of the tests")


def strictly(kind: Any, made: Any) -> None:
    """What comes out is a value of their type, and every key in it is one that the type has."""
    assert plain(adapter_of(kind).validate_python(made)) == made


def plain(value: Any) -> Any:
    """A value with what pydantic makes of an `Iterable` made a list again."""
    if hasattr(value, "items"):
        return {key: plain(one) for key, one in value.items()}
    return value if isinstance(value, str | int | float | None) else [plain(one) for one in value]


RESULTS = [
    result("done"),
    result(),
    result(" "),
    result("see", PNG, Json({"é": [1]})),
    result("Error: lost", PNG, error=LOST),
    result(error=LOST),
]


@pytest.mark.parametrize("one", RESULTS, ids=str)
def test_they_take_our_answers(one: ToolResult) -> None:
    strictly(chat.ChatCompletionToolMessageParam, openai_tool_message(one))
    strictly(chat.ChatCompletionMessageParam, openai_tool_message(one))
    strictly(anthropic.MessageParam, anthropic_user_message([one, one]))
    (block,) = plain(anthropic_user_message([one])["content"])
    strictly(anthropic.ToolResultBlockParam, block)


def test_they_take_our_calls() -> None:
    message: Any = openai_assistant_message(CALLS)
    strictly(chat.ChatCompletionAssistantMessageParam, message)
    assert [one.function.name for one in chat.ChatCompletionMessage.model_validate(message).tool_calls] == ["x", "y"]
    written: Any = anthropic_assistant_message(CALLS)
    strictly(anthropic.MessageParam, written)
    for block in written["content"]:
        strictly(anthropic.ToolUseBlockParam, block)
        assert anthropic.ToolUseBlock.model_validate(block).input == block["input"]


ODD = (
    ToolCall("no such tool", '{"cut', id=None),
    ToolCall("x", {"\0": "\0"}, id="a.b:c"),
    ToolCall("x", "", id="a.b:c"),
    ToolCall("", "[1]", id="x" * 300),
)


@pytest.mark.parametrize("one", RESULTS, ids=str)
def test_they_take_our_histories(one: ToolResult) -> None:
    answers = tuple(attrs.evolve(one, call_id=call.id) for call in ODD)
    messages: Any = history([HistoryTurn(ODD, answers), HistoryTurn(ODD, answers)], "openai")
    for message in messages:
        strictly(chat.ChatCompletionMessageParam, message)
    messages = history([HistoryTurn(ODD, answers), HistoryTurn(ODD, answers)], "anthropic")
    for message in messages:
        strictly(anthropic.MessageParam, message)
        kind = anthropic.ToolUseBlockParam if message["role"] == "assistant" else anthropic.ToolResultBlockParam
        for block in message["content"]:
            strictly(kind, block)


def a_completion(*calls: ToolCall) -> Any:
    message: Any = {**openai_assistant_message(calls), "refusal": None, "annotations": []}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message}
    whole: Any = {
        "id": "r",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "of tomorrow": {},
    }
    return chat.ChatCompletion.model_validate(whole)


def a_message(*calls: ToolCall) -> Any:
    message: Any = anthropic_assistant_message(calls)
    content = [
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "so"},
        *message["content"],
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    whole = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "usage": usage}
    return anthropic.Message.model_validate({**whole, "stop_reason": "tool_use", "stop_sequence": None})


@written
def test_we_read_what_openai_writes(write: Write) -> None:
    whole = a_completion(CALLS[0])
    for model in (whole, whole.choices[0].message):
        turn = read_turn(write(model))
        assert (turn.form, turn.calls) == ("openai", (CALLS[0],))
    silent = chat.ChatCompletionMessage(role="assistant", content="hi")
    assert read_turn(write(silent)).calls == ()


@written
def test_we_read_what_anthropic_writes(write: Write) -> None:
    turn = read_turn(write(a_message(*CALLS)))
    assert turn.form == "anthropic"
    assert [json.loads(str(one.arguments)) for one in turn.calls] == [
        {"n": 1.5, "b": 12345678901234567890},
        {"p": ["é"]},
    ]
    param = a_message(*CALLS).to_param()
    again = read_turn(json.dumps({**param, "content": [one.model_dump() for one in param["content"]]}))
    assert [(one.name, one.id) for one in again.calls] == [("x", "a"), ("y", "b")]


def test_we_refuse_a_custom_call_that_openai_writes() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "x", "input": "free text"}}
    message = chat.ChatCompletionMessage.model_validate({"role": "assistant", "tool_calls": [custom]})
    with pytest.raises(ValueError, match=r'tool_calls\[0\].type must be "function", not "custom"'):
        read_turn(message.model_dump_json())


@pytest.mark.parametrize("line", lines_of("openai"))
def test_the_recorded_messages_of_openai_are_theirs(line: str) -> None:
    message = json.loads(line)
    if "choices" in message:
        assert chat.ChatCompletion.model_validate(message).model_dump(exclude_unset=True) == message
    else:
        message.pop("annotations", None)  # which come out of the API, and are not taken in
        strictly(chat.ChatCompletionMessageParam, message)


@pytest.mark.parametrize("line", lines_of("anthropic"))
def test_the_recorded_messages_of_anthropic_are_theirs(line: str) -> None:
    message = json.loads(line)
    if "type" in message:
        assert anthropic.Message.model_validate(message).model_dump(exclude_unset=True) == message
    else:
        strictly(anthropic.MessageParam, message)


@pytest.mark.parametrize(
    "bad",
    [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "of ours": 1}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "json"}]}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": None}]},
        {"role": "tool", "content": "done"},
    ],
)
def test_a_message_that_is_not_theirs_is_found(bad: dict[str, object]) -> None:
    for kind in (anthropic.MessageParam, chat.ChatCompletionMessageParam):
        with pytest.raises((AssertionError, pydantic.ValidationError)):
            strictly(kind, bad)
