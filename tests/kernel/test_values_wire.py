"""Calls, results and events as JSON and back: equal, versioned, and frozen again."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
import trio
import trio.testing
from intake_tools import ANY_EVENT, CALLS, DATA, EVENTS, FAILURE, SUCCESS, call, document, kind_of, reading, trailed

from trio_tools import ErrorCode, Session, ToolCall, ToolContext, ToolResult, from_json, to_json, tool
from trio_tools.values import FORMAT_VERSION, FrozenDict, FrozenList, freeze


@pytest.mark.parametrize("data", DATA, ids=lambda one: type(one).__name__)
def test_calls_and_results_come_back_equal(data: Any) -> None:
    """D1: through text, and frozen again."""
    back = from_json(kind_of(data), document(data))
    assert back == data
    assert back.__class__ is data.__class__


@pytest.mark.parametrize("event", EVENTS, ids=lambda one: type(one).__name__)
def test_events_come_back_as_what_they_were(event: Any) -> None:
    """D29: read by a store that does not know which comes next."""
    back = from_json(ANY_EVENT, document(event))
    assert back == event
    assert type(back) is type(event)


def test_an_event_can_be_read_as_its_own_kind() -> None:
    """D29: what `to_json` wrote of a kind, `from_json` reads as that kind."""
    assert [event for event in EVENTS if reading(type(event), document(event)) != event] == []


def test_a_document_is_plain_json_with_its_version() -> None:
    """D1: nothing in it but JSON's own types, so that it can be a value, a context or metadata itself."""
    for data in (*DATA, *EVENTS):
        written = to_json(data)
        assert written["version"] == FORMAT_VERSION
        assert json.loads(json.dumps(written, allow_nan=False)) == written
        assert freeze(written) == written


def test_what_comes_back_cannot_be_changed() -> None:
    """R058: frozen in every part, as it was."""
    back = from_json(ToolResult, document(SUCCESS))
    assert isinstance(back.value, FrozenDict)
    assert isinstance(back.value["a"], FrozenList)
    assert isinstance(back.contexts[0], FrozenDict)
    assert isinstance(back.effects[0].receipt, FrozenDict)
    assert (type(back.content), type(back.effects), type(back.contexts)) == (tuple, tuple, tuple)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        back.__setattr__("tool", "other")
    assert isinstance(from_json(ToolCall, document(CALLS[0])).metadata, FrozenDict)
    assert from_json(ToolResult, document(FAILURE)).code == ErrorCode.ABORTED


def test_no_member_of_the_original_is_shared_with_a_document() -> None:
    """R058: a document that is changed changes nothing."""
    written: Any = to_json(FAILURE)
    written["content"][0]["text"] = "changed"
    written["error"]["code"] = "OTHER"
    assert (FAILURE.text, FAILURE.code) == ("Error: tool call aborted", ErrorCode.ABORTED)


def test_a_call_whose_arguments_are_no_json_is_not_written() -> None:
    """R005: an error, rather than a document that is no JSON."""
    with pytest.raises(ValueError, match="not JSON"):
        to_json(ToolCall("work", {"a": object()}))


async def test_what_really_happens_can_be_written_and_read(autojump_clock: trio.testing.MockClock) -> None:
    """D1, D29: every event and result of a call, as they come."""

    @tool(timeout=1)
    async def work(context: ToolContext, seconds: float) -> list[float]:
        context.defer_context({"slept": seconds})
        await trio.sleep(seconds)
        return [seconds]

    async with trailed(work) as (registry, trail):
        registry.add_recorder(trail.record)
        for arguments in ({"seconds": 0.5}, {"seconds": 5}, '{"seconds": ', {"seconds": "x"}):
            await call(registry, "work", arguments, session=Session("s"), id="c1")
    assert len(trail.events) == 4 + 4 + 2 + 2
    assert [from_json(ANY_EVENT, document(event)) for event in trail.events] == trail.events
    assert [from_json(ToolResult, document(result)) for result in trail.results] == trail.results
