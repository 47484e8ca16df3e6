"""Whole conversations as the two APIs have them: read, run again, and written again, message for message."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio
from transcripts import FORMS, Message, lines_of, recorded_answers, replaying

from trio_tools import ToolResult
from trio_tools.formats import (
    anthropic_assistant_message,
    anthropic_user_message,
    openai_assistant_message,
    openai_tool_message,
    read_turn,
)

WRITE_CALLS = {"openai": openai_assistant_message, "anthropic": anthropic_assistant_message}
both = pytest.mark.parametrize("form", FORMS)


def answered(form: str, results: tuple[ToolResult, ...]) -> list[Any]:
    return [openai_tool_message(one) for one in results] if form == "openai" else [anthropic_user_message(results)]


@both
@pytest.mark.parametrize("wanted", [True, False])
async def test_a_conversation_run_again_gives_its_own_answers(form: str, wanted: bool) -> None:
    given: list[Message] = []
    async with replaying(form) as registry:
        for line in lines_of(form):
            turn = read_turn(line.encode(), form if wanted else None)
            assert turn.form == form or not turn.calls
            if turn.calls:
                given += answered(form, await registry.execute_turn(turn.calls, scope=trio.CancelScope()))
    assert given == recorded_answers(form)
    assert json.dumps(given) == json.dumps(recorded_answers(form))  # and each number as it was, each key in its place


@both
def test_its_calls_written_again_are_the_same_calls(form: str) -> None:
    count = 0
    for line in lines_of(form):
        calls = read_turn(line).calls
        if calls:
            count += len(calls)
            message: Any = json.loads(line)
            message = message["choices"][0]["message"] if "choices" in message else message
            written: Any = WRITE_CALLS[form](calls)
            if form == "openai":
                assert written["tool_calls"] == message["tool_calls"]
            else:
                blocks = [one for one in message["content"] if one["type"] == "tool_use"]
                assert json.dumps(written["content"]) == json.dumps(blocks)
            assert read_turn(json.dumps(written)).calls == read_turn(json.dumps(message)).calls
    assert count == 6


@both
def test_a_conversation_is_refused_where_the_other_form_is_wanted(form: str) -> None:
    (other,) = {*FORMS} - {form}
    for line in lines_of(form):
        if read_turn(line).calls:
            with pytest.raises(ValueError, match=f"a turn in the form {form}, where {other} is wanted"):
                read_turn(line, other)
