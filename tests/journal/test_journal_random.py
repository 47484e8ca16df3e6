"""Random records, cut off anywhere: the books balance, stay balanced, and change nothing that was written."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import attrs
import trio
from hypothesis import given, settings, strategies
from journal_contract import FORMS, call, unbalanced
from journal_random import random_record

from trio_tools import (
    CallAccepted,
    CallDispatching,
    CallEvent,
    CallSettled,
    Cause,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
)
from trio_tools.journal import CallRecord, EffectRecord, Entry, Journal
from trio_tools.journal._memory import MemoryStore
from trio_tools.journal._open import opened

SESSIONS = ("s", "other", None)


async def _entries(store: MemoryStore) -> list[Entry]:
    return [entry for session in SESSIONS for entry in await store.session(session)]


async def _records(journal: Journal) -> list[CallRecord]:
    return [record for session in SESSIONS for record in await journal.calls(session)]


def _broken(events: list[CallEvent], records: list[CallRecord]) -> list[str]:
    """What is not as it must be, in words."""
    by_place = {f"{one.ref.turn}/{one.ref.position}": one for one in records}
    accepted = {f"{one.ref.turn}/{one.ref.position}" for one in events if isinstance(one, CallAccepted)}
    dispatched = Counter(f"{one.ref.turn}/{one.ref.position}" for one in events if isinstance(one, CallDispatching))
    begun = Counter(f"{one.ref.turn}/{one.ref.position}" for one in events if isinstance(one, EffectBegun))
    settled = {f"{one.ref.turn}/{one.ref.position}": one.result for one in events if isinstance(one, CallSettled)}
    ends = [event.effect for event in events if isinstance(event, EffectEnded)]
    found = [f"{len(records)} records of {len(accepted)} calls"] if by_place.keys() != accepted else []
    for place, one in by_place.items():
        result = one.result
        if result is None:
            found.append(f"{place} has no result")
            continue
        if place in settled:
            found += [f"{place} was changed"] if result != settled[place] else []
        elif (result.code, result.dispatched, result.cause) != (
            ErrorCode.ABORTED if dispatched[place] else ErrorCode.ABORTED_BEFORE_DISPATCH,
            dispatched[place] > 0,
            Cause.CRASH,
        ):
            found.append(f"{place} is {result.code} by {result.cause}")
        if len(one.effects) != begun[place] or len(one.dispatched) != dispatched[place]:
            found.append(f"{place} has {one.effects} and {one.dispatched}")
        for known in one.effects:
            if known.effect.state is EffectState.BEGUN or (
                known.effect not in ends and known.effect.state is not EffectState.UNKNOWN
            ):
                found.append(f"{place} has {known.effect}")
            if known.effect not in [effect for effect in result.effects if effect.call is None]:
                found.append(f"{place} does not name {known.effect}")
        for nested in (other for other in records if other.ref.parent == place and other.result is not None):
            inner = nested.result.effects if nested.result is not None else ()
            named = [(effect.name, effect.key, effect.state) for effect in result.effects]
            found += [
                f"{place} does not name {effect} of {nested.ref.turn}"
                for effect in inner
                if (effect.name, effect.key, effect.state) not in named
            ]
    return found


async def _check(seed: int) -> None:
    events = random_record(Random(seed))
    store = MemoryStore()
    for event in events:
        store.add(1_000.0, event)
    journal = await opened(store)
    records = await _records(journal)
    assert _broken(events, records) == []
    entries = await _entries(store)
    again = await opened(store)
    assert await _entries(store) == entries, "opening twice adds nothing"
    assert await _records(again) == records
    assert [summary.unsettled for summary in await journal.sessions()] == [0 for _ in await journal.sessions()]
    for session in SESSIONS:
        for form in FORMS:
            messages = await journal.history(session, form=form)
            assert unbalanced(messages, form) == []
            assert json.dumps(messages) == json.dumps(await again.history(session, form=form))
    waiting = {one.key for one in await journal.unknown()}
    keyed = [known.effect for one in records for known in one.effects if known.effect.key is not None]
    assert waiting == {effect.key for effect in keyed if effect.state is EffectState.UNKNOWN}


@settings(max_examples=100, deadline=None)
@given(seed=strategies.integers(0, 2**32))
def test_a_record_that_is_cut_off_anywhere_is_balanced(seed: int) -> None:
    """Case B31, L014, M023: one result for each call, which tells what is known of it and no more."""
    trio.run(_check, seed)


def test_what_is_out_of_balance_would_be_found() -> None:
    one = call("t/0")
    settled = one.settled()
    record = CallRecord(ref=one.ref, accepted=0, arguments="{}")
    assert _broken([one.accepted()], []) == ["0 records of 1 calls"]
    assert _broken([one.accepted()], [record]) == ["t/0 has no result"]
    done = CallRecord(ref=one.ref, accepted=0, arguments="{}", result=settled.result)
    assert _broken([one.accepted()], [done]) == ["t/0 is None by None"]
    other = attrs.evolve(settled.result, value="more")
    assert _broken([one.accepted(), one.settled(other)], [done]) == ["t/0 was changed"]
    assert _broken([one.accepted(), one.dispatching(), one.settled()], [done]) == ["t/0 has () and ()"]
    nested = attrs.evolve(done, ref=call("n/0", parent="t/0").ref)
    known = EffectRecord(effect=Effect("e", EffectState.BEGUN), begun=0)
    assert _broken([one.accepted(), one.begun("e"), one.settled()], [attrs.evolve(done, effects=(known,))]) == [
        f"t/0 has {known.effect}",
        f"t/0 does not name {known.effect}",
    ]
    told = attrs.evolve(nested, result=attrs.evolve(settled.result, effects=(Effect("e", EffectState.COMMITTED),)))
    found = _broken(
        [one.accepted(), one.settled(), call("n/0").accepted(), call("n/0").settled(told.result)], [done, told]
    )
    assert found == [f"t/0 does not name {Effect('e', EffectState.COMMITTED)} of n"]
