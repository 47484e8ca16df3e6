"""What an exploration does not prove, it says. And it leaves everything as it found it."""

from __future__ import annotations

import gc
import os
import random
import signal
import tempfile
import threading

import pytest
import trio
from trio._core import _run

from trio_tools import ToolCall, ToolContext, ToolError
from trio_tools.testing import BrokenPromiseError, Mode, Report, Run, explore_cancellation, explore_turn
from trio_tools.testing._surroundings import MARK


async def two_naps(note: str = "x") -> str:
    """Sleeps twice."""
    await trio.sleep(1)
    await trio.sleep(1)
    return note


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
    assert unproved.startswith("the first call took other steps than later ones, as one does that finds a cache empty")


def test_cases_that_never_come_are_counted() -> None:
    """The call has become shorter since it was looked at."""
    made: list[int] = []

    async def learns() -> None:
        made.append(1)
        for _ in range(3 if len(made) <= 2 else 1):
            await trio.sleep(1)

    (unproved,) = explore_cancellation(learns).unproved
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


LIMITER = trio.CapacityLimiter(1)


async def keeps_a_permit() -> None:
    LIMITER.acquire_on_behalf_of_nowait(object())


async def loops_for_ever() -> None:
    while True:
        try:
            await trio.sleep(1)
            return
        except BaseException:
            continue


def state() -> list[object]:
    dice = (random.getstate(), _run._r.getstate(), _run._ALLOW_DETERMINISTIC_SCHEDULING)
    folders = (tempfile.tempdir, os.environ.get("TMPDIR"), os.environ.get(MARK))
    return [signal.getsignal(signal.SIGINT), dice, folders, gc.get_freeze_count(), gc.isenabled()]


def test_nothing_is_left_changed_by_what_passes_fails_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    gc.unfreeze()  # 3.12 has frozen some objects itself
    before = state()
    explore_cancellation(two_naps)
    for bad in (keeps_a_permit, loops_for_ever):
        with pytest.raises(BrokenPromiseError):
            explore_cancellation(bad)
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
        assert gc.get_freeze_count() > frozen / 2  # some may have been let go of
    finally:
        gc.unfreeze()
