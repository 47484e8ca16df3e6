"""Deadlines that are moved while calls run: a watchdog that extends a scope must not change who ended a call."""

from __future__ import annotations

from math import inf

import pytest
import trio
from trio.testing import MockClock

from trio_tools import Cause, ErrorCode, ToolCall, ToolResult, deadline, open_registry, tool


async def extend(scope: trio.CancelScope, until: float) -> None:
    """Keep a scope alive by two seconds, again and again."""
    while trio.current_time() < until:
        scope.deadline = trio.current_time() + 2
        await trio.sleep(1)


async def stubborn(seconds: float) -> None:
    """Sleep, and take so long to clean up."""
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.sleep(seconds)


@tool(timeout=5)
async def slow() -> str:
    await stubborn(10)
    return "never"


@tool(timeout=100)
async def patient() -> str:
    await trio.sleep(20)
    return "done"


@pytest.mark.parametrize("handed_over", [True, False])
async def test_a_scope_that_is_extended_never_turns_a_timeout_to_an_abort(
    autojump_clock: MockClock, handed_over: bool
) -> None:
    """D5, T025: the budget at 5, the extended scope at 10 or later, the cleanup until 15."""
    published: list[ToolResult] = []
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(slow)
        registry.add_observer(lambda view, result: published.append(result))
        moved, other = trio.CancelScope(deadline=trio.current_time() + 2), trio.CancelScope()
        with other if handed_over else moved:
            nursery.start_soon(extend, moved, 9)
            await registry.execute(ToolCall("slow"), scope=moved if handed_over else trio.CancelScope())
    assert [(one.code, one.cause) for one in published] == [(ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)]


@pytest.mark.parametrize("handed_over", [True, False])
async def test_a_live_call_under_a_scope_that_is_extended_succeeds(
    autojump_clock: MockClock, handed_over: bool
) -> None:
    """D4: what was in force when the call began says nothing of what is in force now."""
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(patient)
        moved = trio.CancelScope(deadline=trio.current_time() + 2)
        nursery.start_soon(extend, moved, 30)
        results: list[ToolResult] = []
        with trio.CancelScope() if handed_over else moved:
            results.append(
                await registry.execute(ToolCall("patient"), scope=moved if handed_over else trio.CancelScope())
            )
    assert [result.value for result in results] == ["done"]


async def test_an_own_limit_under_a_scope_that_is_extended_is_told_as_its_own(autojump_clock: MockClock) -> None:
    """T006, T008: the limit at 5 came first; the scope around had been due at 2, and was moved."""
    async with trio.open_nursery() as nursery:
        with trio.CancelScope(deadline=trio.current_time() + 2) as around:
            nursery.start_soon(extend, around, 8)
            with deadline(5) as limit:
                await trio.sleep_forever()
            assert limit.expired
        assert not around.cancelled_caught


@pytest.mark.parametrize("to", [-3, -inf])
async def test_a_deadline_that_is_moved_to_the_past_counts_from_the_move(autojump_clock: MockClock, to: float) -> None:
    """D5: the budget at 5; at 6 the caller gives up by way of the deadline; the cleanup ends at 15."""
    scope = trio.CancelScope(deadline=trio.current_time() + 100)

    async def give_up() -> None:
        await trio.sleep(6)
        scope.deadline = trio.current_time() + to

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(slow)
        nursery.start_soon(give_up)
        result = await registry.execute(ToolCall("slow"), scope=scope)
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)


async def test_no_body_is_entered_after_an_enclosing_deadline_that_a_sibling_blocked_over(
    mock_clock: MockClock,
) -> None:
    """R045, RT2: the second call starts in the pass in which the first one blocks."""
    entered: list[int] = []

    @tool(parallel=True)
    async def block(nth: int) -> None:
        entered.append(nth)
        mock_clock.jump(3)
        await trio.lowlevel.checkpoint()

    async with open_registry() as registry:
        registry.register(block)
        with trio.move_on_after(1):
            calls = [ToolCall("block", {"nth": nth}) for nth in range(3)]
            await registry.execute_turn(calls, scope=trio.CancelScope())
    assert len(entered) == 1
