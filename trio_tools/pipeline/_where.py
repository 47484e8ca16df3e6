"""Where a task is stuck: a chain of `file:line function`, without the frames that are the machinery's."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import trio

# Frames of one task or thread that are shown: the innermost say where it waits, the outer ones repeat.
MAX_FRAMES = 20
# Tasks of one call that are shown. A tool that starts thousands has the same line in each.
MAX_TASKS = 50


def where(task: trio.lowlevel.Task | None, thread: int | None = None) -> tuple[str, ...]:
    """Where a task waits, with its child tasks, and where the thread of this number is that it waits for."""
    return () if task is None else (*_awaited(task), *_in_thread(thread))


def _awaited(root: trio.lowlevel.Task) -> Iterator[str]:
    for shown, (depth, task) in enumerate(_tasks(root, 0)):
        if shown == MAX_TASKS:
            yield "..."
            break
        indent = "  " * depth
        places = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in task.iter_await_frames()]
        yield from (f"{indent}{_place(*place)}" for place in places[-MAX_FRAMES:] if not _is_kernel(place[0]))


def _in_thread(thread: int | None) -> Iterator[str]:
    frame = None if thread is None else sys._current_frames().get(thread)
    if frame is not None:
        yield from (f"  thread: {_place(*place)}" for place in _thread_places(frame))


def _tasks(task: trio.lowlevel.Task, depth: int) -> Iterator[tuple[int, trio.lowlevel.Task]]:
    yield depth, task
    for nursery in task.child_nurseries:
        for child in nursery.child_tasks:
            yield from _tasks(child, depth + 1)


def _thread_places(frame: FrameType) -> list[tuple[str, int, str]]:
    summary = traceback.StackSummary.extract(traceback.walk_stack(frame), limit=MAX_FRAMES, lookup_lines=False)
    places = [(entry.filename, entry.lineno or 0, entry.name) for entry in reversed(summary)]
    return [place for place in places if not _is_kernel(place[0])]


# Where frames are the machinery's and say nothing of a tool: real places, not names that a user may have too.
_TRIO = Path(trio.__file__).parent
_OWN = Path(__file__).parents[1]
_KERNEL = tuple(
    f"{folder}{os.sep}" for folder in (_TRIO, _TRIO.parent / "outcome", _OWN / "pipeline", _OWN / "registry")
)
_LIBRARY = (threading.__file__, contextlib.__file__)


def _is_kernel(filename: str) -> bool:
    return filename.startswith(_KERNEL) or filename in _LIBRARY


def _place(filename: str, line: int, name: str) -> str:
    return f"{filename}:{line} {name}"
