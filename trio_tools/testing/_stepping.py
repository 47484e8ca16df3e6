"""The instrument of a run: it counts steps, ends the call at one of them, and watches what its tasks do then.

A step is what Trio runs of one task between two checkpoints. Counted are the steps of every task but Trio's own, from
the call's beginning to its return. After a step the task sits in the checkpoint that ends it, so what is cancelled then
is cut exactly there; before a step the task has been woken already, with what it waited for.

Trio takes an instrument out that raises, so nothing here may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import trio

from trio_tools.pipeline import Turn
from trio_tools.testing._case import Case, Mode
from trio_tools.testing._clock import Clock, TooManySteps
from trio_tools.testing._life import Life
from trio_tools.testing._scheduling import is_scheduled_by_a_cancel
from trio_tools.testing._unwinding import Unwinding
from trio_tools.testing._where import user_place
from trio_tools.values import Cause, ErrorCode

# Seconds by which a budget that runs out lies before the present: so little that nothing else falls into it, and enough
# to make it the earlier of two causes.
JUST_NOW = 1e-6
# Seconds, on the real clock, by which one lies behind what has ended the call before it: the registry notes a cancel
# when its own task next runs, which is in the same pass of the scheduler.
JUST_AFTER = 0.02


@attrs.frozen(kw_only=True)
class Bounds:
    """How long a run may take: steps in all, steps and seconds once something has ended the call. `real_seconds` is the
    limit of a run on the real clock; None: its clock is virtual."""

    most_steps: int
    most_steps_after: int
    most_seconds_after: float  # seconds on the run's clock
    real_seconds: float | None = None
    careful: bool = True  # whether a virtual clock looks for tasks in `wait_all_tasks_blocked` each time


class Steps(trio.abc.Instrument):
    """Trio's instrument: it counts all steps for the clock, and has the stepper `of` the run that is on see them."""

    def __init__(self, clock: Clock) -> None:
        self.of: Stepper | None = None
        self._clock = clock
        self._all = 0

    def after_io_wait(self, timeout: float) -> None:
        """Trio's loop is about to ask what time it is."""
        self._clock.at_loop(self._all)
        if self.of is not None:
            self.of.after_io_wait()

    def task_scheduled(self, task: trio.lowlevel.Task) -> None:
        """Some task is going to run."""
        if self.of is not None:
            self.of.task_scheduled(task)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task is about to run."""
        self._all += 1
        if self.of is not None:
            self.of.before_task_step(task)

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task has run."""
        if self.of is not None:
            self.of.after_task_step(task)


