"""What entries come to: also those of calls of which some were damaged."""

from __future__ import annotations

import itertools

import pytest
from journal_contract import call

from trio_tools import CallEvent, Cause, Effect, EffectEnded, EffectState
from trio_tools.journal import CallRecord, EffectRecord, EffectResolved, Entry, JournalEvent
from trio_tools.journal._fold import Fold, in_call_order

COMMITTED, FAILED, UNKNOWN = EffectState.COMMITTED, EffectState.FAILED, EffectState.UNKNOWN


def folded(*events: JournalEvent) -> list[CallRecord]:
    """Entries of these events come to this; ten seconds lie between two of them."""
    return in_call_order(Fold(Entry(seq=place, time=10.0 * place, event=event) for place, event in enumerate(events)))


def test_a_whole_call_has_all_its_times() -> None:
    """L016"""
    one = call("t/0")
    (record,) = folded(
        one.accepted("{}", {"step": 1}), one.decided(), one.dispatching(), one.dispatching(2), one.settled()
    )
    assert record == CallRecord(
        ref=one.ref,
        accepted=0,
        arguments="{}",
        metadata={"step": 1},
        decided=10,
        allowed=True,
        dispatched=(20, 30),
        settled=40,
        result=one.settled().result,
    )


def test_when_a_call_was_given_up_counts_back_from_its_end() -> None:
    """L016: on Trio's clock nothing but the span means anything."""
    one = call("t/0")
    settled = one.settled()
    given_up = type(settled)(ref=one.ref, at=11, result=settled.result, cancelled_at=7.5, cause=Cause.OPERATOR)
    (record,) = folded(one.accepted(), one.dispatching(), given_up)
    assert (record.cancelled, record.settled, record.cause) == (20 - 3.5, 20, Cause.OPERATOR)


def test_a_denial_is_kept_with_its_reason() -> None:
    (record,) = folded(call("t/0").accepted(), call("t/0").decided("not on a Sunday"))
    assert (record.decided, record.allowed, record.reason) == (10, False, "not on a Sunday")


def test_effects_of_one_name_end_in_the_order_of_their_beginning() -> None:
    one = call("t/0")
    ends: list[EffectEnded] = [one.ended(COMMITTED, receipt=1), one.ended(FAILED, error="no")]
    (record,) = folded(one.accepted(), one.begun(), one.begun(), one.begun("other"), *ends)
    assert record.effects == (
        EffectRecord(effect=ends[0].effect, begun=10, ended=40),
        EffectRecord(effect=ends[1].effect, begun=20, ended=50),
        EffectRecord(effect=Effect("other", EffectState.BEGUN), begun=30),
    )


def test_an_effect_whose_call_settled_first_is_unknown_in_the_words_of_its_result() -> None:
    """M023"""
    one = call("t/0")
    told = Effect("mail", UNKNOWN, error="the tool let go of it before it had ended")
    late = one.ended(COMMITTED, receipt=1)
    (record,) = folded(one.accepted(), one.begun(), one.settled(effects=(told,)))
    assert record.effects == (EffectRecord(effect=told, begun=10),)
    (record,) = folded(one.accepted(), one.begun(), one.settled(effects=(told,)), late)
    assert record.effects == (EffectRecord(effect=late.effect, begun=10, ended=30),)


def test_a_decision_is_on_what_is_unknown_and_was_before_it() -> None:
    one = call("t/0")
    decided = EffectResolved(effect=Effect("mail", COMMITTED, 7, key="k"))
    before: list[CallEvent] = [
        one.begun(key="k"),
        one.ended(UNKNOWN, key="k"),
        one.begun(key="l"),
        one.ended(UNKNOWN, key="l"),
    ]
    (record,) = folded(one.accepted(), *before, decided, one.begun(key="k"))
    assert [(known.effect.state, known.resolved) for known in record.effects] == [
        (COMMITTED, 50),
        (UNKNOWN, None),
        (EffectState.BEGUN, None),
    ]


@pytest.mark.parametrize("lost", range(6))
def test_what_is_left_of_a_damaged_call_is_read(lost: int) -> None:
    """Case B31: one entry that is gone hides no other."""
    one, other = call("t/0"), call("t/1")
    end = one.ended(COMMITTED, receipt=1)
    events: list[CallEvent] = [one.accepted(), one.decided(), one.dispatching(), one.begun(), end, one.settled()]
    del events[lost]
    first, second = folded(*events, other.accepted(), other.settled())
    whole = [
        first.arguments,
        first.decided,
        first.dispatched or None,
        first.effects or None,
        first.effects,
        first.result,
    ]
    left = [what is not None for what in whole]
    if lost in (3, 4):
        (known,) = first.effects
        assert (known.effect.state is COMMITTED, known.ended is not None) == ((lost == 3), (lost == 3))
    else:
        assert left == [place != lost for place in range(6)]
    assert (second.ref, second.result) == (other.ref, other.settled().result)


def test_calls_stand_in_call_order_whatever_the_order_of_their_entries() -> None:
    places = ("t/0", "t/1", "t/2", "u/0", "u/1")
    made = [call("n/0", parent="t/1"), call("n/1", parent="t/1"), call("m/0", parent="n/0"), call("o/0", parent="t/1")]
    elsewhere = call("e/0", parent="x/0")
    first = call("t/2").accepted()
    for order in itertools.permutations(places, 3):
        rest = [call(place).accepted() for place in (*order, *places)]
        records = folded(first, *rest, *(one.accepted() for one in made), elsewhere.accepted())
        ordered = [f"{one.ref.turn}/{one.ref.position}" for one in records]
        assert ordered == ["t/0", "t/1", "n/0", "m/0", "n/1", "o/0", "t/2", "u/0", "u/1", "e/0"]


def test_calls_that_made_one_another_many_levels_deep_are_read() -> None:
    chain = [call("t0/0"), *(call(f"t{level + 1}/0", parent=f"t{level}/0") for level in range(3_000))]
    records = folded(*(one.accepted() for one in chain))
    assert [one.ref for one in records] == [one.ref for one in chain]
