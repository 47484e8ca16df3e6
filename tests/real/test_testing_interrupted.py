"""A person's Ctrl-C ends an exploration, at whatever it is just then, and leaves everything as it was."""

from __future__ import annotations

import gc
import os
import random
import signal
import tempfile
import threading

import pytest
import trio

from trio_tools.testing import Mode, Run, explore_cancellation, explore_turn
from trio_tools.testing._surroundings import MARK
from trio_tools.values import ToolCall


async def naps() -> None:
    """Sleeps so often that nobody waits for the end of it, in one run of Trio: as one opens or closes, a signal may
    find sockets of Trio's that nobody has closed yet."""
    for _ in range(300):
        await trio.sleep(1)


async def swallows_everything() -> None:
    """As tools do that a person gives up on."""
    for _ in range(30):
        try:
            await trio.sleep(1)
        except BaseException:
            continue


async def reads_a_clock() -> float:
    """Takes a few steps."""
    await trio.sleep(1)
    return trio.current_time()


def state() -> list[object]:
    folders = tempfile.gettempdir(), os.environ.get("TMPDIR"), os.environ.get(MARK)
    return [signal.getsignal(signal.SIGINT), folders, random.getstate(), gc.get_freeze_count(), gc.isenabled()]


@pytest.mark.parametrize("seconds", [0.3, 0.4])
def test_ctrl_c_by_a_person_ends_an_exploration(seconds: float) -> None:
    gc.unfreeze()  # 3.12 has frozen some objects itself
    before = state()
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            explore_cancellation(naps)
    finally:
        timer.join()
    assert state() == before


def test_ctrl_c_by_a_person_is_not_lost_while_garbage_is_collected() -> None:
    """Where Hypothesis is, the collector calls back, and what is raised in there is lost."""
    pressed: list[int] = []

    def press(phase: str, info: dict[str, int]) -> None:
        if not pressed and phase == "stop" and info["generation"] == 2:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)

    gc.callbacks.append(press)
    try:
        with pytest.raises(KeyboardInterrupt):
            explore_cancellation(naps)
    finally:
        gc.callbacks.remove(press)
    assert pressed


def test_ctrl_c_by_a_person_ends_an_exploration_of_a_turn() -> None:
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            explore_turn([naps], [ToolCall("naps")] * 3, runs=100_000, seeds=1)
    finally:
        timer.join()


@pytest.mark.parametrize("mode", Mode)
def test_ctrl_c_by_a_person_ends_it_in_a_check_of_ones_own(mode: Mode) -> None:
    """Also after a run that had a Ctrl-C of its own."""

    def check(run: Run) -> None:
        if run.case is not None and run.case.mode is mode:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        explore_cancellation(reads_a_clock, check=check)


async def reads_a_file() -> str:
    """In threads that answer at once: as Ctrl-C is told, as a rule."""
    async with await trio.open_file(os.devnull, encoding="utf-8") as empty:
        return await empty.read()


def test_what_a_thread_answers_at_the_same_instant_is_no_cancel_that_was_swallowed() -> None:
    report = explore_cancellation(reads_a_file)
    assert (report.virtual, report.failures) == (False, ())


def test_ctrl_c_by_a_person_comes_out_although_the_tool_swallows_it() -> None:
    """Trio tells its main task, which is not the tool's."""
    sent: list[int] = []

    async def is_interrupted() -> None:
        if not sent:
            sent.append(1)
            os.kill(os.getpid(), signal.SIGINT)
        await swallows_everything()

    with pytest.raises(KeyboardInterrupt):
        explore_cancellation(is_interrupted)
