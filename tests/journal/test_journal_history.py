"""A history that can be sent: what a model asked for, answered, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from journal_contract import FORMS, Place, call, every_store, in_memory, journal_at, keep, unbalanced
from trio.testing import MockClock

from trio_tools import CallEvent, RegistryView, Session, ToolCall, ToolContext, ToolResult, open_registry, tool
from trio_tools.journal import Journal, journal_in_memory

Make = Callable[[Path], Place]


@every_store
@pytest.mark.parametrize("form", FORMS)
async def test_after_a_crash_it_can_be_sent_and_is_the_same_each_time_case_b31(
    make: Make, tmp_path: Path, form: str
) -> None:
    """Case B31, L014"""
    a, b, c, late = call("t/0"), call("t/1"), call("t/2"), call("u/0")
    events: list[CallEvent] = [a.accepted(), b.accepted('{"cut'), c.accepted("")]
    events += [b.dispatching(), a.dispatching(), a.settled(), late.accepted({"n": [1, 2.5]})]
    place = make(tmp_path)
    async with place() as store:
        await keep(store, *events)
    written: list[str] = []
    for _ in range(2):
        async with journal_at(place) as journal:
            messages = await journal.history("s", form=form)
            assert unbalanced(messages, form) == []
            written.append(json.dumps(messages))
            assert written[0] == json.dumps(await journal.history(Session("s"), form=form))
    assert written[0] == written[1]
    for one in (a, b, c, late):
        assert f"id-{one.place}".replace("/", "_" if form == "anthropic" else "/") in written[0]


async def test_turns_that_are_under_way_are_not_in_it_yet() -> None:
    first, second, other = call("t/0"), call("t/1"), call("u/0")
    async with journal_at(in_memory(Path())) as journal:
        for event in (first.accepted(), second.accepted(), first.settled(), other.accepted(), other.settled()):
            await journal.record(event)
        assert [message.get("id") for message in await _plain(journal)] == [None, "id-u/0"]
        await journal.record(second.settled())
        assert [message.get("id") for message in await _plain(journal)] == [None, "id-t/0", "id-t/1", None, "id-u/0"]


async def _plain(journal: Journal, session: str = "s") -> list[Any]:
    return list(await journal.history(session))


async def test_what_calls_and_jobs_make_in_their_turn_is_no_part_of_it(autojump_clock: MockClock) -> None:
    """But a sub-agent's own session has the turns that its model asked for."""

    @tool
    async def leaf() -> str:
        return "leaf"

    @tool
    async def asks(context: ToolContext) -> str:
        async def later() -> None:
            await context.execute(ToolCall("leaf", id="by a job"), scope=trio.CancelScope())

        await context.execute(ToolCall("leaf", id="nested"), scope=trio.CancelScope())
        context.start_job(later)
        calls = [ToolCall("leaf", id="sub1"), ToolCall("leaf", id="sub2")]
        await view.execute_turn(calls, scope=trio.CancelScope(), session=Session("sub"))
        return "asked"

    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(leaf)
        view: RegistryView = registry.restricted(allow=["leaf"])
        registry.register(asks)
        journal = registry.require(Journal)
        await registry.execute(ToolCall("asks", id="outer"), scope=trio.CancelScope(), session=Session("s"))
        await trio.sleep(1)
        assert [message.get("id") for message in await _plain(journal)] == [None, "outer"]
        assert [message.get("id") for message in await _plain(journal, "sub")] == [None, "sub1", "sub2"]
        ids = [record.ref.call_id for record in await journal.calls("s")]
        assert sorted(ids, key=str) == ["by a job", "nested", "outer"]
        assert [record.ref.call_id for record in await journal.calls("sub")] == ["sub1", "sub2"]


async def test_arguments_that_the_record_has_not_are_not_told_as_none() -> None:
    """Case B33: what was no JSON, or whose record is damaged."""
    one = call("t/0")
    async with journal_at(in_memory(Path())) as journal:
        for event in (one.accepted(None), one.settled()):
            await journal.record(event)
        (asked, answered) = await _plain(journal)
        anthropic: Any = await journal.history("s", form="anthropic")
    why = "(these arguments were not kept: they are no JSON, or their record is damaged)"
    assert asked == {"calls": [{"id": "id-t/0", "name": "send", "arguments": why}]}
    assert answered["text"] == "done"
    assert anthropic[0]["content"][0]["input"] == {"unreadable_arguments": why}


async def test_another_form_is_refused_and_nobody_has_an_empty_history() -> None:
    async with journal_at(in_memory(Path())) as journal:
        with pytest.raises(ValueError, match="there is no form 'gemini'"):
            await journal.history("s", form="gemini")
        assert await journal.history("nobody's") == []


async def test_results_are_those_that_were_given(autojump_clock: MockClock) -> None:
    """L014: in call order, whatever the order they came in."""
    results: tuple[ToolResult, ...] = ()

    @tool(parallel=True)
    async def nap(seconds: float) -> float:
        await trio.sleep(seconds)
        return seconds

    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(nap)
        calls = [ToolCall("nap", {"seconds": seconds}, id=f"c{seconds}") for seconds in (3, 1, 2)]
        results = await registry.execute_turn(calls, scope=trio.CancelScope(), session=Session("s"))
        (asked, *answers) = await _plain(registry.require(Journal))
    assert [one["id"] for one in asked["calls"]] == ["c3", "c1", "c2"]
    assert [(one["id"], one["value"]) for one in answers] == [(one.call_id, one.value) for one in results]


OUT_OF_BALANCE: list[tuple[str, list[Any]]] = [
    ("openai", [{"role": "assistant", "tool_calls": [{"id": "a"}]}]),
    ("openai", [{"role": "tool", "tool_call_id": "a"}]),
    ("anthropic", [{"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}, {"content": []}]),
    ("plain", [{"calls": [{"id": "a"}, {"id": "b"}]}, {"id": "b"}, {"id": "a"}]),
    ("plain", [{"calls": [{"id": "a"}]}, {"calls": [{"id": "b"}]}, {"id": "a"}, {"id": "b"}]),
]


@pytest.mark.parametrize(("form", "messages"), OUT_OF_BALANCE)
def test_a_history_out_of_balance_would_be_found(form: str, messages: list[Any]) -> None:
    assert unbalanced(messages, form) != []