class Stepper:
    """Counts the steps of one run, and does at one of them what its case says."""

    def __init__(
        self,
        case: Case | None,
        lives: Sequence[Life],
        scope: trio.CancelScope,
        clock: Clock,
        bounds: Bounds,
        *,
        send_ctrl_c: Callable[[], None],
        tracing: bool,
    ) -> None:
        self.steps = 0
        self.moment = 0
        self.unwinding = Unwinding()
        self.ended: int | None = None  # the moment at which something had ended the call
        self.ended_step = 0
        self.ended_at = 0.0  # seconds on the run's clock
        self.place: str = ""  # where the task of the case's step was
        self.trace: list[str] = []
        self.interrupted = False  # whether Ctrl-C was sent
        self.turn: Turn | None = None  # once its first call was accepted
        self.zones = 0  # of `irreversible`, open now
        self._case = case
        self._lives = lives
        self._scope = scope
        self._clock = clock
        self._bounds = bounds
        self._send_ctrl_c = send_ctrl_c
        self._tracing = tracing
        self._root: trio.lowlevel.Task | None = None
        self._serving: trio.Nursery | None = None  # where Trio's own tasks are that serve the loop
        self._counting = False
        self._cutting = False  # whether tasks are scheduled now because of what ended the call
        self._expiring = False  # whether they will be when Trio next looks at its deadlines
        self._open: Sequence[Life] = ()  # those whose calls were not over when Ctrl-C came
        self._order: dict[trio.lowlevel.Task, int] = {}

    @property
    def is_real(self) -> bool:
        """Whether the run is on the real clock."""
        return self._bounds.real_seconds is not None

    def tick(self) -> int:
        """A moment of its own for what happens now."""
        self.moment += 1
        return self.moment

    def begin(self) -> None:
        """The call begins with the next step."""
        self._root = trio.lowlevel.current_root_task()
        assert self._root is not None  # something runs
        self._serving = self._root.child_nurseries[0]
        self._counting = True

    def end(self) -> None:
        """The call has returned."""
        if self.interrupted and self.ended is None:
            self._note_interrupt()
        self._counting = False

    # --- Trio's hooks ----------------------------------------------------------------------------------------------

    def after_io_wait(self) -> None:
        """Trio is about to look at its deadlines."""
        self._cutting, self._expiring = self._expiring, False

    def task_scheduled(self, task: trio.lowlevel.Task) -> None:
        """Some task is going to run."""
        if self.interrupted and self.ended is None:
            self._note_interrupt()
            self._cutting = self.ended is not None
        if self._cutting and is_scheduled_by_a_cancel():
            self.unwinding.woken(task)
        elif self.ended is not None:
            self.unwinding.scheduled(task)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task is about to run."""
        self._cutting = False
        if self._counting and self.interrupted and self.ended is None:
            self._note_interrupt()  # also before one of Trio's own, which may bring the answer of a thread
        if not self._counting or self._is_trios(task):
            return
        self.steps += 1
        case = self._case
        if case is not None and case.mode is Mode.WAKING and case.step == self.steps:
            self.place = str(user_place(task))
            self._cancel()
        carrier = self._carrier(task)
        if carrier is not None:
            self.unwinding.before_step(task, carrier)

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task has run."""
        if not self._counting or not self.steps or self._is_trios(task):
            return
        if self._tracing:
            self._note(task)
        self._look(task)
        case = self._case
        if case is not None and self.steps >= case.step:
            self._strike(case, task)
        self._check_bounds()

    # --- what happens to the call ----------------------------------------------------------------------------------

    def _strike(self, case: Case, task: trio.lowlevel.Task) -> None:
        late = self.steps - case.step
        if late == 0 and case.mode is not Mode.WAKING:
            self.place = str(user_place(task))
        match case.mode, late:
            case (Mode.BLOCKED | Mode.CALLER_FIRST, 0) | (Mode.BUDGET_FIRST, 1):
                self._cancel()
            case (Mode.BUDGET | Mode.BUDGET_FIRST, 0) | (Mode.CALLER_FIRST, 1):
                self._run_out()
            case (Mode.INTERRUPT, 0):
                self.interrupted = True
                self._open = [life for life in self._lives if not life.over]
                self._send_ctrl_c()
            case _:
                return
        if late == 0:
            self._look(task)

    def _cancel(self) -> None:
        moment = self.tick()
        for life in self._lives:
            if not life.over and life.out_of_budget is None:
                life.cancelled = moment
        self._end(moment)
        self._cutting, self._expiring = True, False  # a budget that has just run out is cancelled with the rest
        self._scope.cancel(f"explored: {self._case}")
        self._cutting = False

    def _run_out(self) -> None:
        moment = self.tick()
        for life in self._lives:
            state = life.state
            claims = () if state is None else state.claims
            # the tool's own: a wrapper may have claimed something else further out
            own = (one for one in claims if one.cause is Cause.DEADLINE and one.outcome.code == ErrorCode.TOOL_TIMEOUT)
            budget = next(own, None)
            if state is not None and budget is not None:
                after = JUST_AFTER if self.is_real else 0.0
                state.move(budget, trio.current_time() + (after if life.cancelled is not None else -JUST_NOW))
                if life.cancelled is None:
                    self._expiring = True
                    life.out_of_budget, life.budget = moment, budget
                    self._end(moment)

    def _note_interrupt(self) -> None:
        # before the first call was accepted, whoever records that is what is interrupted
        if self.turn is None or self.turn.interrupt is not None:
            moment = self.tick()
            for life in self._lives:
                if not life.over or (life.interrupted and life in self._open):  # it may have settled since
                    life.cancelled = moment
            self._end(moment)

    def _end(self, moment: int) -> None:
        if self.ended is None:
            self.ended, self.ended_step, self.ended_at = moment, self.steps, trio.current_time()

    def _check_bounds(self) -> None:
        bounds = self._bounds
        too_many = self.steps > bounds.most_steps
        if self.ended is not None:
            too_many = (
                too_many
                or self.steps - self.ended_step > bounds.most_steps_after
                or trio.current_time() - self.ended_at > bounds.most_seconds_after
            )
        if too_many:
            self._clock.doom = TooManySteps()

    # --- whose step it is ------------------------------------------------------------------------------------------

    def _is_trios(self, task: trio.lowlevel.Task) -> bool:
        """Whether it is one of Trio's own: the first, or one of those that serve the loop."""
        return task.parent_nursery is self._serving or task is self._root

    def _look(self, task: trio.lowlevel.Task) -> None:
        """A task has run: how does it take the end of its call?"""
        carrier = self._carrier(task)
        if carrier is not None:
            self.unwinding.after_step(task, carrier, in_zone=self.zones > 0)

    def _carrier(self, task: trio.lowlevel.Task) -> trio.lowlevel.Task | None:
        """The task of the body that this one is of, once something has ended the call; None: it is of no body that has
        not come back."""
        if self.ended is None:
            return None
        carriers = [life.task for life in self._lives if life.task is not None and life.ended is not None]
        around: trio.lowlevel.Task | None = task if carriers else None
        while around is not None:
            if around in carriers:
                return around
            around = None if around.parent_nursery is None else around.parent_nursery.parent_task
        return None

    def _note(self, task: trio.lowlevel.Task) -> None:
        number = self._order.setdefault(task, len(self._order))
        where = "ended" if task.coro.cr_frame is None else str(user_place(task))
        self.trace.append(f"{self.steps} task {number}: {where}")
