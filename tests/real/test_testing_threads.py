"""Threads that a tool abandons, and those of pools that have nothing to do."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest
import trio

from trio_tools.testing import BrokenPromiseError, explore_cancellation

# Seconds after which a call that nobody ends lets its thread go.
SOON = 0.05


def test_a_thread_that_was_only_just_given_its_work_is_found_each_time() -> None:
    gates: list[SimpleQueue[None]] = []

    async def abandons_what_runs_no_python() -> None:
        """The thread was only just given its work, and stands in no line of anybody's."""
        gates.append(gate := SimpleQueue[None]())

        async def open_gate() -> None:
            await trio.sleep(SOON)
            gate.put(None)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(open_gate)
            await trio.to_thread.run_sync(gate.get, abandon_on_cancel=True)

    try:
        with pytest.raises(BrokenPromiseError) as caught:
            explore_cancellation(abandons_what_runs_no_python)
    finally:
        for gate in gates:
            gate.put(None)
    failures = caught.value.report.failures
    assert {finding.check for failure in failures for finding in failure.findings} == {"threads"}
    at_once = {str(failure.case) for failure in failures}
    assert {"blocked:1:0", "budget:1:0", "budget-first:1:0", "caller-first:1:0", "interrupt:1:0"} <= at_once


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
