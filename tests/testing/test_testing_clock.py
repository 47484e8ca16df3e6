"""The virtual clock: it jumps when nothing can run, lets Trio's ways of waiting alone, and ends what does not end."""

from __future__ import annotations

import threading

import pytest
import trio
import trio.testing

from trio_tools import ToolCall, ToolContext
from trio_tools.testing import BrokenPromiseError, Report, explore_cancellation, explore_turn
from trio_tools.tool import Body


def broken(body: Body) -> Report:
    with pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation(body)
    return caught.value.report


async def takes_a_day() -> float:
    began = trio.current_time()
    await trio.sleep(86_400)
    return trio.current_time() - began


def test_time_passes_in_jumps() -> None:
    report = explore_cancellation(takes_a_day)
    assert report.virtual
    assert report.seconds < 60
    assert report.undisturbed[0].value == 86_400


async def waits_until_all_is_quiet() -> str:
    """As tests do that users bring along."""
    with trio.move_on_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
            return "quiet"
    return "time passed first"


def test_waiting_until_all_tasks_are_blocked_takes_no_time() -> None:
    report = explore_cancellation(waits_until_all_is_quiet)
    assert (report.undisturbed[0].value, report.virtual) == ("quiet", True)


async def calls_back_soon() -> str:
    """From the loop's own thread."""
    called = trio.Event()
    trio.lowlevel.current_trio_token().run_sync_soon(called.set)
    with trio.move_on_after(5):
        await called.wait()
        return "called"
    return "time passed first"


def test_what_the_loops_own_thread_calls_soon_comes_before_time_passes() -> None:
    report = explore_cancellation(calls_back_soon)
    assert (report.undisturbed[0].value, report.virtual) == ("called", True)


def test_threads_that_were_there_before_do_not_hold_the_clock_back() -> None:
    """Test runners, debuggers and servers have some."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        report = explore_cancellation(takes_a_day)
    finally:
        end.set()
        thread.join()
    assert report.virtual
    assert report.failures == ()


# --- what does not end ------------------------------------------------------------------------------------------------


async def waits_in_a_shield_for_what_never_comes() -> None:
    try:
        await trio.sleep(1)
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await trio.sleep_forever()


async def loops_with_checkpoints() -> None:
    while True:
        try:
            await trio.sleep(1)
            return
        except BaseException:
            continue


async def loops_in_a_shield() -> None:
    try:
        await trio.sleep(1)
    except trio.Cancelled:
        with trio.move_on_after(1e9, shield=True):
            while True:
                await trio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (waits_in_a_shield_for_what_never_comes, "nothing can wake it any more"),
        (loops_with_checkpoints, "it goes on beyond its bound"),
        (loops_in_a_shield, "it goes on beyond its bound"),
    ],
)
def test_a_call_that_never_settles_is_given_up_and_its_place_is_told(body: Body, words: str) -> None:
    report = broken(body)
    found = [finding for failure in report.failures for finding in failure.findings]
    assert {finding.check for finding in found} == {"settles"}
    assert found[0].words.startswith(f"the call does not settle: {words}; {__file__}:")
    assert getattr(body, "__name__", "?") in found[0].words


async def loops_undisturbed() -> None:
    while True:
        await trio.lowlevel.checkpoint()


def test_a_call_that_loops_undisturbed_is_given_up_too() -> None:
    """It may be bounded by nothing but steps: time does not pass."""
    report = broken(loops_undisturbed)
    assert report.failures[0].case is None
    assert [finding.check for finding in report.failures[0].findings] == ["settles"]


def test_what_is_left_of_a_run_that_was_given_up_disturbs_nobody() -> None:
    broken(loops_with_checkpoints)
    assert explore_cancellation(takes_a_day).failures == ()
    assert trio.run(takes_a_day, clock=trio.testing.MockClock(autojump_threshold=0)) == 86_400


async def ctrl_c_is_swallowed(ctx: ToolContext) -> None:
    await trio.lowlevel.checkpoint()
    while True:
        try:
            await trio.sleep(1)
            return
        except trio.Cancelled:
            if ctx.cancel_reason is None or "explored" not in ctx.cancel_reason:
                continue
            raise


def test_a_run_that_a_ctrl_c_does_not_end_is_given_up() -> None:
    report = broken(ctrl_c_is_swallowed)
    assert {finding.check for failure in report.failures for finding in failure.findings} == {"settles"}


def test_a_turn_has_the_virtual_clock_too() -> None:
    report = explore_turn([takes_a_day], [ToolCall("takes_a_day"), ToolCall("takes_a_day")], runs=20)
    assert report.virtual
