"""Random turns keep the promises, and the checks that say so can fail."""

from __future__ import annotations

import attrs
import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks._random_turn import Turn, carry_out, plan
from benchmarks.properties import broken, check
from trio_tools import CallSettled, Cause, EffectEnded, ErrorCode, ToolResult


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=0, max_value=2**32))
def test_a_random_turn_keeps_every_promise(seed: int) -> None:
    """Promises 2 to 4: one result per call, published once, quiescent before published, first cause owns, no task
    left. L014, R048, R094, D5, M021, M022. Its journal agrees with it, and its history is balanced in every form."""
    assert check(seed) == []


SEED = 11  # four calls, two of which time out after an effect, and nobody cancels


def a_turn(seed: int) -> Turn:
    """A turn that kept its promises, to be tampered with."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    turn = plan(seed, clock)
    trio.run(carry_out, turn, clock=clock)
    assert broken(turn) == []
    return turn


def lose_a_result(turn: Turn) -> None:
    assert turn.results is not None
    turn.results = turn.results[:-1]


def publish_twice(turn: Turn) -> None:
    turn.ledger.observed.append(turn.ledger.observed[0])


def copy_the_result(turn: Turn) -> None:
    position, result = turn.ledger.observed[0]
    turn.ledger.observed[0] = (position, attrs.evolve(result))


def swallow_a_cancel(turn: Turn) -> None:
    turn.swallowed = True


def leave_a_task(turn: Turn) -> None:
    turn.tasks_left = 1


def leave_a_body(turn: Turn) -> None:
    turn.ledger.inside[0] = 1


def publish_too_early(turn: Turn) -> None:
    turn.ledger.restless.append(0)


def exceed_the_cap(turn: Turn) -> None:
    turn.ledger.most_at_once = turn.cap + 1


def forget_a_record(turn: Turn) -> None:
    turn.ledger.events[:] = [event for event in turn.ledger.events if not isinstance(event, CallSettled)]


def deny_that_it_ran(turn: Turn) -> None:
    position, result = next((p, r) for p, r in turn.ledger.settled if r.dispatched)
    replace(turn, position, attrs.evolve(result, dispatched=False))


def name_a_cause_that_was_none(turn: Turn) -> None:
    position, result = turn.ledger.settled[0]
    turn.cancelled_at = None
    replace(turn, position, attrs.evolve(result, cause=Cause.CALLER))


def time_out_after_the_caller(turn: Turn) -> None:
    position, result = next((p, r) for p, r in turn.ledger.settled if r.code == ErrorCode.TOOL_TIMEOUT)
    turn.how, turn.cancelled_at = "scope", 0.0
    replace(turn, position, result)


def _with_an_effect(turn: Turn) -> tuple[int, ToolResult]:
    return next((place, result) for place, result in turn.ledger.settled if result.effects and result.is_error)


def forget_an_effect(turn: Turn) -> None:
    turn.ledger.effects_done.append((0, "committed"))


def name_an_effect_that_failed(turn: Turn) -> None:
    position, _ = _with_an_effect(turn)
    turn.ledger.effects_done[:] = [
        (place, "failed" if place == position else state) for place, state in turn.ledger.effects_done
    ]


def keep_an_effect_from_the_model(turn: Turn) -> None:
    position, result = _with_an_effect(turn)
    replace(turn, position, attrs.evolve(result, content=result.content[:-1]))


def lose_the_end_of_an_effect(turn: Turn) -> None:
    turn.ledger.events[:] = [event for event in turn.ledger.events if not isinstance(event, EffectEnded)]


def begin_an_effect_after_the_cancel(turn: Turn) -> None:
    turn.how, turn.cancelled_at = "scope", 1_000.0
    turn.ledger.effects_begun.append((0, 1_001.0))


def replace(turn: Turn, position: int, result: ToolResult) -> None:
    for listed in (turn.ledger.settled, turn.ledger.observed):
        at = [place for place, _ in listed].index(position)
        listed[at] = (position, result)
    if turn.results is not None:
        results = [*turn.results]
        results[position] = result
        turn.results = tuple(results)


@pytest.mark.parametrize(
    "tamper",
    [
        lose_a_result,
        publish_twice,
        copy_the_result,
        leave_a_task,
        swallow_a_cancel,
        leave_a_body,
        publish_too_early,
        exceed_the_cap,
        forget_a_record,
        deny_that_it_ran,
        name_a_cause_that_was_none,
        time_out_after_the_caller,
        forget_an_effect,
        name_an_effect_that_failed,
        keep_an_effect_from_the_model,
        lose_the_end_of_an_effect,
        begin_an_effect_after_the_cancel,
    ],
)
def test_each_promise_that_is_broken_is_found(tamper: object) -> None:
    """The control: each check fails on a turn that was tampered with in its way."""
    assert callable(tamper)
    turn = a_turn(SEED)
    tamper(turn)
    assert len(broken(turn)) >= 1
