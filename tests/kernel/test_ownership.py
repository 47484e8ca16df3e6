"""Who owns the end of a call when several causes fall due before it has come to rest: the first one, by time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import attrs
import pytest
import trio
from around_tools import OWN, Wrapper, execute, later, limit, opened, rest, run, silent_limit, working
from trio.testing import MockClock

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, Tool, ToolCall, ToolError, ToolResult, tool

TIMEOUT = (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)
ABORT = (ErrorCode.ABORTED, Cause.CALLER)


def ends(result: ToolResult) -> tuple[str | None, Cause | None]:
    return result.code, result.cause


def stubborn(how: str) -> Tool:
    """A tool with a budget of 2 that takes 5 to clean up, and ends in one way or another."""

    @tool(timeout=2)
    async def work() -> str:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            await rest(5)
            if how == "value":
                return "swallowed"
            raise

    @tool(name="work", timeout=2)
    async def work_with_children() -> None:
        async def child() -> None:
            try:
                await trio.sleep_forever()
            finally:
                await rest(5)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(child)
            nursery.start_soon(trio.sleep_forever)

    return work_with_children if how == "group" else work


ENDS = ["cancelled", "value", "group"]


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("by_deadline", [False, True])
async def test_the_caller_first_and_the_budget_in_the_cleanup(
    autojump_clock: MockClock, how: str, by_deadline: bool
) -> None:
    """T024, TT1, RT1, RT7: stays an abort."""
    result = await run(stubborn(how), deadline=1 if by_deadline else inf, cancel_at=inf if by_deadline else 1)
    assert (ends(result), trio.current_time()) == (ABORT, 6)


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("by_deadline", [False, True])
async def test_the_budget_first_and_the_caller_in_the_cleanup(
    autojump_clock: MockClock, how: str, by_deadline: bool
) -> None:
    """T025, TT1, D6: stays a timeout."""
    result = await run(stubborn(how), deadline=3 if by_deadline else inf, cancel_at=inf if by_deadline else 3)
    assert (ends(result), trio.current_time()) == (TIMEOUT, 7)


@pytest.mark.parametrize(("at", "owner"), [(1, ABORT), (3, TIMEOUT)])
async def test_an_enclosing_scope_counts_as_the_caller(
    autojump_clock: MockClock, at: float, owner: tuple[str, Cause]
) -> None:
    """T024, T025, D4: its deadline, or a cancel by hand; the result is with the observers."""
    published: list[ToolResult] = []
    for by_hand in (False, True):
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            with trio.CancelScope(deadline=inf if by_hand else start + at) as enclosing:
                if by_hand:
                    nursery.start_soon(later, at, enclosing.cancel)
                async with opened(stubborn("cancelled")) as registry:
                    registry.add_observer(lambda view, result: published.append(result))
                    await registry.execute(ToolCall("work"), scope=trio.CancelScope())
    assert [ends(result) for result in published] == [owner, owner]


async def test_of_equal_deadlines_the_callers_own_is_the_first(autojump_clock: MockClock) -> None:
    """TT2, D5: the outermost; with and without a cleanup."""
    results = [await run(working(cleanup=cleanup, timeout=2), deadline=2) for cleanup in (0, 5)]
    assert [ends(result) for result in results] == [ABORT, ABORT]


async def test_of_equal_deadlines_an_enclosing_one_is_the_first(autojump_clock: MockClock) -> None:
    """TT2, D5."""
    published: list[ToolResult] = []
    with trio.move_on_after(2):
        async with opened(working(timeout=2)) as registry:
            registry.add_observer(lambda view, result: published.append(result))
            await registry.execute(ToolCall("work"), scope=trio.CancelScope())
    assert [ends(result) for result in published] == [ABORT]


async def test_of_equal_deadlines_an_outer_wrappers_is_the_first(autojump_clock: MockClock) -> None:
    """TT2, TT1b, D5."""
    for cleanup in (0, 5):
        result = await run(working(cleanup=cleanup, timeout=2), silent_limit(2), outside=True)
        assert ends(result) == (ErrorCode.ABORTED, Cause.WRAPPER)


async def test_a_success_at_the_very_instant_of_the_callers_deadline_is_an_abort(autojump_clock: MockClock) -> None:
    """TT3, R049: as at that of a budget; what it came to is kept."""

    @tool
    async def work() -> str:
        await rest(2)
        return "worked"

    result = await run(work, deadline=2)
    assert ends(result) == ABORT
    assert result.superseded is not None
    assert result.superseded.value == "worked"


@attrs.define
class ByHand:
    """A wrapper that cancels a scope of its own at a time, without a deadline that anybody could read."""

    at: float

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        results: list[ToolResult] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(later, self.at, nursery.cancel_scope.cancel)
            results.append(await call_next())
            nursery.cancel_scope.cancel()
        return results[0] if results else dispatch.failure("cut at the door", code="CUT_EARLY")


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("cut", [silent_limit, ByHand])
async def test_an_outer_wrapper_first_and_the_budget_in_the_cleanup(
    autojump_clock: MockClock, how: str, cut: Callable[[float], Wrapper]
) -> None:
    """T026, TT1b, R049: an ordinary cancel, be it by a deadline or by hand."""
    result = await run(stubborn(how), cut(1), outside=True)
    assert (ends(result), trio.current_time()) == ((ErrorCode.ABORTED, Cause.WRAPPER), 6)


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("cut", [silent_limit, ByHand])
async def test_the_budget_first_and_an_outer_wrapper_in_the_cleanup(
    autojump_clock: MockClock, how: str, cut: Callable[[float], Wrapper]
) -> None:
    """T025, TT1b: the inner one is still claimed."""
    result = await run(stubborn(how), cut(3), outside=True)
    assert (ends(result), trio.current_time()) == (TIMEOUT, 7)


@pytest.mark.parametrize("cut", [silent_limit, ByHand])
async def test_an_outer_wrapper_then_the_budget_then_the_caller(
    autojump_clock: MockClock, cut: Callable[[float], Wrapper]
) -> None:
    """T026, TT1b, D5: three causes; that the caller comes last makes no timeout of it."""
    result = await run(working(timeout=2, cleanup=5), cut(1), outside=True, cancel_at=3)
    assert (result.code, trio.current_time()) == (ErrorCode.ABORTED, 6)


@pytest.mark.parametrize("cut", [silent_limit, ByHand])
async def test_the_budget_then_an_outer_wrapper_then_the_caller(
    autojump_clock: MockClock, cut: Callable[[float], Wrapper]
) -> None:
    """T025, TT1b, D5."""
    result = await run(working(timeout=1, cleanup=5), cut(2), outside=True, cancel_at=3)
    assert (ends(result), trio.current_time()) == (TIMEOUT, 6)


async def test_an_inner_wrapper_that_cuts_is_inside_the_budget(autojump_clock: MockClock) -> None:
    """D5, R049: it cut the body at 1 and gives the abort back; when the budget is over only after that, it is no
    timeout, and when the cleanup outlasts the budget it is one."""
    in_time = await run(working(timeout=5), silent_limit(1))
    assert ends(in_time) == (ErrorCode.ABORTED, Cause.WRAPPER)
    too_late = await run(working(cleanup=9, timeout=5), silent_limit(1))
    assert ends(too_late) == TIMEOUT


async def test_two_claims_and_the_caller_in_every_order(autojump_clock: MockClock) -> None:
    """D5, T026: outer claim, inner budget and the caller's cancel at 1, 2 and 3."""
    owners: dict[tuple[float, float, float], str | None] = {}
    for outer, inner, caller in [(1, 2, 3), (1, 3, 2), (2, 1, 3), (3, 1, 2), (2, 3, 1), (3, 2, 1)]:
        result = await run(working(cleanup=9, timeout=inner), limit(outer), outside=True, cancel_at=caller)
        owners[outer, inner, caller] = result.code
    assert owners == {
        (1, 2, 3): OWN.code,
        (1, 3, 2): OWN.code,
        (2, 1, 3): ErrorCode.TOOL_TIMEOUT,
        (3, 1, 2): ErrorCode.TOOL_TIMEOUT,
        (2, 3, 1): ErrorCode.ABORTED,
        (3, 2, 1): ErrorCode.ABORTED,
    }


