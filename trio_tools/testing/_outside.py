"""What goes on outside of Trio's loop: threads at work, and tasks that wait for a descriptor."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Set
from enum import Enum
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


class Wait(Enum):
    """What tasks may wait for that no virtual clock can hurry, and for which Trio's loop must be let alone."""

    THREAD = "to_thread_run_sync"
    QUIET = "wait_all_tasks_blocked"
    DESCRIPTOR = ""  # a socket, a pipe, the end of a process


_FUNCTIONS = {wait.value: wait for wait in Wait}


def waiting_for() -> Set[Wait]:
    """What the tasks of this run wait for, of these."""
    io = trio.lowlevel.current_statistics().io_statistics
    waiting = getattr(io, "tasks_waiting_read", 0) + getattr(io, "tasks_waiting_write", 0)
    found = {Wait.DESCRIPTOR} if waiting > _TRIOS_OWN else set[Wait]()
    root = trio.lowlevel.current_root_task()
    tasks = [] if root is None else [child for nursery in root.child_nurseries[1:] for child in nursery.child_tasks]
    while tasks:
        task = tasks.pop()
        tasks += [child for nursery in task.child_nurseries for child in nursery.child_tasks]
        for frame, _ in task.iter_await_frames():
            name = frame.f_code.co_name
            if name in _FUNCTIONS:
                found.add(_FUNCTIONS[name])
    return found


def threads_at_work() -> bool:
    """Whether a thread is at work."""
    return threading.active_count() > 1 and bool(busy_threads())


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
