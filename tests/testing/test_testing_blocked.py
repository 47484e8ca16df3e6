"""Tools that block Trio's loop for good, where no step ends and no clock gets a turn: they are found by a watchdog."""

from __future__ import annotations

import signal
import threading

import pytest
import trio

from trio_tools.testing import BrokenPromiseError, explore_cancellation
from trio_tools.testing import _run as runs

SHARED = threading.Semaphore(1)


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "PATIENCE", 0.2)


async def keeps_what_the_next_call_waits_for() -> str:
    SHARED.acquire()
    await trio.sleep(1)
    SHARED.release()
    return "done"


async def computes_for_ever_once_it_is_cut() -> str:
    try:
        await trio.sleep(1)
    except trio.Cancelled:
        while True:
            pass
    return "done"


async def does_so_whatever_happens() -> str:
    try:
        await trio.sleep(1)
    except trio.Cancelled:
        while True:
            try:
                SHARED.acquire()
            except BaseException:
                break
    return "done"


@pytest.mark.parametrize(
    "body", [keeps_what_the_next_call_waits_for, computes_for_ever_once_it_is_cut, does_so_whatever_happens]
)
def test_code_that_blocks_the_loop_is_found_with_its_line(body: object) -> None:
    assert callable(body)
    with pytest.raises(
        BrokenPromiseError, match=r"settles: .* it blocks Trio's loop, at .*test_testing_blocked.py:\d+"
    ):
        explore_cancellation(body)
    while SHARED.acquire(blocking=False):
        pass
    SHARED.release()


def test_the_alarm_is_as_it_was_afterwards() -> None:
    with pytest.raises(BrokenPromiseError):
        explore_cancellation(computes_for_ever_once_it_is_cut)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
