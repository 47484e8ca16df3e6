"""A turn that is ended at its steps in every way: whatever happens, its record says what its results say."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from functools import cache

import attrs
import trio

from trio_tools import CallEvent, Registry, ToolCall, ToolContext, plugin, tool
from trio_tools.journal import Journal
from trio_tools.journal._memory import MemoryStore
from trio_tools.testing import Run, explore_turn


@attrs.frozen
class Nothing:
    """There is nothing to configure."""


@plugin("books", config=Nothing)
@asynccontextmanager
async def books(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
    @cache
    def journal() -> Journal:
        return Journal(registry.require(MemoryStore))  # services of a run come after its plugins

    def record(event: CallEvent) -> Awaitable[None] | None:
        return journal().record(event)

    with registry.add_recorder(record):
        yield


async def _send() -> str:
    await trio.sleep(1)
    return "sent"


@tool
async def mails(context: ToolContext, to: str) -> str:
    await trio.sleep(1)
    await context.irreversible("mail", _send)
    await trio.sleep(1)
    return to


@tool(parallel=True)
async def asks(context: ToolContext) -> str:
    result = await context.execute(ToolCall("mails", {"to": "bob"}, id="nested"), scope=trio.CancelScope())
    return result.text


@tool(read_only=True)
async def looks() -> str:
    await trio.sleep(1)
    return "seen"


async def agrees(run: Run) -> None:
    """The record and the results of a run are the same."""
    records = await Journal(run.service(MemoryStore)).calls(None)
    own = [one for one in records if one.ref.parent is None]
    assert [one.result for one in own] == list(run.results)
    for one in records:
        assert one.settled is not None
        assert one.result is not None
        # the last look comes behind the record of what is about to happen
        assert one.dispatched or not one.result.dispatched
        assert one.accepted <= one.settled
        assert (one.cancelled is None) == (one.cause is None)
        if one.result.cause is not None:  # the record's may be another: of a caller who cancelled after the budget
            assert one.cause is not None
        told = [effect for effect in one.result.effects if effect.call is None]
        assert [known.effect for known in one.effects] == told
        assert all(known.ended is not None for known in one.effects)


def test_whenever_a_turn_is_ended_its_record_agrees_with_its_results() -> None:
    """L014, L016, M022"""
    calls = [ToolCall("asks", id="1"), ToolCall("looks", id="2"), ToolCall("mails", {"to": "ada"}, id="3")]
    explore_turn(
        [asks, looks, mails], calls, plugins=[books], services={MemoryStore: MemoryStore}, check=agrees, runs=120
    )
