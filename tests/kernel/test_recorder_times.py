"""When a call was given up, and by whom, as the record of its result has it: both or neither."""

from __future__ import annotations

from math import inf

import trio
from trio.testing import MockClock
from turn_tools import Log

from trio_tools import (
    CallDecided,
    CallEvent,
    CallNext,
    Cause,
    Dispatch,
    ErrorCode,
    ErrorInfo,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

OUTCOME = ErrorInfo("SlowError", "SLOW", "too slow")


def given_up(log: Log) -> list[tuple[Cause | None, float | None]]:
    return [(event.cause, event.cancelled_at) for event in log.settled]


@tool
async def sleep() -> None:
    await trio.sleep(9)


async def test_a_deadline_that_nobody_has_noted_yet_is_recorded_at_its_own_time(mock_clock: MockClock) -> None:
    """D5, L016: the loop is blocked over it while the decision is recorded, and the call is cut before the turn's
    frame has run again."""

    async def block(event: CallEvent) -> None:
        if isinstance(event, CallDecided):
            mock_clock.jump(3)

    log = Log(block)
    async with open_registry() as registry:
        registry.register(sleep)
        registry.add_recorder(log)
        result = await registry.execute(ToolCall("sleep"), scope=trio.CancelScope(deadline=1))
    assert result.code == ErrorCode.ABORTED_BEFORE_DISPATCH
    assert given_up(log) == [(Cause.CALLER, 1)]


async def test_a_call_that_comes_with_an_expired_scope_was_given_up_when_it_came(mock_clock: MockClock) -> None:
    """L016: a deadline of -inf is no time of day, and one of yesterday is before anybody asked."""
    log = Log()
    mock_clock.jump(10)
    async with open_registry() as registry:
        registry.register(sleep)
        registry.add_recorder(log)
        for deadline in (-inf, 3):
            result = await registry.execute(ToolCall("sleep"), scope=trio.CancelScope(deadline=deadline))
            assert result.code == ErrorCode.ABORTED_BEFORE_DISPATCH
    assert given_up(log) == [(Cause.CALLER, 10)] * 2


async def test_a_budget_that_a_wrapper_makes_good_is_not_in_the_record(autojump_clock: MockClock) -> None:
    """L016: what stands is a success, so that nobody ended it, and at no time."""
    log = Log()

    async def make_good(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        return dispatch.success("from elsewhere")

    async def bound(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return await dispatch.within(1, call_next, OUTCOME)

    async with open_registry() as registry:
        registry.register(sleep)
        registry.add_recorder(log)
        registry.add_wrapper(make_good)
        registry.add_wrapper(bound)
        result = await registry.execute(ToolCall("sleep"), scope=trio.CancelScope())
    assert result.value == "from elsewhere"
    assert given_up(log) == [(None, None)]
