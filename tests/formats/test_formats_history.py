"""Turns that were, as a history: nothing in them is refused, and every provider takes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trio_tools import ErrorCode, Image, Json, Text, ToolCall, ToolResult
from trio_tools.formats import HistoryTurn, history, read_turn, write_result
from trio_tools.values import ABORTED, ErrorInfo

PLAIN_TURN = HistoryTurn((ToolCall("x", {"a": 1}, id="c1"),), (ToolResult("c1", "x", (Text("done"),), "done"),))


def turn(*calls: ToolCall, said: str = "done") -> HistoryTurn:
    return HistoryTurn(calls, tuple(ToolResult(one.id, one.name, (Text(said),)) for one in calls))


def test_in_plain_a_turn_is_its_line_and_its_results() -> None:
    assert history([PLAIN_TURN], "plain") == [
        {"calls": [{"id": "c1", "name": "x", "arguments": {"a": 1}}]},
        write_result(PLAIN_TURN.results[0]),
    ]


def test_for_openai_each_call_is_answered_by_a_message() -> None:
    two = HistoryTurn(
        (ToolCall("x", '{"a": 1e5}', id="c1"), ToolCall("y", {}, id="c2")),
        (ToolResult("c1", "x", (Text("see"), Image("", "image/png"))), ToolResult("c2", "y", (), error=ABORTED)),
    )
    call = {"id": "c1", "type": "function", "function": {"name": "x", "arguments": '{"a": 1e5}'}}
    other = {"id": "c2", "type": "function", "function": {"name": "y", "arguments": "{}"}}
    assert history([two], "openai") == [
        {"role": "assistant", "content": None, "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c1", "content": "see\n[image content]"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: ABORTED"},
    ]


def test_for_anthropic_one_message_answers_a_turn() -> None:
    two = HistoryTurn(
        (ToolCall("x", '{"a": 1}', id="c1"), ToolCall("y", {"p": ["é"]}, id="c2")),
        (ToolResult("c1", "x", (Text("see"), Json([1]))), ToolResult("c2", "y", (), error=ABORTED)),
    )
    see = [{"type": "text", "text": "see"}, {"type": "text", "text": "[1]"}]
    failed = [{"type": "text", "text": "Error: ABORTED"}]
    assert history([two], "anthropic") == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "x", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "y", "input": {"p": ["é"]}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": see},
                {"type": "tool_result", "tool_use_id": "c2", "content": failed, "is_error": True},
            ],
        },
    ]


def ids_in(messages: Any, form: str) -> list[list[str]]:
    """The ids of each turn, which its answers must have as well."""
    found: list[list[str]] = []
    answers: list[list[str]] = []
    for one in messages:
        if form == "openai" and one["role"] == "assistant":
            found.append([call["id"] for call in one["tool_calls"]])
            answers.append([])
        elif form == "openai":
            answers[-1].append(one["tool_call_id"])
        elif one["role"] == "assistant":
            found.append([block["id"] for block in one["content"]])
        else:
            answers.append([block["tool_use_id"] for block in one["content"]])
    assert found == answers
    return found


def named(*ids: str | None) -> HistoryTurn:
    return turn(*(ToolCall("x", {}, id=one) for one in ids))


@pytest.mark.parametrize(
    ("form", "turns", "ids"),
    [
        ("openai", [named(None, "a", None)], [["call_1", "a", "call_2"]]),
        ("openai", [named("a", "a"), named("a")], [["a", "a_1"], ["a_2"]]),
        ("openai", [named("a_1", "a", "a"), named("a_2")], [["a_1", "a", "a_2"], ["a_2_1"]]),
        (
            "openai",
            [named("x" * 40, "x" * 41, "", "f.x:0", "\0")],
            [["x" * 40, "x" * 32 + "_1", "call_1", "f.x:0", "__1"]],
        ),
        (
            "anthropic",
            [named("x" * 64, "x" * 65, "", "f.x:0", "é")],
            [["x" * 64, "x" * 32 + "_1", "call_1", "f_x_0_1", "__1"]],
        ),
        ("anthropic", [named("call_1", None), named(None)], [["call_1", "call_2"], ["call_3"]]),
    ],
)
def test_an_id_that_is_absent_repeated_or_refused_is_made(form: str, turns: list[HistoryTurn], ids: object) -> None:
    assert ids_in(history(turns, form), form) == ids


@pytest.mark.parametrize("form", ["plain", "openai", "anthropic"])
def test_a_longer_history_begins_as_the_shorter_one_and_nothing_is_kept_of_it(form: str) -> None:
    """A provider's cache of a prompt holds as long as nothing before the new turn changes."""
    turns = [named("a", None), named("a", "a_1"), named("call_1", None, "a")]
    for count in range(len(turns) + 1):
        longer = history(turns, form)
        assert longer[: len(history(turns[:count], form))] == history(turns[:count], form)
        assert json.dumps(history(turns, form)) == json.dumps(longer)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", {}),
        (" null ", {}),
        ('{"path": "/data/a", "recurs', None),
        ("[]", None),
        ("42", None),
        ('"x"', None),
        ('{"a": 1, "a": 2}', None),
        ('{"path": ' + "[" * 100_000 + "]" * 100_000 + "}", None),
        ('{"n": ' + "1" * 5_000 + "}", None),
        ('{"text":"\\ud83d"}', None),
    ],
)
def test_b33_arguments_that_are_no_object_stand_in_one_that_says_so(text: str, read: object) -> None:
    """And for OpenAI as they were."""
    given: Any = history([turn(ToolCall("wipe", text, id="c"))], "anthropic")
    assert given[0]["content"][0]["input"] == ({"unreadable_arguments": text} if read is None else read)
    given = history([turn(ToolCall("wipe", text, id="c"))], "openai")
    assert given[0]["tool_calls"][0]["function"]["arguments"] == (text or "{}")
    given = history([turn(ToolCall("wipe", text, id="c"))], "plain")
    assert read_turn(json.dumps(given[0])).calls == (ToolCall("wipe", text, id="c"),)


