"""What goes on outside of Trio's loop: threads at work, and tasks that wait for a descriptor."""

from __future__ import annotations

import sys
import threading
from collections.abc import Set
from queue import SimpleQueue
from types import FrameType

import trio

# Where the threads of pools, Trio's and the language's, stand when they have nothing to do: module and function.
_WAITING_ROOMS = {("trio._core._thread_cache", "_work"), ("concurrent.futures.thread", "_worker")}

# Where a thread of Trio's stands once its work is done and it tells the loop. That gives up the interpreter's lock, so
# it may stand there still when whoever waited for the work has gone on, and is done.
_TELLING = ("trio._threads", "deliver_worker_fn_result")

# Tasks of Trio's own that wait for a descriptor: the one that others are to wake the loop by.
_TRIOS_OWN = 1


def waits_for_descriptors(statistics: trio.lowlevel.RunStatistics) -> bool:
    """Whether a task waits for a socket, a pipe or the end of a process. The statistics are those of now."""
    io = statistics.io_statistics
    waiting = getattr(io, "tasks_waiting_read", 0) + getattr(io, "tasks_waiting_write", 0)
    return waiting > _TRIOS_OWN


def functions_waited_in() -> frozenset[str]:
    """The names of all functions that tasks of this run wait in, Trio's own tasks left out."""
    root = trio.lowlevel.current_root_task()
    tasks = [] if root is None else [child for nursery in root.child_nurseries[1:] for child in nursery.child_tasks]
    names: set[str] = set()
    while tasks:
        task = tasks.pop()
        tasks += [child for nursery in task.child_nurseries for child in nursery.child_tasks]
        names.update(frame.f_code.co_name for frame, _ in task.iter_await_frames())
    return frozenset(names)


def other_threads() -> frozenset[threading.Thread]:
    """Every thread but this one and those that a pool keeps for later: what they do is nobody's business here, if they
    are there before a tool is. Test runners, debuggers and servers have some."""
    return busy_threads(frozenset())


def busy_threads(others: Set[threading.Thread]) -> frozenset[threading.Thread]:
    """Every thread but this one and these others that has work in hand. One that a pool keeps for later has none, nor
    has one that has done its work and is on its way back there."""
    if threading.active_count() == 1:
        return frozenset()  # which is quicker to find out
    here = threading.current_thread()
    pools = _of_pools()
    return frozenset(
        thread
        for thread in threading.enumerate()
        if thread is not here and thread not in others and not pools.get(thread, False)
    )


def _of_pools() -> dict[threading.Thread, bool]:
    """The threads of pools, and whether each has no work in hand."""
    frames = sys._current_frames()
    found: dict[threading.Thread, bool] = {}
    for thread in threading.enumerate():
        frame, within = frames.get(thread.ident or 0), set[tuple[object, str]]()
        while frame is not None:
            place = frame.f_globals.get("__name__"), frame.f_code.co_name
            if place in _WAITING_ROOMS:
                found[thread] = (not within or _TELLING in within) and not _was_given_work(frame)
                break
            within.add(place)
            frame = frame.f_back
    return found


def _was_given_work(frame: FrameType) -> bool:
    """Whether there is work for a thread that stands in its waiting room, or is on its way there: it has yet to take
    it up."""
    worker, queue = frame.f_locals.get("self"), frame.f_locals.get("work_queue")
    return getattr(worker, "_job", None) is not None or (isinstance(queue, SimpleQueue) and not queue.empty())
