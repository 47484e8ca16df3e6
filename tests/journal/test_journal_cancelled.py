"""Cancels and a slow writer: as many results as calls, in order, where they survive."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock

from trio_tools import (
    CallRef,
    CallSettled,
    Cause,
    ErrorCode,
    Registry,
    Session,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.journal import Journal, JournalError, JournalEvent
from trio_tools.journal._memory import MemoryStore

BEFORE, RAN = ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED
# Seconds on the virtual clock that a write takes, and that a body does.
WRITE, WORK = 2.0, 1.0


class SlowStore(MemoryStore):
    """Each wait for a write takes a while, in which others gather; what is `on_disk` is what was waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.on_disk = 0
        self.waits: list[tuple[float, int]] = []

    async def written(self, added: int) -> None:
        self.waits.append((trio.current_time(), added))
        await trio.sleep(WRITE)
        self.on_disk = max(self.on_disk, added)

    async def settled(self) -> list[ToolResult]:
        """The results that are on disk, in call order within their turns."""
        entries = [one for one in await self.session("s") if one.seq <= self.on_disk]
        found = [one.event for one in entries if isinstance(one.event, CallSettled)]
        return [one.result for one in sorted(found, key=lambda one: one.ref.position)]


@tool
async def work(label: str) -> str:
    await trio.sleep(WORK)
    return label


@asynccontextmanager
async def slow_registry(recorder_grace: float = 5) -> AsyncGenerator[tuple[Registry, SlowStore]]:
    store = SlowStore()
    async with open_registry(max_parallel_calls=1, recorder_grace=recorder_grace) as registry:
        registry.register(work)
        registry.add_recorder(Journal(store).record)
        yield registry, store


CALLS = [ToolCall("work", {"label": one}, id=one) for one in "abc"]
# Of each call: its dispatching is written (2 s), it works (1 s), its result is written (2 s).
MOMENTS = {
    "before the first starts": (-1.0, [BEFORE, BEFORE, BEFORE]),
    "while its dispatching is written": (1.0, [BEFORE, BEFORE, BEFORE]),
    "during the first": (2.5, [RAN, BEFORE, BEFORE]),
    "while its result is written": (4.0, [None, BEFORE, BEFORE]),
    "between first and second": (5.0, [None, BEFORE, BEFORE]),
    "while the result of the second is written": (9.0, [None, None, BEFORE]),
}


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_cancelled_turn_has_all_its_results_on_a_slow_disk_case_b36(
    moment: str, twice: bool, autojump_clock: MockClock
) -> None:
    """Case B36, L014, M023: and a fresh turn can follow at once."""
    seconds, wanted = MOMENTS[moment]
    scope = trio.CancelScope()
    async with slow_registry() as (registry, store):

        async def cancel() -> None:
            await trio.sleep(seconds)
            scope.cancel()
            if twice:
                await trio.sleep(0.5)
                scope.cancel()

        async with trio.open_nursery() as nursery:
            if seconds < 0:
                scope.cancel()
            else:
                nursery.start_soon(cancel)
            results = await registry.execute_turn(CALLS, scope=scope, session=Session("s"))
        assert await store.settled() == list(results), "when the turn has come back"
        fresh = await registry.execute(CALLS[0], scope=trio.CancelScope(), session=Session("s"))
        records = await Journal(store).calls("s")
    assert [one.code for one in results] == wanted
    assert [one.call_id for one in results] == ["a", "b", "c"]
    assert (fresh.code, [one.result for one in records]) == (None, [*results, fresh])
    given_up = [one for one in records if one.result is not None and one.result.is_error]
    assert {one.cause for one in given_up} <= {Cause.CALLER}
    assert [round(one.cancelled - records[0].accepted, 3) for one in given_up if one.cancelled is not None] == [
        max(seconds, 0.0) for _ in given_up
    ]


async def test_only_what_something_hangs_on_is_waited_for(autojump_clock: MockClock) -> None:
    """L016: a body, an effect, a result; not an acceptance, a decision, or the body of a tool that only reads."""

    @tool(read_only=True)
    async def look() -> str:
        return "seen"

    async with slow_registry() as (registry, store):
        registry.register(look)
        began = trio.current_time()
        await registry.execute(ToolCall("look"), scope=trio.CancelScope())
        assert store.waits == [(began, 4)]
        await registry.execute(CALLS[0], scope=trio.CancelScope())
        assert store.waits[1:] == [(began + WRITE, 7), (began + 2 * WRITE + WORK, 8)]


class BrokenStore(MemoryStore):
    """A store whose disk fails once `broken` says how."""

    def __init__(self) -> None:
        super().__init__()
        self.broken: str | None = None

    def add(self, time: float, event: JournalEvent) -> int:
        if self.broken == "at once":
            raise JournalError("journal.db: no space is left: free some and start again")
        return super().add(time, event)

    async def written(self, added: int) -> None:
        if self.broken == "when written":
            raise JournalError("journal.db: no space is left: free some and start again")
        if self.broken == "never":
            await trio.sleep_forever()


WORDS = "journal.db: no space is left: free some and start again"


@pytest.mark.parametrize("how", ["at once", "when written", "never"])
async def test_a_failing_disk_refuses_new_calls_and_takes_no_result(how: str, autojump_clock: MockClock) -> None:
    """Case B36, R094: what runs keeps its result, nothing waits for ever, and it is said what is wrong."""
    store, bodies = BrokenStore(), list[str]()

    @tool
    async def run(label: str) -> str:
        bodies.append(label)
        await trio.sleep(1)
        store.broken = how
        return label

    async with open_registry(recorder_grace=3) as registry:
        registry.register(run)
        registry.add_recorder(Journal(store).record)
        running = await registry.execute(ToolCall("run", {"label": "a"}), scope=trio.CancelScope())
        refused = await registry.execute(ToolCall("run", {"label": "b"}), scope=trio.CancelScope())
    assert (running.code, running.value, bodies) == (None, "a", ["a"])
    assert refused.code == ErrorCode.RECORD_FAILED
    assert ("took longer than 3 s" if how == "never" else WORDS) in refused.text


@pytest.mark.parametrize("how", ["at once", "when written"])
async def test_a_call_that_cannot_be_recorded_says_why_it_does_not_run(how: str) -> None:
    store = BrokenStore()
    store.broken = how
    async with open_registry() as registry:
        registry.register(work)
        registry.add_recorder(Journal(store).record)
        refused = await registry.execute(ToolCall("work", {"label": "a"}), scope=trio.CancelScope())
    assert (refused.code, refused.dispatched) == (ErrorCode.RECORD_FAILED, False)
    assert refused.text == f"Error: the call could not be recorded: JournalError: {WORDS}"


async def test_a_record_holds_what_was_asked_and_what_came_of_it(autojump_clock: MockClock) -> None:
    """L016: turn, position, the model's own id, name and raw text; and of the result all that it is."""
    async with slow_registry() as (registry, store):
        raw = ToolCall("work", ' {"label": "x"}', id="call_1", metadata={"step": 3})
        (result,) = await registry.execute_turn([raw], scope=trio.CancelScope(), session=Session("s", "ada"))
        (record,) = await Journal(store).calls(Session("s"))
    ref = record.ref
    assert ref == CallRef(
        turn=ref.turn,
        position=0,
        call_id="call_1",
        tool="work",
        session=Session("s", "ada"),
        parent=None,
        root=f"{ref.turn}/0",
    )
    assert (record.arguments, record.metadata, record.result) == (' {"label": "x"}', {"step": 3}, result)
