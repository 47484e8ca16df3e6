"""The timeout policy: what tools declare is enforced, round everything inside, and nothing else is."""

from __future__ import annotations

from math import inf

import pytest
import trio
from around_tools import answering, execute, opened, raising, rest, retry_once, run, working
from trio.testing import MockClock

from trio_tools import (
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1, "1000"), (0.1, "100"), (30, "30000"), (2.5, "2500"), (0.0005, "0.5"), (86400, "86400000")],
)
async def test_the_text_of_a_timeout(autojump_clock: MockClock, seconds: float, shown: str) -> None:
    """T023, D2: to the letter, in milliseconds; name, code, and the message without prefix."""
    result = await run(working(timeout=seconds))
    assert result.text == f"Error: tool call timed out after {shown}ms"
    assert result.error is not None
    assert (result.error.name, result.error.code) == ("ToolTimeoutError", "TOOL_TIMEOUT")
    assert result.error.message == f"tool call timed out after {shown}ms"
    assert (result.cause, result.dispatched, result.value) == (Cause.DEADLINE, True, None)


async def test_a_tool_without_a_budget_has_all_the_time_there_is(autojump_clock: MockClock) -> None:
    """T020, T031: neither the policy nor the registry knows one of its own."""
    told: list[float] = []

    @tool
    async def look(ctx: ToolContext) -> str:
        told.extend([ctx.deadline, trio.current_effective_deadline()])
        await trio.sleep(80_000)
        return "done"

    result = await run(look)
    assert (told, result.value) == ([inf, inf], "done")


async def test_a_tool_with_a_budget_is_told_of_it_and_a_fast_result_is_left_alone(autojump_clock: MockClock) -> None:
    """T021: also a failure, and a result just within the budget."""
    told: list[float] = []

    @tool(timeout=2)
    async def look(ctx: ToolContext) -> str:
        told.extend([ctx.deadline, trio.current_effective_deadline()])
        await trio.sleep(1.999)
        return "done"

    result = await run(look)
    assert (told, result.value, result.superseded, result.cause) == ([2, 2], "done", None, None)
    failed = await run(raising(ToolError("own", code="OWN_CODE"), timeout=2))
    assert (failed.code, failed.text) == ("OWN_CODE", "Error: own")


async def test_the_callers_earlier_deadline_is_the_one_that_a_body_is_told(autojump_clock: MockClock) -> None:
    """T021."""
    told: list[float] = []

    @tool(timeout=5)
    async def look(ctx: ToolContext) -> None:
        told.append(ctx.deadline)

    await run(look, deadline=3)
    await run(look, deadline=7)
    assert told == [3, 5]


async def test_the_budget_is_that_of_the_tool_that_runs(autojump_clock: MockClock) -> None:
    """T022, D25: one that replaces it while the call is decided on changes nothing; the next call has the new one."""
    async with opened(working(timeout=2)) as registry:

        async def swap(view: CallView) -> None:
            if view.tool is not None and view.tool.timeout == 2:
                registry.unregister("work")
                registry.register(working(timeout=1))

        registry.add_pre_policy(swap)
        texts = [(await execute(registry, "work")).text for _ in range(2)]
    assert texts == [f"Error: tool call timed out after {seconds}000ms" for seconds in (2, 1)]


@pytest.mark.parametrize("late", ["value", "own error", "abort"])
async def test_whatever_an_expired_call_comes_to_is_replaced(autojump_clock: MockClock, late: str) -> None:
    """T023, D6, TT6: a success, the tool's own error, an abort; what was replaced stays known."""

    @tool(timeout=1)
    async def work() -> str:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            if late == "value":
                return "sent id=7"
            if late == "own error":
                raise ToolError("connection dropped", code="WEB_ABORTED") from None
            raise

    result = await run(work)
    assert (result.code, result.cause, result.value) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, None)
    assert result.text.splitlines()[0] == "Error: tool call timed out after 1000ms"
    if late == "abort":
        assert (result.superseded, len(result.text.splitlines())) == (None, 1)
    elif late == "value":
        assert result.superseded is not None
        assert (result.superseded.value, "sent id=7" in result.text) == ("sent id=7", True)
    else:
        assert result.superseded is not None
        assert result.superseded.error is not None
        assert (result.superseded.error.code, "connection dropped" in result.text) == ("WEB_ABORTED", True)


