"""Closing the books on what a process has left: once, truthfully, and without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import trio
from journal_contract import Place, call, every_store, journal_at, keep, told
from trio.testing import MockClock

from trio_tools import (
    CallAccepted,
    CallEvent,
    CallSettled,
    Cause,
    Effect,
    EffectState,
    ErrorCode,
    Session,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.journal import CallRecord, EffectResolved, Journal, JournalError, JournalEvent
from trio_tools.journal._memory import MemoryStore
from trio_tools.journal._open import opened
from trio_tools.journal._recover import recover

Make = Callable[[Path], Place]
COMMITTED, UNKNOWN = EffectState.COMMITTED, EffectState.UNKNOWN
BEFORE, RAN = ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED


async def after_a_crash(place: Place, *events: CallEvent, session: str = "s") -> tuple[CallRecord, ...]:
    """What the journal says of a session of which this much had been written."""
    async with place() as store:
        await keep(store, *events)
    async with journal_at(place) as journal:
        return await journal.calls(session)


def ends(records: Iterable[CallRecord]) -> list[tuple[str | None, str | None]]:
    """The code and the cause of each; None is a success."""
    return [
        (None if one.result is None or one.result.code is None else str(one.result.code), one.cause and one.cause.value)
        for one in records
    ]


@every_store
async def test_a_crash_leaves_each_call_with_the_result_that_is_true_case_b31(make: Make, tmp_path: Path) -> None:
    """Case B31: A had returned, B was in its body, C was queued."""
    a, b, c = call("t/0"), call("t/1"), call("t/2")
    events: list[CallEvent] = [a.accepted(), b.accepted(), c.accepted(), a.dispatching(), b.dispatching(), a.settled()]
    records = await after_a_crash(make(tmp_path), *events)
    assert ends(records) == [(None, None), (RAN, "crash"), (BEFORE, "crash")]
    results = [one.result for one in records if one.result is not None]
    assert [one.text for one in results] == [
        "done",
        "Error: tool call aborted\n"
        "The process that ran it ended. How far it got is not known: check before you repeat it.",
        "Error: tool call aborted before dispatch",
    ]
    assert [one.dispatched for one in results] == [True, True, False]
    assert [one.call_id for one in results] == ["id-t/0", "id-t/1", "id-t/2"]


@every_store
async def test_effects_that_went_through_are_told_and_those_cut_are_unknown(make: Make, tmp_path: Path) -> None:
    """Case B31, M023"""
    one = call("t/0")
    gone = one.ended(COMMITTED, "mail", receipt={"id": 7})
    events: list[CallEvent] = [one.accepted(), one.dispatching(), one.begun("mail"), gone, one.begun("bill", key="k")]
    (record,) = await after_a_crash(make(tmp_path), *events)
    assert record.result is not None
    cut = Effect("bill", UNKNOWN, error="the process that did it ended in the middle of it", key="k")
    assert record.result.effects == (gone.effect, cut)
    assert tuple(known.effect for known in record.effects) == (gone.effect, cut)
    assert [known.ended is not None for known in record.effects] == [True, False], "closing the books is not its end"
    assert record.result.text.splitlines()[2:] == [
        'Went through, do not repeat: mail (receipt {"id":7})',
        "May have gone through, check before you repeat: bill",
    ]


@every_store
async def test_what_nested_calls_did_is_told_by_the_calls_round_them(make: Make, tmp_path: Path) -> None:
    """M023: as when nothing crashes, an effect's `call` says which one made it."""
    outer, middle, inner = call("t/0"), call("m/0", parent="t/0"), call("i/0", parent="m/0")
    done = call("d/0", parent="t/0")
    sent = done.ended(COMMITTED, "sent")
    events: list[CallEvent] = [outer.accepted(), outer.dispatching(), outer.begun("own"), outer.ended(COMMITTED, "own")]
    events += [done.accepted(), done.begun("sent"), sent, done.settled(effects=(sent.effect,))]
    events += [middle.accepted(), middle.dispatching(), inner.accepted(), inner.dispatching(), inner.begun("cut")]
    records = await after_a_crash(make(tmp_path), *events)
    assert [one.ref.turn for one in records] == ["t", "d", "m", "i"]
    named = [[(one.name, one.state, one.call) for one in record.result.effects] for record in records if record.result]
    cut = ("cut", UNKNOWN, "i/0")
    assert named == [
        [("own", COMMITTED, None), ("sent", COMMITTED, "d/0"), cut],
        [("sent", COMMITTED, None)],
        [cut],
        [("cut", UNKNOWN, None)],
    ]
    assert [one.effect.name for one in records[0].effects] == ["own"], "a record tells a call's own effects"


@every_store
async def test_a_job_that_outlived_its_call_is_settled_and_changes_nothing_of_it(make: Make, tmp_path: Path) -> None:
    starter, job = call("t/0"), call("j/0", parent="t/0")
    events: list[CallEvent] = [
        starter.accepted(),
        starter.settled(),
        job.accepted(),
        job.dispatching(),
        job.begun("cut"),
    ]
    records = await after_a_crash(make(tmp_path), *events)
    assert ends(records) == [(None, None), (RAN, "crash")]
    assert records[0].result == starter.settled().result


