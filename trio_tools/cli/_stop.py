"""Who ends a run before its input does, and what that cuts."""

from __future__ import annotations

import signal
from enum import Enum, auto
from math import inf

import trio

from trio_tools.cli._status import after_signal

# What ends a run. Of these only Ctrl-C counts further: a supervisor may repeat the others without meaning more by it.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Seconds that plugins have to leave once a run has been ended: their own bounds for cleaning up are shorter.
LEAVE_SECONDS = 10.0


class Step(Enum):
    """What is to be done about a signal (D19)."""

    CANCEL = auto()  # the turn in hand, or the wait for one, has been cancelled
    SHOW = auto()  # say where each pending call is stuck
    LEAVE = auto()  # at once, without cleaning up
    NOTHING = auto()  # it is being done


class Stop:
    """The end of a run. Everything that may take long is done in a scope that `take_in_hand` gives out."""

    def __init__(self, *, deadline: float) -> None:
        self.status: int | None = None  # of a run that somebody ended
        self._deadline = deadline  # seconds on Trio's clock
        self._in_hand: trio.CancelScope | None = None
        self._signals = 0  # that counted: the first of any kind, and each Ctrl-C after it

    def take_in_hand(self, *, timed: bool = True) -> trio.CancelScope:
        """A scope for the next thing to do: cancelled by whatever ends the run, and if `timed` by its deadline."""
        scope = trio.CancelScope(deadline=self._deadline if timed else inf)
        if self.status is not None:
            scope.cancel("the run has ended")
        self._in_hand = scope
        return scope

    def put_down(self) -> None:
        """What was in hand is open: what is done with it has scopes of its own."""
        self._in_hand = None

    def leave(self, scope: trio.CancelScope) -> None:
        """All that is left is to leave what this scope is round. A signal cuts it; if the run has been ended already,
        or its time is up, it has `LEAVE_SECONDS`."""
        self._in_hand = scope
        latest = trio.current_time() + LEAVE_SECONDS
        scope.deadline = latest if self.status is not None else max(latest, self._deadline)

    def end(self, status: int, reason: str) -> None:
        """End the run with this status, unless it has been ended already, and cancel what is in hand."""
        if self.status is None:
            self.status = status
            if self._in_hand is not None:
                self._in_hand.cancel(reason)

    def signalled(self, number: int) -> Step:
        """Take a signal: the first ends the run, and each Ctrl-C after that goes a step further."""
        if self._signals and number != signal.SIGINT:
            return Step.NOTHING
        self._signals += 1
        if self._signals == 1:
            self.end(after_signal(number), signal.Signals(number).name)
            return Step.CANCEL
        return Step.SHOW if self._signals == 2 else Step.LEAVE