async def test_a_cancel_by_hand_in_a_blocked_loop_counts_from_when_it_is_made(mock_clock: MockClock) -> None:
    """D5: the budget had passed by then, though Trio had no chance to say so."""
    scope = trio.CancelScope()

    @tool(timeout=2)
    async def block() -> None:
        mock_clock.jump(3)
        scope.cancel()
        await trio.sleep_forever()

    async with opened(block) as registry:
        result = await registry.execute(ToolCall("block"), scope=scope)
    assert ends(result) == TIMEOUT


async def test_a_cancel_by_hand_before_the_loop_blocks_past_the_budget(mock_clock: MockClock) -> None:
    """D5, T024: the other order."""
    scope = trio.CancelScope()

    @tool(timeout=2)
    async def block() -> None:
        scope.cancel()
        mock_clock.jump(3)
        await trio.sleep_forever()

    async with opened(block) as registry:
        result = await registry.execute(ToolCall("block"), scope=scope)
    assert ends(result) == ABORT


async def test_the_callers_deadline_may_be_moved_while_the_call_runs(autojump_clock: MockClock) -> None:
    """D5: what counts is when it fell due."""
    for moved_to, owner in [(1.5, ABORT), (9, TIMEOUT)]:
        start = trio.current_time()
        scope = trio.CancelScope(deadline=start + 3)

        def move(scope: trio.CancelScope = scope, to: float = start + moved_to) -> None:
            scope.deadline = to

        async with opened(working(cleanup=4, timeout=2)) as registry, trio.open_nursery() as nursery:
            nursery.start_soon(later, 1, move)
            assert ends(await registry.execute(ToolCall("work"), scope=scope)) == owner


async def test_the_bodys_own_error_after_the_budget_and_the_caller(autojump_clock: MockClock) -> None:
    """T023, T024, R050: out of budget it is replaced; after the caller's cancel it stands."""

    @tool(timeout=2)
    async def fail() -> None:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            await rest(5)
            raise ToolError("half done", code="HALF_DONE") from None

    budget_first = await run(fail, cancel_at=3)
    assert ends(budget_first) == TIMEOUT
    assert "half done" in budget_first.text
    caller_first = await run(fail, cancel_at=1)
    assert ends(caller_first) == ("HALF_DONE", None)


async def test_causes_of_siblings_are_their_own(autojump_clock: MockClock) -> None:
    """D5, L008: in one turn, one call is out of budget before the caller cancels, one is cut by that."""

    @tool(timeout=1, parallel=True)
    async def hurried() -> None:
        try:
            await trio.sleep_forever()
        finally:
            await rest(5)

    @tool(timeout=9, parallel=True)
    async def patient() -> None:
        await trio.sleep_forever()

    scope = trio.CancelScope(relative_deadline=2)
    async with opened(hurried, patient) as registry:
        results = await registry.execute_turn([ToolCall("hurried"), ToolCall("patient")], scope=scope)
        again = await execute(registry, "patient", deadline=1)
    assert [ends(one) for one in (*results, again)] == [TIMEOUT, ABORT, ABORT]
