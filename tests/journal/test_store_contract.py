"""What every store does, whatever it writes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from journal_contract import Place, call, every_store, keep, seqs, told

from trio_tools import CallEvent, Effect, EffectState, Session
from trio_tools.journal import EffectResolved, JournalError

Make = Callable[[Path], Place]
FAILED, COMMITTED, UNKNOWN = EffectState.FAILED, EffectState.COMMITTED, EffectState.UNKNOWN


@every_store
async def test_what_was_added_is_there_in_its_order_with_its_times(make: Make, tmp_path: Path) -> None:
    """L016"""
    one, other = call("t/0"), call("u/0", session=None)
    events: list[CallEvent] = [
        one.accepted('{"a": "\\ud800 \\u0000"}'),
        one.decided("no"),
        one.dispatching(2),
        one.begun(key="k"),
    ]
    events += [one.ended(COMMITTED, key="k", receipt={"id": [7, None, 0.5]}), one.settled()]
    place = make(tmp_path)
    async with place() as store:
        assert await store.session("s") == []
        await keep(store, *events)
        await keep(store, other.accepted({"to": "Ada 💌"}, {"step": 1}))
        assert await told(store) == [(1_000.0 + second, event) for second, event in enumerate(events)]
    async with place() as store:
        assert await told(store) == [(1_000.0 + second, event) for second, event in enumerate(events)]
        assert await told(store, None) == [(1_000.0, other.accepted({"to": "Ada 💌"}, {"step": 1}))]
        assert await store.session("another") == []
        assert list(store.damage) == []


@every_store
async def test_numbers_grow_from_one_and_go_on_at_the_next_opening(make: Make, tmp_path: Path) -> None:
    place, one = make(tmp_path), call("t/0")
    async with place() as store:
        assert [store.add(1.0, one.accepted()), store.add(1.0, one.decided())] == [1, 2]
        assert seqs(await store.session("s")) == [1, 2], "what is not yet written is there too"
        await store.written(2)
    async with place() as store:
        assert store.add(0.5, one.dispatching()) == 3, "a clock that was set back changes no order"
        assert seqs(await store.session("s")) == [1, 2, 3]


@every_store
async def test_sessions_are_summed_up_by_their_first_calls(make: Make, tmp_path: Path) -> None:
    one, two, nested, of_nobody = call("t/0"), call("t/1"), call("n/0", parent="t/0"), call("u/0", session=None)
    late = call("v/0")
    async with make(tmp_path)() as store:
        assert await store.sessions() == []
        await keep(store, one.accepted(), two.accepted(), of_nobody.accepted(), nested.accepted(), late.accepted())
        await keep(store, nested.settled(), of_nobody.settled(), one.settled(), two.decided())
        (first, second) = await store.sessions()
    assert (first.session, first.first, first.last) == (Session("s", "ada"), 1_000, 1_004)
    assert (first.turns, first.calls, first.unsettled) == (2, 3, 2)
    assert (second.session, second.first, second.last, second.turns, second.calls, second.unsettled) == (
        *(None, 1_002, 1_001),
        *(1, 1, 0),
    )


@every_store
async def test_what_is_unsettled_comes_with_its_whole_turn_and_what_its_calls_made(make: Make, tmp_path: Path) -> None:
    whole = call("whole/0")
    open_one, sibling = call("t/0"), call("t/1")
    nested, innermost = call("n/0", parent="t/0", session="sub"), call("m/0", parent="n/0", session="sub")
    job = call("j/0", parent="whole/0")
    events: list[CallEvent] = [
        whole.accepted(),
        whole.settled(),
        open_one.accepted(),
        sibling.accepted(),
        nested.accepted(),
    ]
    events += [innermost.accepted(), innermost.settled(), nested.settled(), sibling.settled(), job.accepted()]
    async with make(tmp_path)() as store:
        await keep(store, *events)
        found = await store.unsettled()
        assert [entry.event for entry in found] == events[2:]
        await keep(store, open_one.settled(), job.settled())
        assert await store.unsettled() == []


@every_store
async def test_a_call_whose_acceptance_is_lost_is_unsettled_too(make: Make, tmp_path: Path) -> None:
    """Case B31: the others of its entries tell of it, but for a late end of an effect."""
    one, late = call("t/0"), call("u/0")
    place = make(tmp_path)
    for event in (one.decided(), one.dispatching(), one.begun()):
        async with place() as store:
            await keep(store, event, late.ended(COMMITTED))
            assert [entry.event for entry in await store.unsettled()] == [event]
            assert (await store.sessions())[0].unsettled == 1
            await keep(store, one.settled())
            await store.purge("s")


@every_store
async def test_a_key_is_of_one_name_and_tells_all_that_happened_under_it(make: Make, tmp_path: Path) -> None:
    one, other = call("t/0"), call("u/0", session="other")
    decided = EffectResolved(effect=Effect("mail", COMMITTED, 7, key="k"))
    of_key: list[CallEvent] = [one.begun(key="k"), one.ended(UNKNOWN, key="k", error="cut")]
    place = make(tmp_path)
    async with place() as store:
        await keep(store, one.accepted(), *of_key, one.begun("post", key="k"), one.begun("mail", key="l"), one.begun())
        await keep(store, other.accepted(), other.begun("post", key="m"))
        await store.written(store.add(5.0, decided))
        assert [entry.event for entry in await store.keyed("mail", "k")] == [*of_key, decided]
        assert await store.keyed("mail", "m") == []
    async with place() as store:
        assert [entry.event for entry in await store.keyed("mail", "k")] == [*of_key, decided]
        assert decided in [entry.event for entry in await store.session("s")]
        assert decided not in [entry.event for entry in await store.session("other")]


@every_store
async def test_unknown_is_what_began_and_has_no_end_that_is_known(make: Make, tmp_path: Path) -> None:
    one, two = call("t/0"), call("t/1")
    begun = {key: one.begun(key=key) for key in ("running", "cut", "gone", "failed", "decided", "again")}
    async with make(tmp_path)() as store:
        await keep(store, one.accepted(), *begun.values(), one.begun(key=None))
        for key, state in (("cut", UNKNOWN), ("gone", COMMITTED), ("failed", FAILED), ("decided", UNKNOWN)):
            await keep(store, one.ended(state, key=key))
        await keep(store, one.ended(FAILED, key="again"), two.accepted(), two.begun(key="again"))
        await store.written(store.add(5.0, EffectResolved(effect=Effect("mail", FAILED, key="decided"))))
        found = await store.unknown()
    assert [entry.event for entry in found] == [begun["running"], begun["cut"], two.begun(key="again")]


@every_store
async def test_a_session_with_an_unsettled_call_is_not_purged(make: Make, tmp_path: Path) -> None:
    """Not even if it was told of a moment ago."""
    one, two, other = call("t/0"), call("t/1"), call("u/0", session="other")
    async with make(tmp_path)() as store:
        await keep(store, one.accepted(), one.settled(), other.accepted())
        for event, refusal in ((two.accepted(), "1 call of this session is"), (call("v/0").accepted(), "2 calls of")):
            store.add(5.0, event)
            with pytest.raises(JournalError, match=f"{refusal} .*under way: wait"):
                await store.purge("s")
        assert len(await store.session("s")) == 4
        await keep(store, two.settled(), call("v/0").settled())
        assert await store.purge("s") == 3


@every_store
async def test_a_session_is_purged_with_its_keys_but_not_what_is_unknown(make: Make, tmp_path: Path) -> None:
    gone, nested, kept = call("t/0"), call("n/0", parent="t/0"), call("u/0", session="other")
    place = make(tmp_path)
    async with place() as store:
        await keep(store, gone.accepted(), nested.accepted(), kept.accepted(), kept.begun(key="kept"))
        await keep(store, gone.begun(key="sent"), gone.ended(COMMITTED, key="sent"), gone.begun(key="cut"))
        await keep(store, gone.ended(UNKNOWN, key="cut"), nested.settled(), gone.settled())
        assert await store.purge("s") == 2
        assert await store.purge("s") == 0
    async with place() as store:
        assert await store.session("s") == []
        assert [one.session for one in await store.sessions()] == [Session("other", "ada")]
        assert await store.keyed("mail", "sent") == []
        assert [entry.event for entry in await store.keyed("mail", "cut")] == [
            gone.begun(key="cut"),
            gone.ended(UNKNOWN, key="cut"),
        ]
        unknown = {entry.event for entry in await store.unknown()}
        assert unknown == {gone.begun(key="cut"), kept.begun(key="kept")}
