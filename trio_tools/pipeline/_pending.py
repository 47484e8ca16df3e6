"""Where an unsettled call is, and what it is stuck at."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path
from types import FrameType

import attrs
import trio

from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._waiting import waits_for
from trio_tools.values import CallToken, Session

# Frames of one task or thread that are shown: the innermost say where it waits, the outer ones repeat.
MAX_FRAMES = 20
# Tasks of one call that are shown. A tool that starts thousands has the same line in each.
MAX_TASKS = 50


@attrs.frozen(kw_only=True)
class PendingCall:
    """A call that has not settled.

    `parent` is the call whose body made it, if one did. `seconds_in_stage`, `seconds_left` (until the earliest deadline
    that is known to end it, 0 when that has passed; None: none is known) and `seconds_since_cancel` (None: nobody has
    given it up) are seconds on Trio's clock. `waits_for` goes on from these two words ("bash c2 (runs alone)"),
    where the registry knows for what; names in it are as they came, to be escaped where they are shown. `where` is a
    chain of `file:line function`, outermost first, of the call's task, its child tasks and its thread.
    """

    token: CallToken
    parent: CallToken | None
    id: str | None
    tool: str
    session: Session | None
    stage: str
    seconds_in_stage: float
    seconds_left: float | None
    seconds_since_cancel: float | None
    waits_for: str | None
    where: tuple[str, ...]


def pending_calls(unsettled: Iterable[CallState]) -> list[PendingCall]:
    """A snapshot of the unsettled calls of a registry, for a person who asks why nothing happens."""
    calls = list(unsettled)
    children: dict[CallState, list[CallState]] = {}
    for call in calls:
        if call.parent is not None:
            children.setdefault(call.parent, []).append(call)
    return [_pending_call(call, children.get(call, [])) for call in calls]


def _pending_call(call: CallState, children: list[CallState]) -> PendingCall:
    now = trio.current_time()
    deadline = call.deadline
    return PendingCall(
        token=call.token,
        parent=None if call.parent is None else call.parent.token,
        id=call.call.id,
        tool=call.name,
        session=call.turn.session,
        stage=call.stage,
        seconds_in_stage=now - call.since,
        seconds_left=None if deadline == inf else max(0.0, deadline - now),
        seconds_since_cancel=None if call.cause is None else now - call.cancelled_at,
        waits_for=waits_for(call, children),
        where=() if call.task is None else tuple(_where(call)),
    )


def _where(call: CallState) -> Iterator[str]:
    assert call.task is not None
    for shown, (depth, task) in enumerate(_tasks(call.task, 0)):
        if shown == MAX_TASKS:
            yield "..."
            break
        indent = "  " * depth
        places = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in task.iter_await_frames()]
        yield from (f"{indent}{_place(*place)}" for place in places[-MAX_FRAMES:] if not _is_kernel(place[0]))
    if call.thread is not None:
        frame = sys._current_frames().get(call.thread)
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
_KERNEL = tuple(f"{folder}{os.sep}" for folder in (_TRIO, _TRIO.parent / "outcome", Path(__file__).parent))
_THREADING = threading.__file__


def _is_kernel(filename: str) -> bool:
    return filename.startswith(_KERNEL) or filename == _THREADING


def _place(filename: str, line: int, name: str) -> str:
    return f"{filename}:{line} {name}"
