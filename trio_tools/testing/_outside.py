"""What goes on outside of Trio's loop: threads at work, and tasks that wait for a descriptor."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Set
from queue import SimpleQueue
from types import FrameType

import attrs
import trio

# Where the threads of pools, Trio's and the language's, stand when they have nothing to do: module and function.
_WAITING_ROOMS = {("trio._core._thread_cache", "_work"), ("concurrent.futures.thread", "_worker")}

# Where a thread of Trio's stands once its work is done and it tells the loop. That gives up the interpreter's lock, so
# it may stand there still when whoever waited for the work has gone on, and is done.
_TELLING = ("trio._threads", "deliver_worker_fn_result")

# Where such a thread has one piece of work in hand, and by which name whoever is to be told of its outcome: each piece
# has one of its own.
_JOB, _DELIVER = ("trio._core._thread_cache", "_handle_job"), "deliver"

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


@attrs.frozen
class ThreadAtWork:
    """A thread that has work in hand, and a weak reference to which piece. Trio's pool is everybody's: who was there
    before with one piece may have another by now, of somebody else. None for other threads: whose they are, their work
    is, and what waits in their queues is not seen."""

    thread: threading.Thread
    piece: weakref.ref[object] | None = None


def other_threads() -> frozenset[ThreadAtWork]:
    """Every thread but this one and those that a pool keeps for later: what they do is nobody's business here, if they
    are there before a tool is. Test runners, debuggers and servers have some."""
    return busy_threads(frozenset())


def busy_threads(others: Set[ThreadAtWork]) -> frozenset[ThreadAtWork]:
    """Every thread but this one and these others that has work in hand. One that a pool keeps for later has none, nor
    has one that has done its work and is on its way back there."""
    if threading.active_count() == 1:
        return frozenset()  # which is quicker to find out
    here = threading.current_thread()
    # twice: between a look at where it stands and one at what it was given, it may have taken that up
    found = (_at_work(one) or _at_work(one) for one in threading.enumerate() if one is not here)
    return frozenset(one for one in found if one is not None and one not in others)


def _at_work(thread: threading.Thread) -> ThreadAtWork | None:
    """What a thread has in hand; None if it is of a pool and has nothing."""
    # no name for all frames: one that held itself would keep its stack until garbage is collected
    frame = sys._current_frames().get(thread.ident or 0)
    within = dict[tuple[object, str], FrameType]()
    while frame is not None:
        place = frame.f_globals.get("__name__"), frame.f_code.co_name
        if place in _WAITING_ROOMS:
            given = getattr(frame.f_locals.get("self"), "_job", None)  # and has yet to take up, or even to come back to
            if given is None and (not within or _TELLING in within) and not _is_queued(frame):
                return None
            return ThreadAtWork(thread, _piece(given, within.get(_JOB)))
        within[place] = frame
        frame = frame.f_back
    return ThreadAtWork(thread)


def _piece(given: tuple[object, ...] | None, at_job: FrameType | None) -> weakref.ref[object] | None:
    """Which piece of work a thread of Trio's pool was given, or else has in hand."""
    teller = given[1] if given is not None else at_job and at_job.f_locals.get(_DELIVER)
    try:
        piece = weakref.ref[object](teller)
        hash(piece)  # which it keeps when there is nothing any more that it refers to
    except TypeError:
        return None
    return piece


def _is_queued(frame: FrameType) -> bool:
    """Whether there is work in the queue that a thread of the language's pools waits at."""
    queue = frame.f_locals.get("work_queue")
    return isinstance(queue, SimpleQueue) and not queue.empty()
