"""What is left of a run that was given up: its tasks, which nobody will ever run again."""

from __future__ import annotations

import ctypes
from collections.abc import Collection

import trio

from trio_tools.testing._where import frames_of, is_machinery, place_in

# What the names of Trio's tasks begin with that close an asynchronous generator.
_CLOSES_A_GENERATOR = "close asyncgen "


def tasks_here() -> list[trio.lowlevel.Task]:
    """The current task, and that which Trio has started it from."""
    root = trio.lowlevel.current_root_task()
    assert root is not None  # there is one as long as anything runs
    return [trio.lowlevel.current_task(), root]


def tasks_below(task: trio.lowlevel.Task, *, but: Collection[trio.lowlevel.Task] = ()) -> list[trio.lowlevel.Task]:
    """A task with its child tasks, innermost last, without these and what is below them."""
    found = [task]
    for one in found:
        found += [child for nursery in one.child_nurseries for child in nursery.child_tasks if child not in but]
    return found


def closing_tasks(root: trio.lowlevel.Task) -> list[trio.lowlevel.Task]:
    """Trio's own tasks that close asynchronous generators which nobody holds any more; `root` is its first task."""
    own = [task for nursery in root.child_nurseries for task in nursery.child_tasks]
    return [task for task in own if task.name.startswith(_CLOSES_A_GENERATOR)]


def places_below(task: trio.lowlevel.Task) -> tuple[str, ...]:
    """Where each task stands that is in the code of a tool or a plugin, from this task down."""
    chains = [(one, frames_of(one)) for one in tasks_below(task)]
    return tuple(
        f"{place_in(frames)} (task {one.name})"
        for one, frames in chains
        if any(not is_machinery(frame) for frame, _ in frames)
    )


def entomb(root: trio.lowlevel.Task) -> None:
    """Keep what the tasks of a run hold for as long as the process lives.

    To collect a coroutine is to close it, and to close one that catches everything, loops and calls Trio, which is not
    there any more, takes for ever. So nobody may ever do that, not even the interpreter as it ends.
    """
    for task in tasks_below(root):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(task))
