"""What the tasks of a body do once their call has been cancelled: they are to unwind, and nothing else.

Trio's cancellation is level-triggered: a body that awaits again after it was cut is cut again at once, so a clean-up
that awaits needs a shield of its own, and that shield a bound (RT8). Both mistakes show in how a task is scheduled. One
that is cut at once is scheduled in its own step; and in a shield without a bound no deadline is in force.
"""

from __future__ import annotations

from math import inf
from types import FrameType

import attrs
import trio

from trio_tools.testing._shields import waits_in_a_shield
from trio_tools.testing._where import Frames, Place, frames_of, is_machinery, place_in

# Functions that close something, and are by Trio's rules to have done so when they let a Cancelled out.
_CLOSING = {"aclose", "aclose_forcefully"}
# Trio's ways of being cut without anything that is waited for.
_CHECKPOINTS = {"checkpoint", "checkpoint_if_cancelled"}


@attrs.frozen
class Misstep:
    """What a task did instead of unwinding: `how` is `unwinding` or `shields`."""

    how: str
    place: Place


class Unwinding:
    """Watches the tasks of bodies from the moment at which something has ended their calls."""

    def __init__(self) -> None:
        self.missteps: list[Misstep] = []
        # Those that carry a body which a Cancelled must come out of: it was delivered to them, or to a task below them.
        self.unwinders: set[trio.lowlevel.Task] = set()
        # Those that a Cancelled was delivered to, each with the call of Trio's that it waited in.
        self._cut: dict[trio.lowlevel.Task, FrameType | None] = {}
        self._woken: set[trio.lowlevel.Task] = set()  # by what ended their calls, unless a shield held it off
        self._current: trio.lowlevel.Task | None = None
        self._at_once = False  # whether the current task was scheduled in its own step

    def woken(self, task: trio.lowlevel.Task) -> None:
        """Trio is going to run this task, because of what has ended the call."""
        self._woken.add(task)

    def scheduled(self, task: trio.lowlevel.Task) -> None:
        """Trio is going to run this task, for another reason."""
        self._at_once = self._at_once or task is self._current

    def before_step(self, task: trio.lowlevel.Task, carrier: trio.lowlevel.Task) -> None:
        """A task of the body that `carrier` carries is about to run."""
        self._current, self._at_once = task, False
        if task in self._woken:
            self._woken.discard(task)
            if trio.current_effective_deadline() == -inf:
                self._cut[task] = _call_of_trios(frames_of(task))
                self.unwinders.add(carrier)

    def after_step(self, task: trio.lowlevel.Task, carrier: trio.lowlevel.Task, *, in_zone: bool) -> None:
        """It has run, and waits, unless it has ended."""
        self._current = None
        if task.coro.cr_frame is None:
            return
        deadline = trio.current_effective_deadline()
        if self._at_once:
            if deadline == -inf:
                self._cut_at_once(task, carrier)
        elif deadline > -inf and not in_zone:
            frames = frames_of(task)
            if _waits(frames) and _is_users(frames):
                shielded = waits_in_a_shield(task, deadline)
                if shielded or (shielded is None and not _names(frames) & _CLOSING):
                    self.missteps.append(Misstep("shields", place_in(frames)))

    def _cut_at_once(self, task: trio.lowlevel.Task, carrier: trio.lowlevel.Task) -> None:
        frames = frames_of(task)
        if not _waits(frames):
            return
        call = _call_of_trios(frames)
        # one that is still in the same call of Trio's unwinds as Trio does
        again = task in self._cut and (call is None or self._cut[task] is not call)
        if again and _is_users(frames) and not _has_closed(frames):
            self.missteps.append(Misstep("unwinding", place_in(frames)))
        self._cut[task] = call
        if task is carrier:
            self.unwinders.add(carrier)


def _call_of_trios(frames: Frames) -> FrameType | None:
    """The outermost frame of Trio's, or ours, below the innermost of the tool's own."""
    call: FrameType | None = None
    for frame, _ in reversed(frames):
        if not is_machinery(frame):
            break
        call = frame
    return call


def _waits(frames: Frames) -> bool:
    """Whether a task waits, and does not only let others run."""
    return bool(frames) and frames[-1][0].f_code.co_name == "wait_task_rescheduled"


def _names(frames: Frames) -> set[str]:
    return {frame.f_code.co_name for frame, _ in frames}


def _is_users(frames: Frames) -> bool:
    return any(not is_machinery(frame) for frame, _ in frames)


def _has_closed(frames: Frames) -> bool:
    """Whether a task only lets others run, at the end of closing something."""
    return (
        len(frames) > 1
        and frames[-2][0].f_code.co_name in _CHECKPOINTS
        and bool(_names(frames) & {*_CLOSING, "__aexit__"})
    )
