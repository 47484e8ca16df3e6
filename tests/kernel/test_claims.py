"""`Dispatch.within`: a deadline with a word on what its expiry means."""

from __future__ import annotations

from math import inf, nan

import attrs
import pytest
import trio
from around_tools import OWN, answering, execute, later, limit, opened, raising, rest, retry_once, run, shield, working
from trio.testing import MockClock

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, ErrorInfo, ToolContext, ToolResult, tool

INNER = ErrorInfo("InnerError", "INNER_LIMIT", "the inner limit")


async def test_a_claim_says_what_its_expiry_means(autojump_clock: MockClock) -> None:
    """R042, T023: code, name and text are the claim's own, the cause is the deadline."""
    result = await run(working(cleanup=2), limit(1))
    assert (result.error, result.text, result.cause) == (OWN, "Error: my own limit", Cause.DEADLINE)
    assert (result.dispatched, result.superseded, trio.current_time()) == (True, None, 3)


async def test_a_claim_that_is_not_needed_changes_nothing(autojump_clock: MockClock) -> None:
    """T021."""
    result = await run(working(1), limit(2))
    assert (result.value, result.code, result.cause, result.superseded) == ("worked", None, None, None)
    result = await run(raising(ValueError("own")), limit(2))
    assert (result.code, result.cause) == (ErrorCode.TOOL_FAILED, None)


@pytest.mark.parametrize("seconds", [0, -1, inf, nan])
async def test_a_claim_needs_positive_finite_seconds(seconds: float) -> None:
    """T002, T004, TT7: a ValueError of the wrapper that asked; the body is not entered."""
    result = await run(answering(), limit(seconds))
    assert (result.code, result.dispatched) == (ErrorCode.WRAPPER_FAILED, False)
    assert result.error is not None
    assert result.error.name == "ValueError"


@pytest.mark.parametrize("code", [ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH])
async def test_a_claim_cannot_speak_of_aborts(code: ErrorCode) -> None:
    """R056: whether the body ran is for the registry to say."""
    result = await run(answering(), limit(1, ErrorInfo("X", code, "x")))
    assert (result.code, result.dispatched) == (ErrorCode.WRAPPER_FAILED, False)


async def test_an_outer_wrapper_sees_the_claimed_outcome_and_may_replace_it(autojump_clock: MockClock) -> None:
    """R042, D7: what the outermost wrapper returns is the call's result."""
    seen: list[str | None] = []

    async def soften(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        seen.append(result.code)
        return dispatch.success("partial") if result.is_error else result

    result = await run(working(), soften, limit(1))
    assert seen == ["OWN_LIMIT"]
    assert (result.value, result.code, result.cause, result.dispatched) == ("partial", None, None, True)


async def test_of_nested_claims_the_earlier_one_owns(autojump_clock: MockClock) -> None:
    """D5: in both orders, with a cleanup that outlasts both."""
    inner_first = await run(working(cleanup=9), limit(2), limit(1, INNER))
    assert inner_first.error == INNER
    outer_first = await run(working(cleanup=9), limit(1), limit(2, INNER))
    assert outer_first.error == OWN


async def test_of_equal_claims_the_outermost_owns(autojump_clock: MockClock) -> None:
    """D5, TT2, RT3: also where a shield hides one from the other."""
    result = await run(working(), limit(1), limit(1, INNER))
    assert (result.error, trio.current_time()) == (OWN, 1)
    result = await run(working(), limit(1), shield, limit(1, INNER))
    assert (result.error, trio.current_time()) == (OWN, 2)


async def test_claims_of_one_wrapper_nest(autojump_clock: MockClock) -> None:
    """D5: an async function round `call_next` may claim again."""

    @attrs.define
    class Twice:
        outer: float
        inner: float

        async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
            async def inside() -> ToolResult:
                return await dispatch.within(self.inner, call_next, INNER)

            return await dispatch.within(self.outer, inside, OWN)

    errors = [
        (await run(working(cleanup=5), Twice(outer, inner))).error for outer, inner in [(1, 2), (2, 1), (1, 1), (3, 1)]
    ]
    assert errors == [OWN, INNER, OWN, INNER]


async def test_a_claim_covers_a_function_that_waits_before_it_goes_on(autojump_clock: MockClock) -> None:
    """T029, D9: the time runs from `within`; a body that it leaves no time for is not entered."""

    async def slow_start(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        async def inside() -> ToolResult:
            await trio.sleep(2)
            return await call_next()

        return await dispatch.within(1, inside, OWN)

    result = await run(answering(), slow_start)
    assert (result.error, result.dispatched, result.cause) == (OWN, False, Cause.DEADLINE)
    assert trio.current_time() == 1


async def test_a_claim_holds_when_a_cancel_cuts_the_wrappers_further_out(autojump_clock: MockClock) -> None:
    """D5, T025: they wait, the caller cancels; the outcome was owned by then."""

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await trio.sleep(9)
        return result

    result = await run(working(), dawdle, limit(1), cancel_at=2)
    assert (result.error, result.cause, trio.current_time()) == (OWN, Cause.DEADLINE, 2)


async def test_a_success_is_not_claimed_when_a_cancel_cuts_the_wrappers_further_out(autojump_clock: MockClock) -> None:
    """D5, T024: the claim's time passes while nobody is inside it any more."""

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await trio.sleep(9)
        return result

    result = await run(answering(), dawdle, limit(1), cancel_at=2)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)
    assert result.superseded is not None
    assert result.superseded.value == "answer"


async def test_a_retry_further_out_voids_the_claim_of_the_attempt_before(autojump_clock: MockClock) -> None:
    """D5, R042: a budget inside a retry is one per attempt."""
    attempts: list[float] = []

    @tool
    async def slow_at_first() -> str:
        attempts.append(trio.current_time())
        await trio.sleep(9 if len(attempts) == 1 else 0.5)
        return "in time"

    result = await run(slow_at_first, retry_once, limit(1))
    assert (result.value, result.cause, result.superseded, attempts) == ("in time", None, None, [0, 1])


async def test_a_voided_claim_does_not_own_a_later_cancel(autojump_clock: MockClock) -> None:
    """D5: attempt one timed out, attempt two is cut by the caller."""
    result = await run(working(), retry_once, limit(3), cancel_at=4)
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.ABORTED, Cause.CALLER, 4)


