"""The clocks of a run, which can end it: Trio's loop asks its clock each time round, and a clock may raise.

A tool that swallows its cancel may loop for ever, and one that shields may wait for ever. No scope ends either, so what
ends them is the loop: Trio then gives up the whole run, and what is left of it is closed by `_run.py`.

`trio.testing.MockClock` cannot raise, hence the virtual clock here. It jumps when nothing can run, as that one does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Set
from math import inf
from typing import Protocol

import trio

from trio_tools.testing._outside import ThreadAtWork, busy_threads, functions_waited_in, waits_for_descriptors

# How often in a row a virtual clock lets the loop wait for threads before the run is given up: two seconds' worth.
MOST_PAUSES = 40
# Seconds that the loop waits for threads, and that it may wait while a task is in `wait_all_tasks_blocked`, which
# Trio wakes by a pause of its own.
PAUSE = 0.05


class Doom(BaseException):
    """Raised into Trio's loop to end a run. Nobody may catch it: tasks never see it."""


class Stuck(Doom):
    """No task can run, and nothing that could wake one will ever come."""


class TooManySteps(Doom):
    """The call has not settled in the steps or the seconds that it may take."""


class OutsideWork(Doom):
    """A task waits for a thread, a process or a socket, which no virtual clock can hurry."""


def doom_in(crash: trio.TrioInternalError) -> Doom | None:
    """Why we have ended a run; None if it was not us."""
    doom = crash.__cause__
    return doom.with_traceback(None) if isinstance(doom, Doom) else None  # which would hold on to the whole run


class Clock(Protocol):
    """What a run needs of its clock beyond Trio's own interface."""

    doom: Doom | None  # what is to end the run the next time round
    saw_quiet: bool  # whether a task was in `wait_all_tasks_blocked`
    outside: bool  # whether a task waited for something that a virtual clock cannot hurry

    def begin(self, *, careful: bool) -> None:
        """A run begins. `careful`: look for tasks in `wait_all_tasks_blocked` each time that nothing can run, and not
        only when there is no deadline left; `saw_quiet` says if there were any."""
        ...

    def at_loop(self, steps: int) -> None:
        """Trio's loop, and no task, asks for the time next; so many steps were taken."""
        ...


class VirtualClock(trio.abc.Clock):
    """Time that passes only when nothing can run: it jumps to the next deadline. `others` are threads that were at work
    before, for somebody else."""

    def __init__(self, others: Set[ThreadAtWork] = frozenset()) -> None:
        self._others = others
        self._doomed: Doom | None = None
        self._steps = 0
        self.begin(careful=True)

    def begin(self, *, careful: bool) -> None:
        """As `Clock.begin`."""
        self.doom: Doom | None = None
        self.outside = False
        self.saw_quiet = False
        self._careful = careful
        self._now = 0.0
        self._pauses = 0  # one after the other, in which nothing came from there
        self._paused_at = -1  # steps that had been taken
        self._looked_at = -1  # steps that had been taken when all was quiet, and a last look was taken

    def start_clock(self) -> None:
        """Nothing to start."""

    def current_time(self) -> float:
        """Seconds since the run began."""
        if self._doomed is not None:
            raise self._doomed
        return self._now

    def at_loop(self, steps: int) -> None:
        """As `Clock.at_loop`."""
        self._steps = steps
        self._doomed = self.doom

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Asked by Trio's loop only when no task can run. Jumps to `deadline` (seconds on this clock) if nothing is
        going on outside of the loop, and what came from there, if it can have, has been looked at once more."""
        looked, self._looked_at = self._looked_at == self._steps, -1
        threads = threading.active_count() > 1
        waited_in = functions_waited_in() if self._careful or threads or deadline == inf else frozenset[str]()
        at_work = threads and ("to_thread_run_sync" in waited_in or bool(busy_threads(self._others)))
        statistics = trio.lowlevel.current_statistics()  # after threads: one that is done by now has called by now
        descriptors = waits_for_descriptors(statistics)
        if at_work or descriptors:
            self.outside = True
            self._pauses = self._pauses + 1 if self._paused_at == self._steps else 1
            self._paused_at = self._steps
            if descriptors or self._pauses > MOST_PAUSES:
                raise OutsideWork
            return PAUSE  # in its own time: a thread that came back to a dead loop would complain
        if not looked and (threads or statistics.run_sync_soon_queue_size):
            self._looked_at = self._steps
            return 0
        if "wait_all_tasks_blocked" in waited_in:
            self.saw_quiet = True
            return PAUSE
        if deadline == inf:
            raise Stuck
        self._now = max(self._now, deadline)
        return 0


class RealClock(trio.abc.Clock):
    """Time as it passes, for tools that use threads, processes or sockets; the run ends after `limit` seconds."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._doomed: Doom | None = None
        self.begin(careful=True)

    def begin(self, *, careful: bool) -> None:
        """As `Clock.begin`, but that nothing depends on `careful`."""
        self.doom: Doom | None = None
        self.outside = False
        self.saw_quiet = False
        self._began = time.perf_counter()

    def start_clock(self) -> None:
        """The run begins now."""
        self._began = time.perf_counter()

    def current_time(self) -> float:
        """Seconds since the run began."""
        if self._doomed is not None:
            raise self._doomed
        return time.perf_counter() - self._began

    def at_loop(self, steps: int) -> None:
        """As `Clock.at_loop`."""
        self._doomed = self.doom

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """How long the loop may sleep until `deadline`, in seconds."""
        now = self.current_time()
        if now > self._limit:
            raise Stuck
        return min(deadline, self._limit + PAUSE) - now
