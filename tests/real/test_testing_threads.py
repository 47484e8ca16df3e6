"""Threads that a tool abandons, and those of pools that have nothing to do."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import trio

from trio_tools.testing import BrokenPromiseError, explore_cancellation

# Seconds that an abandoned thread goes on: longer than a run waits for it.
WORK = 0.25


async def abandons_what_runs_no_python() -> None:
    """The thread was only just given its work, and stands in no line of anybody's."""
    await trio.to_thread.run_sync(time.sleep, WORK, abandon_on_cancel=True)


def test_a_thread_that_was_only_just_given_its_work_is_found_each_time() -> None:
    with pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation(abandons_what_runs_no_python)
    failures = caught.value.report.failures
    assert {finding.check for failure in failures for finding in failure.findings} == {"threads"}
    at_once = [str(failure.case) for failure in failures[:4]]  # all modes but waking; Ctrl-C is told of later
    assert at_once == ["blocked:1:0", "budget:1:0", "budget-first:1:0", "caller-first:1:0"]


async def naps() -> None:
    await trio.sleep(1)


def test_threads_of_pools_that_wait_or_work_for_somebody_else_leave_the_clock_virtual() -> None:
    begun, end = threading.Event(), threading.Event()

    def serve() -> bool:
        begun.set()
        return end.wait()

    with ThreadPoolExecutor(1) as idle, ThreadPoolExecutor(1) as busy:
        idle.submit(int).result()
        server = busy.submit(serve)
        begun.wait()
        try:
            report = explore_cancellation(naps)
        finally:
            end.set()
    assert server.result()
    assert (report.virtual, report.failures) == (True, ())
