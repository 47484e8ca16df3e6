"""Runs: each on a registry of its own, as many as may be in one run of Trio, which is what costs most.

They follow one another until whoever is told of them does not trust what is left of the last, or one had to be given
up. The clock begins anew for each, and so does the order of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import attrs
import trio

from trio_tools.testing._abandoned import closing_tasks, entomb, places_below, tasks_here
from trio_tools.testing._case import Case
from trio_tools.testing._clock import Doom, RealClock, VirtualClock, doom_in
from trio_tools.testing._ctrl_c import CtrlC
from trio_tools.testing._leftovers import FAR, NEAR, Standing, standing
from trio_tools.testing._life import Life
from trio_tools.testing._plan import Plan
from trio_tools.testing._processes import children_reaped
from trio_tools.testing._record import Run
from trio_tools.testing._scheduling import seed_order
from trio_tools.testing._stepping import Bounds, Stepper, Steps
from trio_tools.testing._watchdog import PATIENCE, Watchdog
from trio_tools.testing._work import Work

# Told of a run, and of what stands there without it: whether the next may follow in the same run of Trio.
Told: TypeAlias = Callable[[Run, Standing], bool]


# Times that Trio's loop goes round before a task runs that was asked for from outside of it, once for the asking.
ROUNDS = 2


@attrs.frozen(kw_only=True)
class Assignment:
    """A run that is to be made: `case` None means that nothing ends the call."""

    case: Case | None
    seed: int
    bounds: Bounds
    tracing: bool = False


def carry_out(plan: Plan, assignments: Iterator[Assignment], told: Told, *, real_seconds: float | None) -> None:
    """Make these runs, one after another, in one run of Trio; `told` is called with each. On the real clock it ends
    after `real_seconds`; None: the clock is virtual.

    What the plugins raise as they are opened comes out; so does a Ctrl-C of a person.
    """
    clock = VirtualClock(plan.surroundings.others) if real_seconds is None else RealClock(real_seconds)
    watchdog = Watchdog(clock, PATIENCE + (real_seconds or 0))
    course = _Course(plan, assignments, told, clock, watchdog)
    try:
        with watchdog.watching():
            trio.run(course.main, clock=clock, instruments=[course.steps])
    except trio.TrioInternalError as crash:
        doom = doom_in(crash)
        if doom is None:
            raise
        course.given_up(doom)
    finally:
        course.ctrl_c.end()
    course.check_for_a_persons()


class _Course:
    """One run of Trio, and the runs in it."""

    def __init__(
        self,
        plan: Plan,
        assignments: Iterator[Assignment],
        told: Told,
        clock: VirtualClock | RealClock,
        watchdog: Watchdog,
    ) -> None:
        self.steps = Steps(clock)
        self.ctrl_c = CtrlC()
        self._plan = plan
        self._assignments = assignments
        self._told = told
        self._clock = clock
        self._watchdog = watchdog
        self._tasks: list[trio.lowlevel.Task] = []  # the main one, and that which Trio starts it from
        self._around: Standing | None = None  # what stands there between runs
        self._run: Run | None = None  # the one under way

    async def main(self) -> None:
        """Make one run after another, until `told` says no."""
        self._tasks = tasks_here()
        self.ctrl_c.listen()
        looks = NEAR if isinstance(self._clock, VirtualClock) else FAR
        self._around = around = standing(self._plan.surroundings, looks)
        for assignment in self._assignments:
            self._run = run = Run(assignment.case, [])
            self._clock.begin(careful=assignment.bounds.careful)
            self._watchdog.feed()
            seed_order(assignment.seed)
            await self._made(run, assignment, around)
            self.check_for_a_persons()
            if not self._told(run, around):
                return
            del run
            if await self._closes_generators():
                return

    async def _closes_generators(self) -> bool:
        """Whether Trio closes asynchronous generators that the last run has abandoned: in the next they would take
        steps that nobody has seeded. It does so as soon as nothing holds them any more."""
        self._run = None
        for _ in range(ROUNDS):
            await trio.lowlevel.checkpoint()
        return bool(closing_tasks(self._tasks[1]))

    async def _made(self, run: Run, assignment: Assignment, around: Standing) -> None:
        scope = trio.CancelScope()
        stepper = Stepper(
            run.case,
            run.lives,
            scope,
            self._clock,
            assignment.bounds,
            send_ctrl_c=self.ctrl_c.send,
            tracing=assignment.tracing,
        )
        unwinders = stepper.unwinding.unwinders
        run.lives += [Life(place, call.name, stepper.tick, unwinders) for place, call in enumerate(self._plan.calls)]
        self.steps.of = stepper
        work = Work(self._plan, run, stepper, scope)
        reaped = children_reaped()
        try:
            await work.done(around)
        except KeyboardInterrupt:
            if not stepper.interrupted:
                raise
            run.interrupted = True
        finally:
            work.forget()
        self._note(run, stepper)
        run.outside_work = self._clock.outside or children_reaped() != reaped

    def check_for_a_persons(self) -> None:
        """Raises `KeyboardInterrupt` if a person has pressed Ctrl-C, whatever a tool has made of it."""
        if self.ctrl_c.heard:
            raise KeyboardInterrupt

    def _note(self, run: Run, stepper: Stepper) -> None:
        run.steps, run.ended, run.place, run.trace = stepper.steps, stepper.ended, stepper.place, stepper.trace
        run.ended_at = None if stepper.ended is None else stepper.ended_at
        run.missteps, run.interrupt_sent = stepper.unwinding.missteps, stepper.interrupted
        run.saw_quiet = self._clock.saw_quiet

    def given_up(self, doom: Doom) -> None:
        """The run of Trio had to be ended, and the run that was under way with it."""
        run, around, stepper = self._run, self._around, self.steps.of
        assert run is not None  # it had begun, and so had the others
        assert around is not None
        assert stepper is not None
        main, root = self._tasks
        entomb(root)
        self._note(run, stepper)
        run.doom, run.stuck, run.outside_work = doom, places_below(main), self._clock.outside
        self._told(run, around)
