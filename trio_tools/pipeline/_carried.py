"""Which task carries which call: how code finds the call that it is inside of."""

from __future__ import annotations

import attrs
import trio
from trio.lowlevel import RunVar

from trio_tools.pipeline._state import CallState


@attrs.frozen(eq=False)
class Aside:
    """A job's task: what it does is inside no call, though a call has started it."""

    starter: CallState


# Of one run of Trio: which task carries which call. A context variable would do, and cost more than all the rest of it.
_carried: RunVar[dict[trio.lowlevel.Task, CallState | Aside]] = RunVar("trio_tools.carried")


def carried() -> dict[trio.lowlevel.Task, CallState | Aside]:
    """The calls and jobs under way in this run of Trio, of all its registries, by the task that carries each."""
    try:
        return _carried.get()
    except LookupError:
        _carried.set({})
        return _carried.get()


def enclosing() -> CallState | Aside | None:
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


def is_within(call: CallState) -> bool:
    """Whether a call has not settled, or this is a job that it has started, or that such a job has."""
    if not call.over:
        return True
    around = enclosing()
    while around is not None and around is not call:
        around = around.starter if isinstance(around, Aside) else around.parent
    return around is call
