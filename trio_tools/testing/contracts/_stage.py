"""A stage: plain runs of Trio, each watched for what it leaves behind, and struck at one of its steps.

Steps are counted as in an exploration. A run in which nothing can go on, or which goes on for ever, is given up.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import attrs
import trio

from trio_tools.testing._abandoned import entomb, places_below, tasks_here
from trio_tools.testing._clock import Clock, RealClock, TooManySteps, VirtualClock, doom_in
from trio_tools.testing._leftovers import FAR, NEAR, Leftover, clear_away, left_since, standing
from trio_tools.testing._scheduling import order_that_can_be_fixed, seed_order
from trio_tools.testing._surroundings import Surroundings, ctrl_c_is_trios, garbage_waits, private_surroundings
from trio_tools.testing.contracts._scene import NO_SLACK, REAL_SLACK, refuse_trio

S = TypeVar("S")

# Steps after which a run is given up: far more than opening, using and leaving anything takes.
MOST_STEPS = 20_000
# Seconds after which a run on the real clock is: a plugin may wait for processes to end.
MOST_SECONDS = 30.0
# Seconds, on the real clock, for what comes to rest by itself, and between two looks at that. Long, since what is about
# to end has to wait for a busy machine too, and nobody waits this long but for what is really left.
REST, LOOK = 2.0, 0.005


@attrs.define(eq=False)
class Strike:
    """What is done at which step (1 is the first): `act` runs on Trio's own thread, between two steps. Steps count
    while it is `armed`."""

    step: int
    act: Callable[[], object]
    armed: bool = True


@attrs.frozen(kw_only=True)
class Act(Generic[S]):
    """A run that is prepared: its main function, what that keeps, and what strikes it, if anything does."""

    main: Callable[[], Awaitable[object]]
    state: S
    strike: Strike | None = None


def ctrl_c() -> None:
    """A `Strike` of somebody at the keyboard."""
    signal.raise_signal(signal.SIGINT)


@attrs.define(eq=False)
class Take:
    """What was seen of one run. `seconds` are those of its clock, `stuck` says where its tasks were when it was given
    up."""

    raised: BaseException | None = None
    left: list[Leftover] = attrs.field(factory=list[Leftover])
    stuck: tuple[str, ...] | None = None
    seconds: float = 0.0
    steps: int = 0
    struck: bool = False
    slack: float = NO_SLACK  # seconds that do not count

    @property
    def gave_up(self) -> str | None:
        """That it was given up, in words."""
        if self.stuck is None:
            return None
        return "; ".join(("it does not come to its end", *self.stuck))


class Striker(trio.abc.Instrument):
    """Counts the steps of every task but Trio's own, and strikes at one, until all is `over`: what is looked at then
    takes steps too, and they are nobody's."""

    def __init__(self, clock: Clock, strike: Strike | None) -> None:
        self.steps = 0
        self.struck = False
        self.over = False
        self._clock = clock
        self._strike = strike
        self._all = 0

    def after_io_wait(self, timeout: float) -> None:
        """Trio's loop is about to ask what time it is."""
        self._clock.at_loop(self._all)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task is about to run."""
        self._all += 1

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """A task has run, and sits in the checkpoint that ends its step."""
        if self.over or _is_trios(task) or (self._strike is not None and not self._strike.armed):
            return
        self.steps += 1
        if self._strike is not None and self.steps == self._strike.step:
            self.struck = True
            self._strike.act()
        if self.steps > MOST_STEPS:
            self._clock.doom = TooManySteps()

    def heard(self, thrown: KeyboardInterrupt) -> KeyboardInterrupt:
        """A Ctrl-C of its own, which nobody had heard before all was over. Raises a person's."""
        if not self.struck:
            raise thrown
        return thrown


class Stage:
    """Makes runs on the virtual clock, until one has shown that it waits for what no clock can hurry; `virtual`
    says whether it still does."""

    def __init__(self) -> None:
        self.virtual = True

    def take(self, prepare: Callable[[], Act[S]]) -> tuple[Take, S]:
        """Carry out what is prepared, whatever it raises; again, prepared anew, if it needs the real clock.

        Raises `RuntimeError` inside of Trio.
        """
        refuse_trio()
        while True:
            act = prepare()
            take, outside = self._take(act.main, act.strike)
            if not outside or not self.virtual:
                return take, act.state
            self.virtual = False

    def _take(self, main: Callable[[], Awaitable[object]], strike: Strike | None) -> tuple[Take, bool]:
        """What was seen, and whether it needs the real clock."""
        take = Take(slack=NO_SLACK if self.virtual else REAL_SLACK)
        with private_surroundings() as surroundings, ctrl_c_is_trios(), order_that_can_be_fixed(), garbage_waits():
            outside = self._carry_out(main, strike, take, surroundings)
        return take, outside or any(one.kind in ("threads", "processes") for one in take.left)

    def _carry_out(
        self, main: Callable[[], Awaitable[object]], strike: Strike | None, take: Take, surroundings: Surroundings
    ) -> bool:
        clock = VirtualClock(surroundings.others) if self.virtual else RealClock(MOST_SECONDS)
        striker = Striker(clock, strike)
        work = _Work(main, take, surroundings, striker, virtual=self.virtual)
        try:
            seed_order(0)
            trio.run(work.run, clock=clock, instruments=[striker])
        except trio.TrioInternalError as crash:
            if doom_in(crash) is None:
                raise
            take.stuck = work.given_up()
        except KeyboardInterrupt as thrown:
            take.raised = take.raised or striker.heard(thrown)
        take.steps, take.struck = striker.steps, striker.struck
        return clock.outside


class _Work:
    """The main task of a run."""

    def __init__(
        self,
        main: Callable[[], Awaitable[object]],
        take: Take,
        surroundings: Surroundings,
        striker: Striker,
        *,
        virtual: bool,
    ) -> None:
        self._main = main
        self._take = take
        self._surroundings = surroundings
        self._striker = striker
        self._virtual = virtual
        self._tasks: list[trio.lowlevel.Task] = []

    async def run(self) -> None:
        """Do it, and look at what is left."""
        take = self._take
        self._tasks = tasks_here()
        before = standing(self._surroundings, NEAR if self._virtual else FAR)
        try:
            await self._main()
        except BaseException as thrown:
            take.raised = thrown
        self._striker.over = True
        take.seconds = trio.current_time()
        began = time.perf_counter()
        take.left = left_since(before)
        while take.left and not self._virtual and time.perf_counter() - began < REST:
            await self._pause()
            take.left = left_since(before)
        if take.left:
            clear_away(before)

    async def _pause(self) -> None:
        """Let some time pass between two looks. A Ctrl-C that came where nothing could be interrupted is told here, and
        must not keep what is left from coming to rest."""
        try:
            await trio.sleep(LOOK)
        except KeyboardInterrupt as thrown:
            self._take.raised = self._take.raised or self._striker.heard(thrown)

    def given_up(self) -> tuple[str, ...]:
        """Where the tasks of a run that was given up stand, for good."""
        main, root = self._tasks
        entomb(root)
        return places_below(main)


def _is_trios(task: trio.lowlevel.Task) -> bool:
    """Whether it is one of Trio's own: the first, or one of those that serve the loop."""
    root = trio.lowlevel.current_root_task()
    return root is None or task is root or task.parent_nursery is root.child_nurseries[0]
