"""The retry policy and time: waits, budgets inside and outside, deadlines, and whoever gives the call up meanwhile."""

from __future__ import annotations

import logging
from math import inf

import pytest
import trio
from retry_tools import STEADY, Tried, called, failing, tried, trying
from trio.testing import MockClock

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, ToolContext, ToolResult, open_registry, tool
from trio_tools.policies import RetryConfig, retry


def always(seconds: float = 0, timeout: float | None = None) -> Tried:
    """A tool that fails whenever it is tried."""
    return failing(*(OSError(str(number)) for number in range(1, 20)), seconds=seconds, timeout=timeout)


async def test_each_wait_is_longer_than_the_one_before_up_to_a_bound(autojump_clock: MockClock) -> None:
    one = always()
    await tried(one.tool, config=RetryConfig(attempts=6, first_delay=1, factor=3, max_delay=10, jitter=0))
    assert one.entered == [0, 1, 4, 13, 23, 33]


@pytest.mark.parametrize(("jitter", "least"), [(1.0, 0.0), (0.25, 7.5)])
async def test_waits_are_drawn_so_that_calls_do_not_come_back_together(
    autojump_clock: MockClock, jitter: float, least: float
) -> None:
    """Somewhere in the share that may be drawn, and not in one place."""
    one = always()
    await tried(one.tool, config=RetryConfig(attempts=19, first_delay=10, factor=1, jitter=jitter))
    waits = [after - before for before, after in zip(one.entered, one.entered[1:], strict=False)]
    assert all(least <= wait <= 10 for wait in waits)
    assert min(waits) < least + (10 - least) / 2 < max(waits)


async def test_a_budget_outside_covers_all_attempts_and_the_waits(autojump_clock: MockClock) -> None:
    """R042, T029: the attempt that it cuts is the last."""
    one = always(seconds=2, timeout=6)
    result = await tried(one.tool)
    assert (one.entered, trio.current_time()) == ([0, 3], 5)  # another wait, of 2 seconds, does not fit
    assert (result.code, result.cause, result.text) == (ErrorCode.TOOL_FAILED, None, "Error: OSError: 2")


async def test_a_budget_outside_that_runs_out_in_an_attempt_is_the_end(autojump_clock: MockClock) -> None:
    """R042, T023: what was cut is not attempted again."""
    one = always(seconds=2, timeout=4)
    result = await tried(one.tool)
    assert (one.entered, trio.current_time()) == ([0, 3], 4)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, True)


async def test_a_budget_inside_is_anew_for_each_attempt(autojump_clock: MockClock) -> None:
    """R042: each is cut, each is attempted again, and the last one's timeout stands."""
    one = always(seconds=9, timeout=4)
    result = await tried(one.tool, each=True)
    assert (one.entered, trio.current_time()) == ([0, 5, 11], 15)
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)


async def test_an_idle_budget_inside_is_anew_for_each_attempt_and_does_not_run_in_the_waits(
    autojump_clock: MockClock,
) -> None:
    """T009: an attempt that shows no progress is cut, and the next one may show some."""
    entered: list[float] = []

    @tool(idle_timeout=0.5, idempotent=True)
    async def work(ctx: ToolContext) -> str:
        entered.append(trio.current_time())
        for done in range(4):
            await trio.sleep(0.4 if len(entered) == 2 else 2)
            ctx.report_progress(done)
        return "worked"

    result = await tried(work, each=True)
    assert (result.value, entered) == ("worked", [0, 1.5])
    assert trio.current_time() == pytest.approx(3.1)


async def test_an_idle_budget_outside_counts_the_waits_as_idle(autojump_clock: MockClock) -> None:
    """T009, T029: a wait that it would cut is not begun."""

    @tool(idle_timeout=0.5, idempotent=True)
    async def work() -> None:
        await trio.sleep(0.25)
        raise OSError("one")

    result = await tried(work)
    assert (result.code, trio.current_time()) == (ErrorCode.TOOL_FAILED, 0.25)


@pytest.mark.parametrize("each", [False, True])
async def test_a_caller_who_gives_up_while_it_waits_gets_the_failure_there_is(
    autojump_clock: MockClock, each: bool
) -> None:
    """R044, R050: at once, and there is no further attempt."""
    one = always(seconds=2, timeout=50)
    result = await tried(one.tool, each=each, cancel_at=2.5)
    assert (one.entered, trio.current_time()) == ([0], 2.5)
    assert (result.code, result.text) == (ErrorCode.TOOL_FAILED, "Error: OSError: 1")


@pytest.mark.parametrize("each", [False, True])
async def test_a_caller_who_gives_up_during_an_attempt_gets_an_abort(autojump_clock: MockClock, each: bool) -> None:
    """R044, D5."""
    one = always(seconds=2, timeout=50)
    result = await tried(one.tool, each=each, cancel_at=3.5)
    assert (one.entered, trio.current_time()) == ([0, 3], 3.5)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)