@every_store
async def test_opening_again_adds_nothing_case_b31(make: Make, tmp_path: Path) -> None:
    """Case B31"""
    one, two = call("t/0"), call("t/1")
    place = make(tmp_path)
    await after_a_crash(place, one.accepted(), two.accepted(), one.dispatching(), one.begun(key="k"))
    async with place() as store:
        first = await told(store)
    for _ in range(2):
        async with journal_at(place) as journal:
            assert len(await journal.calls("s")) == 2
    async with place() as store:
        assert await told(store) == first
        assert len(first) == 4 + 3, "an end of the effect, and two results"


async def _done(context: ToolContext) -> str:
    return "A-done"


async def _appends(context: ToolContext) -> str:
    async def append() -> int:
        await trio.sleep(1)
        return 1

    await context.irreversible("append", append)
    inner = await context.execute(ToolCall("done", id="nested"), scope=trio.CancelScope())
    await trio.sleep(1)
    return inner.text


async def _told() -> list[CallEvent]:
    store = MemoryStore()
    async with open_registry(max_parallel_calls=2) as registry:
        registry.register(tool(name="done", parallel=True)(_done))
        registry.register(tool(name="appends", parallel=True)(_appends))
        registry.add_recorder(Journal(store).record)
        calls = [ToolCall("done", id="A"), ToolCall("appends", id="B"), ToolCall("appends", id="C")]
        await registry.execute_turn(calls, scope=trio.CancelScope(), session=Session("s"))
    return [one.event for one in await store.session("s") if not isinstance(one.event, EffectResolved)]


@pytest.fixture(scope="module")
def story() -> list[CallEvent]:
    """What is told of the turn of case B31 if nothing ends it."""
    return trio.run(_told, clock=MockClock(autojump_threshold=0))


@every_store
async def test_wherever_the_record_ends_it_is_balanced_at_the_next_opening_case_b31(
    make: Make, tmp_path: Path, story: list[CallEvent]
) -> None:
    """Case B31, L014: as many results as calls, none that was written is changed, and opening twice adds nothing."""
    assert len(story) > 20
    for length in range(len(story) + 1):
        (tmp_path / str(length)).mkdir()
        place, events = make(tmp_path / str(length)), story[:length]
        records = await after_a_crash(place, *events)
        accepted = [event for event in events if isinstance(event, CallAccepted)]
        settled = {(one.ref.turn, one.ref.position): one.result for one in events if isinstance(one, CallSettled)}
        assert len(records) == len(accepted)
        for record in records:
            assert record.result is not None
            assert record.settled is not None
            was = settled.get((record.ref.turn, record.ref.position))
            assert record.result == was if was is not None else record.result.cause is Cause.CRASH
            begun = [one for one in record.effects if one.effect.state is EffectState.BEGUN]
            assert begun == []
        async with journal_at(place) as journal:
            assert await journal.calls("s") == records


class Breaking(MemoryStore):
    """A store whose disk is full after so many more entries."""

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None

    def add(self, time: float, event: JournalEvent) -> int:
        if self.left == 0:
            raise JournalError("the disk is full")
        self.left = None if self.left is None else self.left - 1
        return super().add(time, event)


async def results_in(store: MemoryStore) -> list[ToolResult]:
    return [one.event.result for one in await store.session("s") if isinstance(one.event, CallSettled)]


@pytest.mark.parametrize("left", range(5))
async def test_a_recovery_that_breaks_off_is_made_good_by_the_next(left: int) -> None:
    one, two, nested = call("t/0"), call("t/1"), call("n/0", parent="t/0")
    events: list[CallEvent] = [
        one.accepted(),
        two.accepted(),
        one.dispatching(),
        nested.accepted(),
        nested.dispatching(),
    ]
    events += [nested.begun(key="k")]
    sound, broken = MemoryStore(), Breaking()
    for store in (sound, broken):
        await keep(store, *events)
    await recover(sound, 2_000.0)
    broken.left = left
    if left < 4:
        with pytest.raises(JournalError, match="disk is full"):
            await recover(broken, 2_000.0)
    broken.left = None
    await recover(broken, 2_000.0)
    first, second = await results_in(sound), await results_in(broken)
    assert first == second
    assert len(first) == 3


class Unwritable(MemoryStore):
    """A store that takes entries, and cannot write them."""

    async def written(self, added: int) -> None:
        raise JournalError("the disk is full")


async def test_no_journal_opens_whose_books_could_not_be_closed() -> None:
    """Or what it says of a call would be another thing after the next crash."""
    store = Unwritable()
    store.add(1_000.0, call("t/0").accepted())
    with pytest.raises(JournalError, match="disk is full"):
        await opened(store)
