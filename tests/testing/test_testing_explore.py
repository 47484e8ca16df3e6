"""Explorations: what they are given, what they refuse, what they say."""

from __future__ import annotations

import gc
import os
import random
import signal
import tempfile
import threading
from collections.abc import Callable

import pytest
import trio
from trio._core import _run

from trio_tools import ToolCall, ToolContext, ToolError, tool
from trio_tools.testing import BrokenPromiseError, Mode, Report, Run, explore_cancellation, explore_turn
from trio_tools.testing._life import Life
from trio_tools.testing._surroundings import MARK


async def two_naps(note: str = "x") -> str:
    """Sleeps twice."""
    await trio.sleep(1)
    await trio.sleep(1)
    return note


def broken(explore: Callable[[], object]) -> Report:
    with pytest.raises(BrokenPromiseError) as caught:
        explore()
    return caught.value.report


def test_every_step_is_ended_in_every_mode() -> None:
    seen: list[tuple[str, int]] = []

    def note(run: Run) -> None:
        if run.case is not None:
            seen.append((run.case.mode, run.case.step))

    report = explore_cancellation(two_naps, {"note": "y"}, check=note)
    assert report.cases == report.steps * len(Mode) == len(seen) == len(set(seen))
    assert (report.runs, report.untried, report.failures, report.unproved) == (report.cases + 1, 0, (), ())
    assert report.virtual
    assert [result.value for result in report.undisturbed] == ["y"]
    assert str(report).startswith(f"two_naps: {report.steps} steps, {report.runs} runs on the virtual clock in ")
    assert str(report).endswith(" s, no broken")


def test_a_tool_a_function_and_a_method_are_explored_and_arguments_may_be_json_text() -> None:
    class Counter:
        async def count(self, by: int) -> int:
            await trio.sleep(by)
            return by

    assert explore_cancellation(tool(two_naps)).name == "two_naps"
    assert explore_cancellation(Counter().count, '{"by": 2}').undisturbed[0].value == 2


def test_more_seeds_make_more_runs() -> None:
    one, three = (explore_cancellation(two_naps, seeds=seeds).cases for seeds in (1, 3))
    assert three == 3 * one


# --- what is refused --------------------------------------------------------------------------------------------------


async def test_inside_of_trio_it_is_refused() -> None:
    with pytest.raises(RuntimeError, match="an exploration runs Trio itself: call it from a plain function"):
        explore_cancellation(two_naps)


def test_a_name_that_no_plugin_brings_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r'nothing to explore: the call of web_fetch cannot run: .*unknown tool "web_f'
    ):
        explore_cancellation("web_fetch")


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r'the call of two_naps cannot run: .*invalid arguments: "note" must be a str'):
        explore_cancellation(two_naps, {"note": 3})


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(TypeError, match="int"):
        explore_cancellation(3)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seeds", [0, -1, True, 1.5, "2"])
def test_seeds_are_a_positive_number(seeds: int) -> None:
    with pytest.raises(ValueError, match="seeds must be a positive whole number, not"):
        explore_cancellation(two_naps, seeds=seeds)


@pytest.mark.parametrize("number", [0, -1.0, float("inf"), float("nan")])
def test_bound_and_seconds_are_positive_and_finite(number: float) -> None:
    with pytest.raises(ValueError, match="bound"):
        explore_cancellation(two_naps, bound=number)
    with pytest.raises(ValueError, match="seconds"):
        explore_cancellation(two_naps, seconds=number)


# --- the check of one's own -------------------------------------------------------------------------------------------


def returns_false(run: Run) -> bool:
    return False


def returns_a_text(run: Run) -> str:
    return "a seat is lost"


def returns_no_text(run: Run) -> str:
    return ""


async def later_false(run: Run) -> bool:
    await trio.sleep(1)
    return False


def raises_value_error(run: Run) -> None:
    raise ValueError("no seat")


def asserts(run: Run) -> None:
    free = 2
    assert free == 3, f"{free} seats are free"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (returns_false, "it returned False"),
        (returns_a_text, "a seat is lost"),
        (returns_no_text, "it returned False"),
        (later_false, "it returned False"),
        (raises_value_error, "ValueError: no seat"),
        (asserts, "AssertionError: 2 seats are free"),
    ],
)
def test_a_check_objects_by_false_a_text_or_an_exception(check: Callable[[Run], object], words: str) -> None:
    report = broken(lambda: explore_cancellation(two_naps, check=check))
    (finding,) = report.failures[0].findings
    assert finding.check == "check"
    assert finding.words.startswith(f"the check of your own objects: {words}")


@pytest.mark.parametrize("answer", [None, True, 0, []])
def test_a_check_that_gives_anything_else_is_content(answer: object) -> None:
    assert explore_cancellation(two_naps, check=lambda run: answer).failures == ()


