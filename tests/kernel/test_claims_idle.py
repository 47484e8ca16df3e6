"""Idle budgets: they run out when nothing is reported for so long, and progress winds them up again."""

from __future__ import annotations

import trio
from around_tools import OWN, execute, limit, opened, rest, run, silent_limit, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import CallNext, CallView, Cause, Dispatch, ErrorCode, Progress, ToolCall, ToolContext, ToolResult, tool


@tool(idle_timeout=2)
async def step(ctx: ToolContext) -> str:
    """Reports five times, a second apart, and then hangs."""
    for done in range(5):
        await trio.sleep(1)
        ctx.report_progress(done)
    await trio.sleep_forever()


async def test_progress_keeps_an_idle_budget_from_running_out(autojump_clock: MockClock) -> None:
    """T009, TT8: the last report was at 5, the budget is 2; the cause tells it from a budget for the whole."""
    result = await run(step)
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, 7)
    assert result.error is not None
    assert result.error.name == "ToolTimeoutError"
    assert result.text.startswith("Error: tool call timed out after 2000ms")


async def test_without_progress_an_idle_budget_is_a_budget(autojump_clock: MockClock) -> None:
    """T009."""
    result = await run(working(idle_timeout=2, cleanup=1))
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, 3)


async def test_a_tool_that_ends_in_time_has_no_idle_budget_any_more(autojump_clock: MockClock) -> None:
    """T009, T005."""
    async with opened(working(1, idle_timeout=2)) as registry:
        first = await execute(registry, "work")
        await trio.sleep(5)
        second = await execute(registry, "work")
    assert (first.value, second.value) == ("worked", "worked")


async def test_the_budget_for_the_whole_ends_a_tool_that_reports_for_ever(autojump_clock: MockClock) -> None:
    """T009, D5: both budgets at once; each names itself."""

    @tool(timeout=10, idle_timeout=2)
    async def chat(ctx: ToolContext) -> str:
        for done in range(1_000):
            await trio.sleep(1)
            ctx.report_progress(done)
        return "done"

    result = await run(chat)
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, 10)
    assert result.text == "Error: tool call timed out after 10000ms"


async def test_of_both_budgets_the_idle_one_may_come_first(autojump_clock: MockClock) -> None:
    """T009, D5: also when the cleanup outlasts the budget for the whole."""
    result = await run(working(cleanup=9, timeout=5, idle_timeout=2))
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, 11)


async def test_of_equal_budgets_the_one_for_the_whole_owns(autojump_clock: MockClock) -> None:
    """D5, TT2: of equal deadlines the outermost."""
    result = await run(working(timeout=2, idle_timeout=2))
    assert (result.cause, result.text) == (Cause.DEADLINE, "Error: tool call timed out after 2000ms")


async def test_progress_after_the_idle_budget_has_run_out_revives_nothing(autojump_clock: MockClock) -> None:
    """T006, T009: the first cause stays."""

    @tool(idle_timeout=2)
    async def late(ctx: ToolContext) -> None:
        try:
            await trio.sleep_forever()
        finally:
            ctx.report_progress(1)
            await rest(3)
            ctx.report_progress(2)

    result = await run(late)
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, 5)


async def test_progress_that_blocks_past_the_idle_budget_comes_too_late(mock_clock: MockClock) -> None:
    """T009, D6: the time counts, whether or not Trio has processed it."""

    @tool(idle_timeout=2)
    async def block(ctx: ToolContext) -> str:
        mock_clock.jump(3)
        ctx.report_progress(1)
        return "sent id=7"

    result = await run(block)
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"


async def test_the_deadline_that_a_body_is_told_moves_with_its_progress(autojump_clock: MockClock) -> None:
    """T009, T021."""
    told: list[float] = []

    @tool(idle_timeout=2)
    async def ask(ctx: ToolContext) -> None:
        for done in range(3):
            told.append(ctx.deadline)
            await trio.sleep(1)
            ctx.report_progress(done)

    await run(ask)
    assert told == [2, 3, 4]


async def test_progress_does_not_move_a_claim_that_is_not_idle(autojump_clock: MockClock) -> None:
    """T009."""
    result = await run(step, limit(3))
    assert (result.error, result.cause, trio.current_time()) == (OWN, Cause.DEADLINE, 3)


