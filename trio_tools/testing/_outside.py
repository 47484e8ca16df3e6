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


def waits_for_descriptors() -> bool:
    """Whether a task waits for a socket, a pipe or the end of a process."""
    io = trio.lowlevel.current_statistics().io_statistics
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


def busy_threads() -> frozenset[threading.Thread]:
    """Every thread but this one that has work in hand. One that Trio keeps for later has none."""
    if threading.active_count() == 1:
        return frozenset()  # which is quicker to find out
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
