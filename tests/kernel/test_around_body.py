"""What comes of a body once it was entered: the scopes say whether it was cut, never the type of what it raised."""

from __future__ import annotations

import pytest
import trio
from around_tools import answering, later, opened, rest, run, silent_limit, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    CallNext,
    Cause,
    Dispatch,
    ErrorCode,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)


@tool
async def swallow() -> str:
    """Eats its cancellation and answers."""
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        return "swallowed"


@tool
async def fail_in_cleanup() -> None:
    """Raises an error of its own when it is cut."""
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        raise ToolError("socket left open", code="DIRTY_END") from None


@tool
async def fail_in_cleanup_without_trace() -> None:
    """The same, from a `finally`: Python chains the cancellation, the error replaces it."""
    try:
        await trio.sleep_forever()
    finally:
        raise OSError("disk full")


@tool
async def fail_beside_cancelled_children() -> None:
    """One child fails in its cleanup, others are cut: a group of both kinds."""

    async def fail() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ToolError("child failed", code="CHILD_FAILED")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        nursery.start_soon(trio.sleep_forever)


@tool
async def only_children() -> None:
    """Cut in a nursery inside a nursery."""
    async with trio.open_nursery() as outer, trio.open_nursery() as inner:
        outer.start_soon(trio.sleep_forever)
        inner.start_soon(trio.sleep_forever)


@pytest.mark.parametrize("seconds", [0, 3])
async def test_a_cut_body_is_waited_for(autojump_clock: MockClock, seconds: float) -> None:
    """R048: to the end of its cleanup."""
    result = await run(working(cleanup=seconds), cancel_at=1)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.CALLER, True)
    assert result.text == "Error: tool call aborted"
    assert trio.current_time() == 1 + seconds


async def test_a_deaf_body_keeps_its_call_pending(autojump_clock: MockClock) -> None:
    """R048, T030: it shows where it is; it is never reported as over."""
    scope = trio.CancelScope()

    @tool
    async def deaf() -> str:
        await rest(9)
        return "deaf"

    async with opened(deaf) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(later, 1, scope.cancel)
        results: list[ToolResult] = []

        async def go() -> None:
            results.append(await registry.execute(ToolCall("deaf"), scope=scope))

        nursery.start_soon(go)
        await trio.sleep(4)
        (pending,) = registry.pending()
        assert (pending.stage, pending.seconds_since_cancel, results) == ("dispatch", 3, [])
        assert any(line.endswith(" rest") for line in pending.where)
    assert [(one.code, one.superseded and one.superseded.value) for one in results] == [(ErrorCode.ABORTED, "deaf")]
    assert trio.current_time() == 9


async def test_an_unshielded_cleanup_is_cut_at_its_first_wait(autojump_clock: MockClock) -> None:
    """RT8: Trio's cancellation stays in force, so that a tool needs a shield, with a bound, to clean up."""
    steps: list[str] = []

    @tool
    async def clean_up() -> None:
        try:
            await trio.sleep_forever()
        finally:
            steps.append("begun")
            with trio.move_on_after(2, shield=True):
                await trio.sleep(1)
                steps.append("shielded")
            await trio.sleep(1)
            steps.append("unshielded")

    result = await run(clean_up, cancel_at=1)
    assert (result.code, steps, trio.current_time()) == (ErrorCode.ABORTED, ["begun", "shielded"], 2)


async def test_a_value_after_a_cancel_is_an_abort_that_keeps_it() -> None:
    """R049, RT7: the caller cancels while the body still runs, without a checkpoint in between."""
    scope = trio.CancelScope()

    @tool
    async def cancel_and_answer() -> str:
        scope.cancel()
        return "sent id=7"

    async with opened(cancel_and_answer) as registry:
        result = await registry.execute(ToolCall("cancel_and_answer"), scope=scope)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.CALLER, True)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"
    assert result.text.startswith("Error: tool call aborted\n")
    assert "sent id=7" in result.text


async def test_a_body_that_swallows_its_cancellation_is_aborted(autojump_clock: MockClock) -> None:
    """R049, RT7, case B04: decided by the record, as Trio's own flag says that nothing was caught."""
    result = await run(swallow, cancel_at=1)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)
    assert result.superseded is not None
    assert result.superseded.value == "swallowed"


async def test_a_value_after_a_wrappers_cancel_is_an_abort(autojump_clock: MockClock) -> None:
    """R049: the caller's scope is alive; the wrapper sees the abort too."""
    seen: list[ToolResult] = []

    async def look(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        seen.append(await call_next())
        return seen[0]

    result = await run(swallow, silent_limit(1), look)
    assert [one.code for one in seen] == [ErrorCode.ABORTED]
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.WRAPPER, True)
    assert result.superseded is not None
    assert result.superseded.value == "swallowed"


@pytest.mark.parametrize(
    ("failing", "code", "text"),
    [
        (fail_in_cleanup, "DIRTY_END", "Error: socket left open"),
        (fail_in_cleanup_without_trace, ErrorCode.TOOL_FAILED, "Error: OSError: disk full"),
        (fail_beside_cancelled_children, "CHILD_FAILED", "Error: child failed"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
async def test_an_error_of_the_body_after_a_cancel_stays_that_error(
    autojump_clock: MockClock, failing: Tool, code: str, text: str
) -> None:
    """R050, RT6: its code and text, with the cancellations of a group left out; failures have no cause."""
    result = await run(failing, cancel_at=1)
    assert (result.code, result.text, result.dispatched, result.cause) == (code, text, True, None)


async def test_an_error_of_the_body_after_a_cancel_stays_also_when_a_wrapper_is_cut_next(
    autojump_clock: MockClock,
) -> None:
    """R050: a wrapper that only tidies up behind the body does not turn the failure to an abort."""

    async def tidy(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        await trio.lowlevel.checkpoint()
        return result

    result = await run(fail_in_cleanup, tidy, cancel_at=1)
    assert (result.code, result.text.splitlines()[0]) == ("DIRTY_END", "Error: socket left open")


async def test_a_group_of_nothing_but_cancellations_is_an_abort(autojump_clock: MockClock) -> None:
    """RT6."""
    result = await run(only_children, cancel_at=1)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)


async def test_output_that_does_not_fit_wins_over_a_cancel() -> None:
    """R051: the value is checked before the cancel is."""
    scope = trio.CancelScope()

    @tool(output=int)
    async def misfit() -> str:
        scope.cancel()
        return "no number"

    async with opened(misfit) as registry:
        result = await registry.execute(ToolCall("misfit"), scope=scope)
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_TOOL_OUTPUT, True)
    assert result.error is not None
    assert result.error.name == "ToolOutputError"
    assert result.text.startswith('Error: tool "misfit" returned invalid output: ')


@pytest.mark.parametrize(
    "value", [object(), float("nan"), {1: "a"}, {"a": {1, object()}}], ids=["object", "nan", "key", "set"]
)
async def test_output_that_is_no_json_is_an_error_that_shows_it(value: object) -> None:
    """R051."""
    result = await run(answering(value))
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_TOOL_OUTPUT, True)
    assert result.superseded is not None


async def test_a_scope_of_the_bodys_own_is_its_own_affair(autojump_clock: MockClock) -> None:
    """R049, D5: it may cancel itself and answer; nobody gave the call up."""
    told: list[bool] = []

    @tool(timeout=60)
    async def race(ctx: ToolContext) -> str:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        with trio.move_on_after(1):
            await trio.sleep_forever()
        told.append(ctx.cancel_requested)
        return "won"

    result = await run(race)
    assert (result.value, result.cause, told, trio.current_time()) == ("won", None, [False], 1)