async def test_a_body_that_fails_because_it_was_cut_is_not_attempted_again(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """R050: a failure of its own, and of a call that was given up. There is nothing to say of further attempts."""
    caplog.set_level(logging.INFO, "trio_tools.retry")
    entered: list[float] = []

    @tool(idempotent=True)
    async def work() -> None:
        entered.append(trio.current_time())
        try:
            await trio.sleep_forever()
        finally:
            raise OSError("connection dropped")

    result = await tried(work, cancel_at=1)
    assert (entered, result.code, trio.current_time()) == ([0], ErrorCode.TOOL_FAILED, 1)
    assert caplog.records == []


async def test_a_caller_who_gives_up_before_the_body_ran_gets_an_abort(autojump_clock: MockClock) -> None:
    """What an inner wrapper failed with goes: nothing was begun, and that is what matters."""

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        raise ConnectionError("no route")

    result = await tried(failing().tool, fail, cancel_at=0.5)
    assert (result.code, result.cause, trio.current_time()) == (
        ErrorCode.ABORTED_BEFORE_DISPATCH,
        Cause.CALLER,
        0.5,
    )


@pytest.mark.parametrize(("deadline", "entries", "ends"), [(2.5, 1, 2), (3, 1, 2), (3.5, 2, 3.5), (inf, 3, 10)])
async def test_no_wait_is_begun_that_the_callers_deadline_would_cut(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, deadline: float, entries: int, ends: float
) -> None:
    """The failure at once is more than a timeout later; and the log says why there was no other attempt."""
    caplog.set_level(logging.INFO, "trio_tools.retry")
    one = always(seconds=2)
    result = await tried(one.tool, deadline=deadline)
    assert (len(one.entered), trio.current_time() - (1 if ends == 10 else 0)) == (entries, 8 if ends == 10 else ends)
    assert result.code == (ErrorCode.ABORTED if ends == 3.5 else ErrorCode.TOOL_FAILED)
    told = "attempt 1 of 3 came to TOOL_FAILED; no time is left to wait 1.000 s for another" in caplog.text
    assert told is (ends == 2)


async def test_a_scope_around_the_turn_counts_as_the_callers_deadline(autojump_clock: MockClock) -> None:
    one = always()
    async with trying(one.tool) as registry:
        with trio.move_on_after(0.5) as enclosing:
            result = await called(registry, one.tool)
            assert (result.code, trio.current_time()) == (ErrorCode.TOOL_FAILED, 0)
        assert not enclosing.cancelled_caught


async def test_an_outer_wrappers_scope_ends_it_where_a_shield_hides_the_scope(autojump_clock: MockClock) -> None:
    """R044: the caller's cancel reaches a wait behind a shield too."""
    one = always()

    async def shield(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        # unbounded: that the cancel goes through it is what is tested
        with trio.CancelScope(shield=True):
            return await call_next()
        raise AssertionError("nobody cancels this scope")

    async with open_registry(defaults=False) as registry:
        registry.add_wrapper(shield)
        registry.register(one.tool)
        async with retry(STEADY).open(registry):
            result = await called(registry, one.tool, cancel_at=2)
    assert (one.entered, trio.current_time(), result.text) == ([0, 1], 2, "Error: OSError: 2")


async def test_an_operator_ends_a_wait(autojump_clock: MockClock) -> None:
    one = always()
    async with trying(one.tool) as registry, trio.open_nursery() as nursery:

        async def go() -> None:
            result = await called(registry, one.tool)
            assert (one.entered, trio.current_time(), result.text) == ([0], 0.5, "Error: OSError: 1")

        nursery.start_soon(go)
        await trio.sleep(0.5)
        assert [stuck.stage for stuck in registry.pending()] == ["around"]
        assert registry.cancel("c1") == 1


async def test_a_registry_that_leaves_by_an_error_ends_a_wait(autojump_clock: MockClock) -> None:
    one = always()
    results: list[ToolResult] = []

    async def leave(nursery: trio.Nursery) -> None:
        async with trying(one.tool) as registry:
            registry.add_observer(lambda view, result: results.append(result))
            nursery.start_soon(called, registry, one.tool)
            await trio.sleep(0.5)
            raise LookupError

    async with trio.open_nursery() as nursery:
        with pytest.raises(LookupError):
            await leave(nursery)
    assert ([result.text for result in results], one.entered) == (["Error: OSError: 1"], [0])
    assert trio.current_time() == 0.5


async def test_a_registry_that_drains_waits_for_the_attempts_of_a_running_call(autojump_clock: MockClock) -> None:
    """They are that call's, and no new ones."""
    one = failing(OSError("one"), OSError("two"))
    seen: list[object] = []
    async with trio.open_nursery() as nursery, trying(one.tool) as registry:
        registry.add_observer(lambda view, result: seen.append(result.value))
        nursery.start_soon(called, registry, one.tool)
        await trio.sleep(0.5)
        await registry.drain()
        assert (seen, one.entered) == (["recovered"], [0, 1, 3])
