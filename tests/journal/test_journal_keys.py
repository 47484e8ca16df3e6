"""Idempotency keys: what is known of one, and what somebody decides of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from journal_contract import Place, call, every_store, journal_at, keep, recorded

from trio_tools import CallEvent, Effect, EffectState, NotJSON
from trio_tools.journal import Journal, JournalError, UnknownEffect

Make = Callable[[Path], Place]
BEGUN, COMMITTED, FAILED, UNKNOWN = EffectState.BEGUN, EffectState.COMMITTED, EffectState.FAILED, EffectState.UNKNOWN


def _events(key: str, *states: EffectState) -> list[CallEvent]:
    """A call for each state, of which the effect of this key came to that."""
    events: list[CallEvent] = []
    for number, state in enumerate(states):
        one = call(f"{key}{number}/0")
        events += [one.accepted(), one.dispatching(), one.begun(key=key)]
        if state is not BEGUN:
            events += [one.ended(state, key=key, receipt=number if state is COMMITTED else None), one.settled()]
    return events


async def _tell(journal: Journal, key: str, *states: EffectState) -> None:
    for event in _events(key, *states):
        await recorded(journal, event)


@every_store
@pytest.mark.parametrize(
    ("states", "known"),
    [
        ((), None),
        ((BEGUN,), Effect("mail", BEGUN, key="k")),
        ((COMMITTED,), Effect("mail", COMMITTED, 0, key="k")),
        ((UNKNOWN,), Effect("mail", UNKNOWN, key="k")),
        ((FAILED,), None),
        ((FAILED, FAILED, COMMITTED), Effect("mail", COMMITTED, 2, key="k")),
        # no journal of ours begins what went through or is unknown; if one has it all the same, nothing is hidden
        ((COMMITTED, FAILED), Effect("mail", COMMITTED, 0, key="k")),
        ((COMMITTED, UNKNOWN), Effect("mail", COMMITTED, 0, key="k")),
        ((UNKNOWN, FAILED), Effect("mail", UNKNOWN, key="k")),
    ],
)
async def test_what_counts_of_a_key_is_that_it_went_through_or_else_that_nobody_knows(
    make: Make, tmp_path: Path, states: tuple[EffectState, ...], known: Effect | None
) -> None:
    async with make(tmp_path)() as store:
        await keep(store, *_events("k", *states))
        journal = Journal(store)
        assert await journal.effect("mail", "k") == known
        assert await journal.effect("post", "k") is None
        assert await journal.effect("mail", "another") is None
        assert await journal.effect("mail", "\ud800") is None, "nothing is begun under what cannot be written"


@every_store
async def test_an_end_whose_beginning_is_lost_does_not_end_what_another_call_began(make: Make, tmp_path: Path) -> None:
    """M023: taken for that of the first, its failure would let the effect be done again."""
    first, second = call("t/0"), call("u/0")
    async with make(tmp_path)() as store:
        await keep(store, first.begun(key="k"), second.ended(FAILED, key="k"))
        assert await Journal(store).effect("mail", "k") == Effect("mail", BEGUN, key="k")


@every_store
async def test_a_decision_is_on_all_that_was_begun_under_the_key(make: Make, tmp_path: Path) -> None:
    async with make(tmp_path)() as store:
        await keep(store, *_events("k", UNKNOWN, UNKNOWN))
        journal = Journal(store)
        await journal.resolve("mail", "k", committed=False)
        assert await journal.effect("mail", "k") is None
        assert await journal.unknown() == ()


@every_store
@pytest.mark.parametrize("state", [BEGUN, COMMITTED, UNKNOWN])
async def test_what_is_not_to_be_done_again_is_not_recorded_as_begun(
    make: Make, tmp_path: Path, state: EffectState
) -> None:
    """M023: another registry of this process may have begun it since this one has asked."""
    async with journal_at(make(tmp_path)) as journal:
        await _tell(journal, "k", state)
        told = await journal.calls("s")
        with pytest.raises(JournalError, match=f"'mail' with key 'k' is not begun again.*it is {state.value}"):
            await recorded(journal, call("t/0").begun(key="k"))
        assert await journal.calls("s") == told
        await recorded(journal, call("t/0").begun(key="l"))


@every_store
async def test_of_two_beginnings_at_once_one_is_recorded(make: Make, tmp_path: Path) -> None:
    refused: list[str] = []
    async with journal_at(make(tmp_path)) as journal:

        async def begin(place: str) -> None:
            try:
                await recorded(journal, call(place).begun(key="k"))
            except JournalError as error:
                refused.append(str(error))

        async with trio.open_nursery() as nursery:
            for place in ("t/0", "u/0", "v/0"):
                nursery.start_soon(begin, place)
        assert len(refused) == 2
        assert len(await journal.calls("s")) == 1


@every_store
async def test_a_key_is_known_across_a_crash_and_waits_for_a_decision(make: Make, tmp_path: Path) -> None:
    place = make(tmp_path)
    async with journal_at(place) as journal:
        await _tell(journal, "sent", COMMITTED)
        await _tell(journal, "cut", BEGUN)
        assert await journal.unknown() == (), "it is under way"
    async with journal_at(place) as journal:
        assert await journal.effect("mail", "sent") == Effect("mail", COMMITTED, 0, key="sent")
        why = "the process that did it ended in the middle of it"
        assert await journal.effect("mail", "cut") == Effect("mail", UNKNOWN, error=why, key="cut")
        (waits,) = await journal.unknown()
        (record,) = [one for one in await journal.calls("s") if one.ref.turn == "cut0"]
        assert waits == UnknownEffect(name="mail", key="cut", ref=record.ref, begun=record.effects[0].begun, error=why)


@every_store
async def test_an_effect_that_its_tool_let_go_of_waits_too(make: Make, tmp_path: Path) -> None:
    one = call("t/0")
    async with journal_at(make(tmp_path)) as journal:
        await _tell(journal, "other", COMMITTED)
        for event in (one.accepted(), one.begun(key="k"), one.settled()):
            await recorded(journal, event)
        assert [(waits.key, waits.ref) for waits in await journal.unknown()] == [("k", one.ref)]
        assert (await journal.calls("s"))[-1].effects[0].effect.state is UNKNOWN
        assert (await journal.resolve("mail", "k", committed=True)).state is COMMITTED


@every_store
async def test_what_was_decided_to_have_gone_through_stands_with_its_receipt(make: Make, tmp_path: Path) -> None:
    place = make(tmp_path)
    async with journal_at(place) as journal:
        await _tell(journal, "k", UNKNOWN)
        effect = await journal.resolve("mail", "k", committed=True, receipt={"id": (1, 2)})
        assert effect == Effect("mail", COMMITTED, {"id": [1, 2]}, key="k")
    async with journal_at(place) as journal:
        assert (await journal.effect("mail", "k"), await journal.unknown()) == (effect, ())
        (record,) = await journal.calls("s")
    (known,) = record.effects
    assert (known.effect, known.ended is not None, known.resolved is not None) == (effect, True, True)
    assert record.result == call("k0/0").settled().result, "a result is never changed"


@every_store
async def test_what_was_decided_to_have_failed_may_be_done_again(make: Make, tmp_path: Path) -> None:
    async with journal_at(make(tmp_path)) as journal:
        await _tell(journal, "k", UNKNOWN)
        failed = await journal.resolve("mail", "k", committed=False)
        assert (failed.state, failed.error) == (FAILED, "it was decided that it did not go through")
        assert (await journal.effect("mail", "k"), await journal.unknown()) == (None, ())
        again = call("again/0")
        for event in (again.accepted(), again.begun(key="k"), again.ended(UNKNOWN, key="k"), again.settled()):
            await recorded(journal, event)
        assert [one.ref for one in await journal.unknown()] == [again.ref], "a decision is on what was before it"
        await journal.resolve("mail", "k", committed=True, receipt=2)
        states = [one.effects[0].effect.state for one in await journal.calls("s")]
    assert states == [FAILED, COMMITTED]


@every_store
@pytest.mark.parametrize(
    ("states", "words"),
    [
        ((), "is not in this journal"),
        ((COMMITTED,), "not unknown: it went through"),
        ((FAILED,), "not unknown: it has failed"),
        ((BEGUN,), "not unknown: it is under way"),
    ],
)
async def test_what_is_not_unknown_is_not_decided_on(
    make: Make, tmp_path: Path, states: tuple[EffectState, ...], words: str
) -> None:
    async with journal_at(make(tmp_path)) as journal:
        await _tell(journal, "k", *states)
        before = await journal.calls("s")
        with pytest.raises(JournalError, match=f"'mail' with key 'k' is .*{words.removeprefix('is ')}"):
            await journal.resolve("mail", "k", committed=True)
        assert await journal.calls("s") == before


@every_store
async def test_of_two_decisions_at_once_the_first_holds(make: Make, tmp_path: Path) -> None:
    refused: list[str] = []
    async with journal_at(make(tmp_path)) as journal:
        await _tell(journal, "k", UNKNOWN)

        async def decide(committed: bool) -> None:
            try:
                await journal.resolve("mail", "k", committed=committed)
            except JournalError as error:
                refused.append(str(error))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(decide, True)
            nursery.start_soon(decide, False)
        assert len(refused) == 1
        assert ("went through" in refused[0]) is (await journal.effect("mail", "k") is not None)


@every_store
async def test_a_decision_has_a_receipt_only_of_what_went_through_and_only_json(make: Make, tmp_path: Path) -> None:
    one = call("t/0")
    async with journal_at(make(tmp_path)) as journal:
        for event in (one.accepted(), one.begun(key="k"), one.ended(UNKNOWN, key="k")):
            await recorded(journal, event)
        with pytest.raises(ValueError, match="has no receipt"):
            await journal.resolve("mail", "k", committed=False, receipt=1)
        with pytest.raises(NotJSON):
            await journal.resolve("mail", "k", committed=True, receipt=object())
        assert (await journal.effect("mail", "k")) == Effect("mail", UNKNOWN, key="k")


@every_store
async def test_an_effect_without_a_key_waits_for_nobody(make: Make, tmp_path: Path) -> None:
    one = call("t/0")
    place = make(tmp_path)
    async with place() as store:
        await keep(store, one.accepted(), one.begun())
    async with journal_at(place) as journal:
        assert await journal.unknown() == ()
        (record,) = await journal.calls("s")
    assert record.effects[0].effect.state is UNKNOWN
