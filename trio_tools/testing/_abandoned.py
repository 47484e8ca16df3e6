"""What is left of a run that was given up: its tasks, which nobody will ever run again."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import trio

from trio_tools.testing._where import frames_of, is_machinery, place_in


def tasks_here() -> list[trio.lowlevel.Task]:
    """The current task, and that which Trio has started it from."""
    root = trio.lowlevel.current_root_task()
    assert root is not None  # there is one as long as anything runs
    return [trio.lowlevel.current_task(), root]


def tasks_below(task: trio.lowlevel.Task) -> list[trio.lowlevel.Task]:
    """A task with its child tasks, innermost last."""
    found = [task]
    for one in found:
        found += [child for nursery in one.child_nurseries for child in nursery.child_tasks]
    return found


def places_below(task: trio.lowlevel.Task) -> tuple[str, ...]:
    """Where each task stands that is in the code of a tool or a plugin, from this task down."""
    chains = [(one, frames_of(one)) for one in tasks_below(task)]
    return tuple(
        f"{place_in(frames)} (task {one.name})"
        for one, frames in chains
        if any(not is_machinery(frame) for frame, _ in frames)
    )


def put_away(root: trio.lowlevel.Task) -> None:
    """Close what the tasks of a run still hold, innermost first. Their clean-ups run as far as they can outside of
    Trio."""
    for task in reversed(tasks_below(root)):
        with suppress(BaseException):
            task.coro.close()


@contextmanager
def quiet_when(given_up: Callable[[], bool]) -> Generator[None]:
    """Once a run is given up, what its objects complain of as they are collected is of no use to anybody; they are
    collected before the block ends."""
    loud = sys.unraisablehook

    def hook(complaint: sys.UnraisableHookArgs) -> None:
        if not given_up():
            loud(complaint)

    sys.unraisablehook = hook
    try:
        yield
        if given_up():
            gc.collect()
    finally:
        sys.unraisablehook = loud
