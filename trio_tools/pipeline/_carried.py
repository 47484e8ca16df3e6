"""Which task carries which call or job: how code finds what it is inside of."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

import attrs
import trio
from trio.lowlevel import RunVar

from trio_tools.pipeline._state import CallState

if TYPE_CHECKING:
    from trio_tools.pipeline._job import JobState

Carried: TypeAlias = "dict[trio.lowlevel.Task, CallState | JobState]"

# Of one run of Trio. A context variable would do, and cost more than all the rest of it.
_carried: RunVar[Carried] = RunVar("trio_tools.carried")


def carried() -> Carried:
    """The calls and jobs under way in this run of Trio, of all its registries, by the task that carries each."""
    try:
        return _carried.get()
    except LookupError:
        _carried.set({})
        return _carried.get()


def enclosing() -> CallState | JobState | None:
    """The innermost call or job whose task, or a task below it, this is. What a body starts in a nursery of somebody
    else's is not inside its call."""
    tasks = carried()
    task: trio.lowlevel.Task | None = trio.lowlevel.current_task()
    while task is not None:
        if task in tasks:
            return tasks[task]
        task = None if task.parent_nursery is None else task.parent_nursery.parent_task
    return None


def current_call() -> CallState | None:
    """The innermost call that this task is inside of; None in a job."""
    around = enclosing()
    return around if isinstance(around, CallState) else None


def is_inside(call: CallState) -> bool:
    """Whether this task is inside of a call that has not settled."""
    around = enclosing()
    while isinstance(around, CallState):
        if around is call:
            return not call.over
        around = around.around_it
    return False


def is_within(call: CallState) -> bool:
    """Whether this task is inside of a call that has not settled, or of a job that it has started."""
    around = enclosing()
    while isinstance(around, CallState):
        if around is call and not call.over:
            return True
        around = around.around_it or around.job
    return around is not None and around.starter is call.identity


@attrs.define(eq=False)
class Zone:
    """An effect whose action runs; what is started in it may outlive it."""

    name: str
    is_open: bool = True


# That in which a task is, or was, if it is open no more. By context, so that tasks and threads that the action starts
# are inside too.
ZONE: ContextVar[Zone | None] = ContextVar("trio_tools.zone", default=None)
