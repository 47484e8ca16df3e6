"""A record of which entries are lost, and a crash: what is said of the calls is no more than is known."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from journal_contract import Made, call, keep

from trio_tools import CallEvent, Cause, Effect, EffectState, ErrorCode, JSONValue
from trio_tools.journal import CallRecord, Damage, open_journal
from trio_tools.journal._file import open_file
from trio_tools.journal._fold import Fold, in_call_order
from trio_tools.journal._memory import MemoryStore
from trio_tools.journal._recover import recover

COMMITTED, UNKNOWN = EffectState.COMMITTED, EffectState.UNKNOWN
BEFORE, RAN = ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED


class Damaged(MemoryStore):
    """A store that has lost something."""

    @property
    def damage(self) -> Sequence[Damage]:
        return (Damage(place="entry 3", problem="its checksum differs"),)


async def left_of(events: Sequence[CallEvent], *, store: MemoryStore) -> list[CallRecord]:
    """What the books say after recovery."""
    await keep(store, *events)
    await recover(store, 2_000.0)
    return in_call_order(Fold(await store.session("s")))


def whole(one: Made) -> list[CallEvent]:
    """All that is told of a call that makes one effect."""
    sent = one.ended(COMMITTED, key="k", receipt=7)
    begun: list[CallEvent] = [one.accepted(), one.decided(), one.dispatching(), one.begun(key="k")]
    return [*begun, sent, one.settled(effects=(sent.effect,))]


@pytest.mark.parametrize("lost", [places for size in (1, 2, 3) for places in itertools.combinations(range(6), size)])
async def test_whatever_is_lost_of_a_call_nothing_untrue_is_said_of_it_case_b31(lost: tuple[int, ...]) -> None:
    """Case B31: never that its body did not run, never that what went through did not; and its sibling is as it was."""
    one, other = call("t/0"), call("t/1")
    events = [event for place, event in enumerate(whole(one)) if place not in lost]
    first, second = await left_of([*events, other.accepted(), other.settled()], store=Damaged())
    assert second.result == other.settled().result
    assert first.result is not None
    if 5 not in lost:
        assert first.result == one.settled(effects=first.result.effects).result, "what was settled stands"
    elif first.result.code is not None:
        assert (first.result.code, first.result.cause, first.result.dispatched) == (RAN, Cause.CRASH, True)
    states = {effect.state for effect in first.result.effects} | {known.effect.state for known in first.effects}
    if {4, 5} <= set(lost):
        assert states <= {UNKNOWN}
    elif not {3, 4} <= set(lost):
        assert states == {COMMITTED}


async def test_an_end_that_only_the_result_tells_is_told() -> None:
    one = call("t/0")
    events = [event for event in whole(one) if event != one.ended(COMMITTED, key="k", receipt=7)]
    (record,) = await left_of(events, store=Damaged())
    assert [(known.effect, known.ended) for known in record.effects] == [(Effect("mail", COMMITTED, 7, key="k"), None)]


async def test_that_a_body_did_not_run_is_said_only_where_every_entry_can_be_read() -> None:
    queued, denied = call("t/0"), call("t/1")
    events: list[CallEvent] = [queued.accepted(), denied.accepted(), denied.decided("no")]
    sound = await left_of(events, store=MemoryStore())
    assert [one.result and (one.result.code, one.result.dispatched) for one in sound] == [(BEFORE, False)] * 2
    damaged = await left_of(events, store=Damaged())
    assert [one.result and (one.result.code, one.result.dispatched) for one in damaged] == [
        (RAN, True),
        (BEFORE, False),
    ]


async def test_what_was_lost_before_a_call_came_says_nothing_of_it() -> None:
    """Case B31: or one bad entry would have every later crash told as worse than it was, for ever."""
    before, queued = call("t/0"), call("u/0")
    events: list[CallEvent] = [before.accepted(), before.dispatching(), queued.accepted()]
    first, second = await left_of([*events[:2], events[0], *events[2:]], store=Damaged())
    assert [one.result and one.result.code for one in (first, second)] == [RAN, BEFORE]


@pytest.mark.parametrize("place", ["the file calls.db", "the log calls.db-wal", "entry x"])
def test_damage_to_more_than_an_entry_is_of_no_number(place: str) -> None:
    assert Damage(place=place, problem="").entry is None


async def test_a_call_that_has_effects_has_run_whatever_else_is_lost() -> None:
    one = call("t/0")
    (record,) = await left_of([one.accepted(), one.begun()], store=MemoryStore())
    assert record.result is not None
    assert (record.result.code, record.result.dispatched) == (RAN, True)


KINDS = ("accepted", "decided", "dispatching", "effectbegun", "effectended", "settled")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_damaged_entry_in_a_file_costs_no_other_call_anything(kind: str, tmp_path: Path) -> None:
    """Case B31, on a real file: it is reported, and the next opening says the same."""
    path, one, other = tmp_path / "calls.db", call("t/0"), call("t/1")
    async with open_file(path, max_age=None, max_bytes=None) as store:
        await keep(store, one.accepted(), other.accepted(), *whole(one)[1:], other.dispatching(), other.settled())
    with closing(sqlite3.connect(path)) as database, database:
        first = f"SELECT min(seq) FROM entries WHERE kind = '{kind}'"
        database.execute(f"UPDATE entries SET body = body || ' ' WHERE seq = ({first})")
    told = [await _all_of(path) for _ in range(2)]
    assert told[0] == told[1]
    (first_call, second_call), effect, damage, _ = told[0]
    assert len(damage) == 1
    assert second_call.result == other.settled().result
    assert effect is not None, "it is not done again"
    assert effect.state is (EffectState.BEGUN if kind == "effectended" else COMMITTED)
    assert first_call.result is not None
    assert first_call.result.cause is (Cause.CRASH if kind == "settled" else None)
    assert (first_call.arguments is None) == (kind == "accepted")


async def _all_of(
    path: Path,
) -> tuple[tuple[CallRecord, ...], Effect | None, Sequence[Damage], list[JSONValue]]:
    """Calls, what is known of the key, damage and history, at one more opening."""
    async with open_journal(path) as journal:
        return await journal.calls("s"), await journal.effect("mail", "k"), journal.damage, await journal.history("s")


async def test_a_key_whose_end_is_damaged_waits_for_a_decision(tmp_path: Path) -> None:
    path, one = tmp_path / "calls.db", call("t/0")
    async with open_file(path, max_age=None, max_bytes=None) as store:
        await keep(store, *whole(one))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE entries SET body = '{' WHERE kind = 'effectended'")
    async with open_journal(path) as journal:
        (waits,) = await journal.unknown()
        await journal.resolve(waits.name, waits.key, committed=True, receipt=8)
        assert await journal.effect("mail", "k") == Effect("mail", COMMITTED, 8, key="k")
        (record,) = await journal.calls("s")
    assert [known.effect.receipt for known in record.effects] == [7], "what the result tells was seen"


async def test_a_recovery_of_which_only_the_beginning_is_in_the_file_is_finished_by_the_next(tmp_path: Path) -> None:
    """Case B31: the process was killed as it closed the books of the one before, wherever that was."""
    outer, nested, queued = call("t/0"), call("n/0", parent="t/0"), call("t/1")
    events: list[CallEvent] = [outer.accepted(), queued.accepted(), outer.dispatching(), outer.begun(key="k")]
    events += [nested.accepted(), nested.dispatching(), nested.begun("bill")]
    closing_them = 5  # two ends of effects, three results
    for cut in range(closing_them + 1):
        path = tmp_path / f"{cut}.db"
        async with open_file(path, max_age=None, max_bytes=None) as store:
            await keep(store, *events)
        whole_of_it, *_ = await _all_of(path)
        with closing(sqlite3.connect(path)) as database, database:
            (last,) = database.execute("SELECT max(seq) FROM entries").fetchone()
            assert last == len(events) + closing_them
            database.execute("DELETE FROM entries WHERE seq > ?", (last - cut,))
        again, effect, damage, _ = await _all_of(path)
        assert [(one.ref, one.result, [known.effect for known in one.effects]) for one in again] == [
            (one.ref, one.result, [known.effect for known in one.effects]) for one in whole_of_it
        ]
        assert (effect is not None and effect.state, damage) == (UNKNOWN, ())
        with closing(sqlite3.connect(path)) as database:
            (count,) = database.execute("SELECT count(*) FROM entries").fetchone()
        assert count == last, "nothing twice"