def test_a_check_reads_the_case_the_result_and_what_happened() -> None:
    def check(run: Run) -> None:
        assert run.results == (run.result,)
        assert (run.result.code is None) == (run.case is None or run.lives[0].ended is None)
        assert run.happened == ()
        with pytest.raises(LookupError, match="no dict is among the services of this run"):
            run.service(dict)

    assert explore_cancellation(two_naps, check=check).failures == ()


def test_a_result_that_is_not_there_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="the call has no result"):
        _ = Run(None, [Life(0, "pay", int, frozenset())]).result


# --- bounds -----------------------------------------------------------------------------------------------------------


async def cleans_up_for_long() -> str:
    """Takes 1 s, and 50 s to clean up."""
    try:
        await trio.sleep(20)
    except trio.Cancelled:
        with trio.move_on_after(90, shield=True):
            await trio.sleep(50)
        raise
    return "done"


def test_the_bound_says_how_long_a_call_may_take_to_settle() -> None:
    """20 s undisturbed: three times that is enough for 50 s of clean-up, twice is not."""
    assert explore_cancellation(cleans_up_for_long).failures == ()
    report = broken(lambda: explore_cancellation(cleans_up_for_long, bound=2))
    assert "the call does not settle: it goes on beyond its bound" in str(report)


def test_when_the_time_is_up_the_rest_is_said_to_be_untried() -> None:
    report = explore_cancellation(two_naps, seconds=1e-9)
    assert report.untried == report.cases > 0
    assert report.unproved == (f"{report.cases} of {report.cases} cases were not tried: the time was up",)


def test_it_stops_after_five_cases_with_broken_promises_and_shows_three() -> None:
    report = broken(lambda: explore_cancellation(two_naps, check=lambda run: run.case is None))
    assert len(report.failures) == 5
    assert str(report).count("again: ") == 3
    assert "... and 2 more cases" in str(report)
    assert ", 5 broken\n" in str(report)


# --- what is not proved -----------------------------------------------------------------------------------------------


async def fails_always() -> str:
    await trio.sleep(1)
    raise ToolError("out of stock")


async def waits_for_ever() -> None:
    await trio.sleep_forever()


def test_a_tool_that_fails_undisturbed_leaves_its_success_unproved() -> None:
    (unproved,) = explore_cancellation(fails_always).unproved
    assert unproved == (
        "undisturbed, fails_always does not succeed, and what it would do then was not seen: Error: out of stock"
    )


def test_a_tool_without_an_end_of_its_own_is_said_to_have_none() -> None:
    (unproved,) = explore_cancellation(waits_for_ever).unproved
    assert "the call has no end of its own: a budget that it was given cut it after 1,000,000 s" in unproved


def test_what_a_tool_keeps_from_run_to_run_is_said_to_leave_cases_out() -> None:
    known: dict[str, str] = {}

    async def looks_up(ctx: ToolContext) -> str:
        if "x" not in known:
            await trio.sleep(1)
            await trio.sleep(1)
            known["x"] = "y"
        return known["x"]

    report = explore_cancellation(looks_up)
    assert report.failures == ()
    (unproved,) = report.unproved
    assert "cases never came: the call took fewer steps than undisturbed" in unproved


def test_outside_the_main_thread_ctrl_c_is_said_not_to_be_tried() -> None:
    reports: list[Report] = []
    seen: list[Mode] = []

    def note(run: Run) -> None:
        if run.case is not None:
            seen.append(run.case.mode)

    thread = threading.Thread(target=lambda: reports.append(explore_cancellation(two_naps, check=note)))
    thread.start()
    thread.join()
    assert reports[0].unproved == ("Ctrl-C was not tried: only the main thread is sent signals",)
    assert reports[0].virtual  # although the main thread was busy, waiting
    assert set(seen) == set(Mode) - {Mode.INTERRUPT}


# --- nothing is left changed ------------------------------------------------------------------------------------------


def state() -> list[object]:
    dice = (random.getstate(), _run._r.getstate(), _run._ALLOW_DETERMINISTIC_SCHEDULING)
    folders = (tempfile.tempdir, os.environ.get("TMPDIR"), os.environ.get(MARK))
    return [signal.getsignal(signal.SIGINT), dice, folders, gc.get_freeze_count()]


def test_nothing_is_left_changed_by_what_passes_fails_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    gc.unfreeze()  # 3.12 has frozen some objects itself
    before = state()
    explore_cancellation(two_naps)
    broken(lambda: explore_cancellation(two_naps, check=returns_false))
    broken(lambda: explore_cancellation(cleans_up_for_long, bound=1))
    explore_turn([two_naps], [ToolCall("two_naps")], runs=5)
    for wrong in ({"note": 3}, "{"):
        with pytest.raises(ValueError, match="nothing to explore"):
            explore_cancellation(two_naps, wrong)
    assert state() == before


def test_whoever_has_frozen_objects_finds_them_frozen() -> None:
    gc.collect()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        explore_cancellation(two_naps)
        assert gc.get_freeze_count() >= frozen
    finally:
        gc.unfreeze()