async def test_a_wrapper_inside_may_wait_without_progress_too(autojump_clock: MockClock) -> None:
    """T009, T029: an idle budget covers what is inside it, the body or not."""

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await trio.sleep(9)
        return await call_next()

    result = await run(step, dawdle)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, Cause.IDLE, False)
    assert trio.current_time() == 2


async def test_observers_of_progress_hear_it_in_order_and_a_failing_one_changes_nothing(
    autojump_clock: MockClock,
) -> None:
    """T009."""
    heard: list[float] = []

    def hear(view: CallView, progress: Progress) -> None:
        heard.append(progress.done)
        raise ValueError("a broken bar")

    async with opened(step) as registry:
        registry.add_progress_observer(hear)
        result = await execute(registry, "step")
    assert (heard, result.cause, trio.current_time()) == ([0, 1, 2, 3, 4], Cause.IDLE, 7)


async def test_an_outer_wrappers_deadline_may_pass_behind_a_renewed_idle_budget(autojump_clock: MockClock) -> None:
    """D5, T026: it was later than the idle budget at first, and still came first in the end."""

    @tool(idle_timeout=2)
    async def work(ctx: ToolContext) -> None:
        await trio.sleep(1.5)
        ctx.report_progress(1)
        try:
            await trio.sleep_forever()
        finally:
            await rest(4)

    alive = await run(work, silent_limit(3), outside=True)  # at 3; the idle budget, wound up to 3.5, in the cleanup
    assert (alive.code, alive.cause, trio.current_time()) == (ErrorCode.ABORTED, Cause.WRAPPER, 7)


async def test_the_same_with_a_caller_who_cancels_in_the_cleanup(autojump_clock: MockClock) -> None:
    """D5, T026: three causes: the wrapper at 3, the idle budget at 3.5, the caller at 5. It is no timeout."""

    @tool(idle_timeout=2)
    async def work(ctx: ToolContext) -> None:
        await trio.sleep(1.5)
        ctx.report_progress(1)
        try:
            await trio.sleep_forever()
        finally:
            await rest(4)

    result = await run(work, silent_limit(3), outside=True, cancel_at=5)
    assert (result.code, trio.current_time()) == (ErrorCode.ABORTED, 7)


async def test_an_enclosing_deadline_may_pass_behind_a_renewed_idle_budget(mock_clock: MockClock) -> None:
    """D5: the loop is blocked over both, which Trio learns of at the same time; the earlier owns."""
    published: list[ToolResult] = []

    @tool(idle_timeout=2)
    async def block(ctx: ToolContext) -> None:
        mock_clock.jump(1.5)
        await trio.lowlevel.checkpoint()
        ctx.report_progress(1)  # now it runs to 3.5
        mock_clock.jump(3)
        await trio.sleep_forever()

    with trio.move_on_after(3):
        async with opened(block) as registry:
            registry.add_observer(lambda view, result: published.append(result))
            await registry.execute(ToolCall("block"), scope=trio.CancelScope())
    assert [(one.code, one.cause) for one in published] == [(ErrorCode.ABORTED, Cause.CALLER)]


async def test_progress_of_one_call_does_not_renew_another(autojump_clock: MockClock) -> None:
    """T009: two calls of one tool, only one of which reports."""
    results: dict[str, tuple[ToolResult, float]] = {}

    @tool(idle_timeout=2, parallel=True)
    async def maybe(ctx: ToolContext) -> str:
        for done in range(4):
            await trio.sleep(1)
            if ctx.call.id == "busy":
                ctx.report_progress(done)
        return "done"

    async with opened(maybe) as registry, trio.open_nursery() as nursery:

        async def go(call_id: str) -> None:
            result = await execute(registry, "maybe", call_id=call_id)
            results[call_id] = (result, trio.current_time())

        nursery.start_soon(go, "busy")
        nursery.start_soon(go, "quiet")
        await wait_all_tasks_blocked()
    assert (results["busy"][0].value, results["busy"][1]) == ("done", 4)
    assert (results["quiet"][0].cause, results["quiet"][1]) == (Cause.IDLE, 2)
