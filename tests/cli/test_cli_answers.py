"""Answers in the form of their turn: each as soon as that form lets it go, and nothing of ours among a provider's."""

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from test_cli_turns import GOOD, SLOW, both, file, pipe, ran
from trio.testing import MockClock

from trio_tools import JSONValue, ToolCall, ToolResult
from trio_tools.cli import _lines
from trio_tools.cli._answers import answers
from trio_tools.formats import anthropic_assistant_message, openai_assistant_message


def result(number: int) -> ToolResult:
    return ToolResult(str(number), "x", ())


def calls(*ids: str, name: str = "fast") -> list[ToolCall]:
    return [ToolCall(name, "{}", id=one) for one in ids]


def openai(*ids: str, name: str = "fast") -> str:
    return json.dumps(openai_assistant_message(calls(*ids, name=name)))


def anthropic(*ids: str, name: str = "fast") -> str:
    return json.dumps(anthropic_assistant_message(calls(*ids, name=name)))


def tool_message(own_id: str, content: str = "done") -> object:
    return {"role": "tool", "tool_call_id": own_id, "content": content}


def user_message(*ids: str) -> object:
    content = [{"type": "text", "text": "done"}]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": one, "content": content} for one in ids],
    }


ORDERS = list(itertools.permutations(range(4)))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("form", "key"), [(None, "position"), ("plain", "position"), ("openai", "tool_call_id")])
def test_each_result_goes_as_soon_as_those_before_it_have(form: str | None, key: str, order: tuple[int, ...]) -> None:
    """L006: whatever the order in which calls settle."""
    put: list[Mapping[str, JSONValue]] = []
    answering = answers(form, 7, put.append)
    for count, position in enumerate(order, 1):
        answering.settled(position, result(position))
        expected = list(itertools.takewhile(set(order[:count]).__contains__, range(4)))
        assert [int(str(one[key])) for one in put] == expected
    answering.ended([result(position) for position in range(4)])
    assert len(put) == 4


@pytest.mark.parametrize("order", ORDERS)
def test_anthropic_is_answered_once_when_all_have_settled(order: Sequence[int]) -> None:
    put: list[Mapping[str, JSONValue]] = []
    answering = answers("anthropic", 7, put.append)
    for position in order:
        answering.settled(position, result(position))
    assert put == []
    answering.ended([result(position) for position in range(4)])
    blocks = [{"type": "tool_result", "tool_use_id": str(position)} for position in range(4)]
    assert put == [{"role": "user", "content": blocks}]


async def test_each_line_is_answered_in_its_own_form(tmp_path: Path) -> None:
    """Our own fields are in the plain form alone."""
    found = await ran(file(tmp_path, openai("b", "a"), anthropic("d", "c"), GOOD, openai("e")), tmp_path)
    assert found.status == 0
    first, second, third, *plain, last = found.documents
    assert [first, second, third, last] == [
        tool_message("b"),
        tool_message("a"),
        user_message("d", "c"),
        tool_message("e"),
    ]
    assert [(one["turn"], one["position"]) for one in plain] == [(3, 0), (3, 1)]


async def test_what_an_agent_keeps_of_a_conversation_may_stand_between(tmp_path: Path) -> None:
    """Messages without calls are let pass, and a turn without calls is answered by nothing, in no form."""
    rest: list[dict[str, object]] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
        {"role": "assistant", "content": "hi", "tool_calls": None},
        {"type": "message", "role": "assistant", "content": []},
    ]
    lines = [line for one in rest for line in (json.dumps(one), anthropic("a"))]
    found = await ran(file(tmp_path, *lines), tmp_path)
    assert found.status == 0
    assert found.documents == [user_message("a")] * len(rest)


BROKEN = '{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": 1}}]}'


async def test_a_broken_line_in_a_providers_form_is_told_of_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = file(tmp_path, BROKEN, openai("a"), "{", '{"calls": 1}', BROKEN.replace("1", '"\\u001b[31m", "x": 2'))
    found = await ran(source, tmp_path)
    assert found.status == 2
    assert found.documents == [
        tool_message("a"),
        {"line": 3, "error": "not JSON: Expecting property name enclosed in double quotes at character 1"},
        {"line": 4, "error": "calls must be an array, not a number"},
    ]
    assert capsys.readouterr().err.splitlines() == [
        "trio-tools: line 1: tool_calls[0].function.name must be a string, not a number",
        "trio-tools: line 5: tool_calls[0].function has no arguments",
    ]


@pytest.mark.parametrize(("form", "good"), [("openai", openai("a")), ("anthropic", anthropic("a"))])
async def test_where_a_providers_form_is_wanted_no_line_of_ours_is_written(
    form: str, good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_lines, "MAX_LINE_BYTES", 1_000)
    bad: list[str | bytes] = ["x", b"\xff", "x" * 1_001, GOOD, '{"role": "\\u001b]0;x\\u0007"}', BROKEN[:-1]]
    found = await ran(file(tmp_path, *bad, good), tmp_path, form=form)
    assert found.status == 2
    assert found.documents == [tool_message("a") if form == "openai" else user_message("a")]
    told = capsys.readouterr().err
    assert [line.split(": ")[1] for line in told.splitlines()] == [f"line {one}" for one in range(1, 7)]
    assert f"line 4: a turn in the form plain, where {form} is wanted" in told
    assert "\x1b" not in told


async def test_where_the_plain_form_is_wanted_all_is_said_on_the_spot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = await ran(file(tmp_path, GOOD, openai("a"), GOOD), tmp_path, form="plain")
    assert found.status == 2
    assert found.short == [*both(1), "line 2", *both(3)]
    assert found.documents[2]["error"] == "a turn in the form openai, where plain is wanted"
    assert capsys.readouterr().err == ""


async def test_a_turn_that_is_cut_is_answered_whole(tmp_path: Path, mock_clock: MockClock) -> None:
    """L012, L014: in Anthropic's form too, where there is one message for all."""
    for source in (file(tmp_path, anthropic("a", "b", name="slow")), pipe(anthropic("a", "b", name="slow"))):
        found = await ran(source, tmp_path, slowly=lambda stop: stop.end(130, "Ctrl-C"))
        assert found.status == 130
        (message,) = found.documents
        assert [(one["tool_use_id"], one["is_error"]) for one in message["content"]] == [("a", True), ("b", True)]
        assert [one["content"][0]["text"] for one in message["content"]] == [
            "Error: tool call aborted",
            "Error: tool call aborted before dispatch",
        ]


async def test_the_time_ends_a_providers_lines_as_it_does_ours(tmp_path: Path, mock_clock: MockClock) -> None:
    source = file(tmp_path, SLOW, openai("a"), anthropic("b"))
    found = await ran(source, tmp_path, deadline=10, slowly=lambda _: mock_clock.jump(10))
    never = "Error: tool call aborted before dispatch"
    assert found.documents[2] == tool_message("a", never)
    block = {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": never}], "is_error": True}
    assert found.documents[3] == {"role": "user", "content": [block]}
