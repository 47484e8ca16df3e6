"""What goes on outside of Trio's loop: threads at work, and tasks that wait for a descriptor."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import FrameType

import outcome
import trio

# Where a thread of Trio's stands that has nothing to do: its cache keeps it for the next piece of work.
_WAITING_ROOM = (
    f"{Path(trio.__file__).parent}{os.sep}",
    f"{Path(outcome.__file__).parent}{os.sep}",
    threading.__file__,
)


# Tasks of Trio's own that wait for a descriptor: the one that others are to wake the loop by.
_TRIOS_OWN = 1


def threads_at_work() -> bool:
    """Whether a thread is at work, or a task waits for one."""
    return bool(busy_threads()) or somebody_is_in("to_thread_run_sync")


def waits_for_descriptors() -> bool:
    """Whether a task waits for a socket, a pipe or the end of a process."""
    io = trio.lowlevel.current_statistics().io_statistics
    waiting = getattr(io, "tasks_waiting_read", 0) + getattr(io, "tasks_waiting_write", 0)
    return waiting > _TRIOS_OWN


def somebody_is_in(function: str) -> bool:
    """Whether any task waits in a function of this name."""
    root = trio.lowlevel.current_root_task()
    tasks = [] if root is None else [root]
    while tasks:
        task = tasks.pop()
        tasks += [child for nursery in task.child_nurseries for child in nursery.child_tasks]
        if any(frame.f_code.co_name == function for frame, _ in task.iter_await_frames()):
            return True
    return False


def busy_threads() -> frozenset[threading.Thread]:
    """Every thread but this one that has work in hand. One that Trio keeps for later has none."""
    if threading.active_count() == 1:
        return frozenset()
    frames = sys._current_frames()
    here = threading.get_ident()
    return frozenset(
        thread
        for thread in threading.enumerate()
        if thread.ident is not None and thread.ident != here and _has_work(frames.get(thread.ident))
    )


def _has_work(frame: FrameType | None) -> bool:
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_WAITING_ROOM):
            return True
        frame = frame.f_back
    return False