async def test_out_of_budget_before_the_body_ran(autojump_clock: MockClock) -> None:
    """T023, D9: a timeout; only `dispatched` says that nothing happened."""

    async def queue(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await trio.sleep(9)
        return await call_next()

    result = await run(answering(timeout=1), queue)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, False)
    assert trio.current_time() == 1


async def test_whether_it_was_dispatched_sticks_over_attempts(autojump_clock: MockClock) -> None:
    """D9: the first attempt ran, the second never began."""

    async def retry_late(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        await trio.sleep(9)
        return await call_next()

    result = await run(raising(ValueError("flaky"), timeout=1), retry_late)
    assert (result.code, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, True)


async def test_inner_wrappers_spend_the_budget_too(autojump_clock: MockClock) -> None:
    """T029, TT5: a success that waits in a slow wrapper when the time runs out."""

    async def slow(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await trio.sleep(5)
        return result

    result = await run(answering("sent id=7", timeout=1), slow)
    assert (result.code, result.dispatched, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, True, 1)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"


async def test_a_budget_round_a_retry_is_for_the_whole_and_inside_for_each_attempt(autojump_clock: MockClock) -> None:
    """R042."""

    @tool(timeout=3)
    async def fail_slowly() -> None:
        await trio.sleep(2)
        raise ValueError("flaky")

    whole = await run(fail_slowly, retry_once)
    assert (whole.code, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, 3)
    each = await run(fail_slowly, retry_once, outside=True)
    assert (each.code, trio.current_time()) == (ErrorCode.TOOL_FAILED, 7)


async def test_an_outer_wrappers_deadline_is_not_this_budget(autojump_clock: MockClock) -> None:
    """T026, TT1b: also when the budget runs out while the body cleans up after it."""

    async def hurry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(1):
            return await call_next()
        return dispatch.failure("unreached")

    quick = await run(working(timeout=2), hurry, outside=True)
    slow = await run(working(timeout=2, cleanup=5), hurry, outside=True)
    for result in (quick, slow):
        assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.WRAPPER, True)


async def test_an_exception_of_an_inner_wrapper_passes_out_of_budget_too(autojump_clock: MockClock) -> None:
    """T027: it is that wrapper's failure."""

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await rest(2)
        raise ToolError("own", code="OWN_CODE")

    result = await run(answering(timeout=1), fail)
    assert (result.code, result.text) == ("OWN_CODE", "Error: own")


async def test_post_policies_have_no_budget_of_the_tool_over_them(autojump_clock: MockClock) -> None:
    """T028: what is over when they begin does not count."""
    deadlines: list[float] = []

    async def review(view: CallView, result: ToolResult) -> None:
        await trio.sleep(3)
        deadlines.append(trio.current_effective_deadline())

    async with opened(answering(timeout=1)) as registry:
        registry.add_post_policy(review)
        result = await execute(registry, "answer")
    assert (result.value, deadlines, trio.current_time()) == ("answer", [5], 3)


async def test_a_deaf_tool_hangs_past_its_budget(autojump_clock: MockClock) -> None:
    """T030, R048: no race; it is listed as pending until it ends, and then it has timed out."""
    results: list[ToolResult] = []

    @tool(timeout=1)
    async def deaf() -> str:
        await rest(5)
        return "late"

    async with opened(deaf) as registry, trio.open_nursery() as nursery:

        async def go() -> None:
            results.append(await execute(registry, "deaf"))

        nursery.start_soon(go)
        await trio.sleep(4)
        assert (len(registry.pending()), results) == (1, [])
    assert (results[0].code, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, 5)
    assert results[0].superseded is not None
    assert results[0].superseded.value == "late"