def test_a_mapping_that_json_cannot_carry_is_told_by_what_is_wrong_with_it() -> None:
    odd = turn(ToolCall("x", {"a": float("nan")}, id="c"))
    openai, anthropic, plain = (json.dumps(history([odd], form)[0]) for form in ("openai", "anthropic", "plain"))
    for one in (openai, anthropic, plain):
        assert "$.a: " in one
        assert "NaN" not in one.replace("NaN is", "")


@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_b14_poison_text_is_not_sent(form: str) -> None:
    bad = HistoryTurn(
        (ToolCall("x\0\ud800", '{"a": "b\\u0000", "\\u0000": ["\\u0000"]}', id="c"), ToolCall("x", "\0\ud800")),
        (ToolResult("c", "x", (Text("a\0b"), Json("\0"))), ToolResult(None, "x", (Text("\0"),))),
    )
    sent = json.dumps(history([bad], form), ensure_ascii=False).encode().decode()
    assert "a\ufffdb" in sent
    unescaped = sent.replace("\\\\", "")  # in text that is JSON itself, an escape is text
    assert "\\u0000" not in unescaped
    assert "\0" not in unescaped


@pytest.mark.parametrize(
    ("form", "name", "said"),
    [
        ("openai", "files.read now", "files_read_now"),
        ("openai", "n" * 65, "n" * 64),
        ("openai", "", "unnamed"),
        ("anthropic", "größe", "gr__e"),
        ("anthropic", "n" * 129, "n" * 128),
    ],
)
def test_a_name_that_the_provider_would_refuse_is_spelled_anew(form: str, name: str, said: str) -> None:
    """The model called it, and there is no such tool; the request must go through all the same."""
    message: Any = history([turn(ToolCall(name, {}, id="c"))], form)[0]
    call = message["tool_calls"][0]["function"] if form == "openai" else message["content"][0]
    assert call["name"] == said


def test_a_turn_without_calls_gives_no_message() -> None:
    for form in ("plain", "openai", "anthropic"):
        assert history([HistoryTurn((), ()), PLAIN_TURN, HistoryTurn((), ())], form) == history([PLAIN_TURN], form)


def test_results_that_are_not_those_of_the_calls_are_refused() -> None:
    (call,), (result,) = PLAIN_TURN.calls, PLAIN_TURN.results
    with pytest.raises(ValueError, match="a turn of 2 calls with 1 results: each call has one"):
        HistoryTurn((call, call), (result,))
    with pytest.raises(ValueError, match=r"results\[0\] answers the id 'c1', calls\[0\] has None"):
        HistoryTurn((ToolCall("x"),), (result,))


def test_there_are_three_forms() -> None:
    with pytest.raises(
        ValueError, match="there is no form 'gemini' of histories: it must be one of plain, openai, anth"
    ):
        history([], "gemini")


def test_a_failure_whose_text_is_gone_is_still_one() -> None:
    blocked = ErrorInfo("BlockedError", ErrorCode.BLOCKED, "blocked")
    one = HistoryTurn((ToolCall("x", {}, id="c"),), (ToolResult("c", "x", (), error=blocked),))
    message: Any = history([one], "anthropic")[1]
    assert message["content"][0]["content"] == [{"type": "text", "text": "Error: BLOCKED"}]