async def test_a_claim_holds_while_its_retry_has_not_begun(autojump_clock: MockClock) -> None:
    """D5: the caller gives up during the pause between two attempts."""

    async def retry_with_pause(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await trio.sleep(5)
        return await call_next() if result.is_error else result

    result = await run(working(), retry_with_pause, limit(1), cancel_at=2)
    assert (result.error, result.cause) == (OWN, Cause.DEADLINE)


async def test_the_wrapper_that_claimed_may_itself_try_again(autojump_clock: MockClock) -> None:
    """D5, D8."""
    attempts: list[float] = []

    @tool
    async def slow_at_first() -> str:
        attempts.append(trio.current_time())
        await trio.sleep(9 if len(attempts) == 1 else 3)
        return "at last"

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await dispatch.within(1, call_next, OWN)
        return await call_next() if result.is_error else result

    result = await run(slow_at_first, twice)
    assert (result.value, attempts, trio.current_time()) == ("at last", [0, 1], 4)


async def test_the_second_try_of_the_wrapper_that_claimed_is_its_callers_to_cancel(autojump_clock: MockClock) -> None:
    """D5, D8: the claim was of the first one."""

    async def twice(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await dispatch.within(1, call_next, OWN)
        return await call_next() if result.is_error else result

    result = await run(working(), twice, cancel_at=2)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)


async def test_a_claim_whose_time_is_over_before_it_is_awaited(mock_clock: MockClock) -> None:
    """D9, T023: the time runs from `within`; the body is not entered."""

    async def late(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        limited = dispatch.within(1, call_next, OWN)
        mock_clock.jump(2)
        return await limited

    result = await run(answering(), late)
    assert (result.error, result.dispatched, result.cause) == (OWN, False, Cause.DEADLINE)


async def test_each_attempt_has_the_deadline_of_its_own_claim(autojump_clock: MockClock) -> None:
    """R042, T021: what a body is told of its time is that attempt's."""
    deadlines: list[tuple[float, float]] = []

    @tool
    async def look(ctx: ToolContext) -> None:
        deadlines.append((ctx.deadline, trio.current_effective_deadline()))
        await trio.sleep(2)
        raise ValueError("again")

    await run(look, retry_once, limit(3))
    assert deadlines == [(3, 3), (5, 5)]


async def test_a_deadline_of_an_earlier_attempt_is_forgotten(autojump_clock: MockClock) -> None:
    """D5, TT1b: a wrapper gives its first attempt little time and the second no bound; the budget then is the
    first thing to fall due, and the caller comes later."""
    deadlines: list[float] = []

    @tool(timeout=5)
    async def work(ctx: ToolContext) -> str:
        deadlines.append(ctx.deadline)
        if len(deadlines) == 1:
            raise ValueError("at once")
        try:
            await trio.sleep_forever()
        finally:
            await rest(3)

    async def hurry_once(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(1):
            result = await call_next()
            if not result.is_error:
                return result
        return await call_next()

    result = await run(work, hurry_once, outside=True, cancel_at=6)
    assert deadlines == [1, 5]
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, 8)


async def test_an_exception_of_an_inner_wrapper_passes_an_expired_claim(autojump_clock: MockClock) -> None:
    """T027."""

    async def fail_late(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        raise LookupError("late")

    result = await run(working(), limit(1), fail_late)
    assert (result.code, "late" in result.text.splitlines()[0]) == (ErrorCode.WRAPPER_FAILED, True)


async def test_a_claim_needs_nothing_to_be_cut(autojump_clock: MockClock) -> None:
    """D6: the claim's time ran out while a wrapper inside sat on a finished result; nothing of it is lost."""

    async def sit(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await rest(3)
        return result

    result = await run(answering("sent id=7"), limit(1), sit)
    assert (result.error, result.cause, trio.current_time()) == (OWN, Cause.DEADLINE, 3)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"


async def test_an_operator_comes_before_a_claim(autojump_clock: MockClock) -> None:
    """D5: every cause from outside is ordered by its time, not the caller's alone."""
    codes: list[tuple[str | None, Cause | None]] = []
    for operator_at in (1, 3):
        async with opened(working(cleanup=5), wrappers=[limit(2)]) as registry, trio.open_nursery() as nursery:
            nursery.start_soon(later, operator_at, lambda registry=registry: registry.cancel("x"))
            result = await execute(registry, "work", call_id="x")
            codes.append((result.code, result.cause))
    assert codes == [(ErrorCode.ABORTED, Cause.OPERATOR), ("OWN_LIMIT", Cause.DEADLINE)]
