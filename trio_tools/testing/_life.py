"""One call of a run, as it is seen from outside of the registry."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import trio

from trio_tools.pipeline import CallState
from trio_tools.values import Cause, ToolResult


@attrs.define(eq=False)
class Life:
    """What happened to one call, and in which order: what is called a moment counts things as they happen, from 1."""

    position: int  # in its turn
    name: str
    tick: Callable[[], int]  # gives a moment of its own for what happens now
    unwinders: set[trio.lowlevel.Task]  # those whose bodies a Cancelled must come out of
    state: CallState | None = None  # once its wrappers have begun
    task: trio.lowlevel.Task | None = None  # that carries it, for as long as its body runs
    entries: list[int] = attrs.field(factory=list[int])  # the moments at which its body was entered
    rested_at: float | None = None  # seconds on the run's clock at which its async body had come to rest last
    raised: BaseException | None = None  # by its body
    returned: bool = False  # whether its body came to a value
    swallowed: bool = False  # whether it did so although it had been cut
    late_uses: list[str] = attrs.field(factory=list[str])  # of its context, after it had settled
    result: ToolResult | None = None
    settled: int | None = None  # the moment at which it was told of
    settled_at: float | None = None  # seconds on the run's clock
    told: int = 0  # how often it was
    observed: list[ToolResult] = attrs.field(factory=list[ToolResult])
    # what ended it
    cancelled: int | None = None  # the moment at which its caller, or Ctrl-C, ended it, if nothing had before
    out_of_budget: int | None = None  # the moment at which its budget ran out, if it had one in force
    budget: object = None  # the claim that it is

    def enter(self, task: trio.lowlevel.Task | None) -> None:
        """Its body is entered, in this task, or in a thread. If a wrapper attempts it again whose last attempt ran out
        of a budget of its own, nothing has ended the call."""
        if self._is_another_attempt():
            self.out_of_budget = self.budget = None
            if task is not None:
                self.unwinders.discard(task)
        self.entries.append(self.tick())
        self.raised, self.returned = None, False
        self.task = task

    def _is_another_attempt(self) -> bool:
        state = self.state
        if state is None or self.budget is None or self.cancelled is not None:
            return False
        return state.stage == "dispatch" and self.budget not in state.claims

    @property
    def entered(self) -> int | None:
        """The moment at which its body was entered last."""
        return self.entries[-1] if self.entries else None

    @property
    def over(self) -> bool:
        """Whether nothing can change its result any more."""
        return self.settled is not None or (self.state is not None and self.state.over)

    @property
    def interrupted(self) -> bool:
        """Whether the registry says that Ctrl-C ended it."""
        if self.result is not None:
            return self.result.cause is Cause.INTERRUPT
        return self.state is not None and self.state.cause is Cause.INTERRUPT

    @property
    def ended(self) -> int | None:
        """The moment at which something ended it; None: it came to its own end."""
        return self.cancelled if self.out_of_budget is None else self.out_of_budget
