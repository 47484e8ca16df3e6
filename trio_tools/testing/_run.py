"""One run: a registry is opened, the calls are made, something ends them or nothing does, and what can be seen of it is
noted. Judging is for `_checks.py`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TypeAlias

import attrs
import trio

from trio_tools.pipeline import SettledView, current_call, in_job
from trio_tools.policies import timeout
from trio_tools.registry import AnyPlugin, Registry, RegistryOptions, opened
from trio_tools.testing._abandoned import entomb, places_below, tasks_here
from trio_tools.testing._case import Case
from trio_tools.testing._clock import RealClock, VirtualClock, doom_in
from trio_tools.testing._effects import EffectRecorder, Happening
from trio_tools.testing._leftovers import (
    FAR,
    NEAR,
    Leftover,
    Standing,
    children_reaped,
    left_since,
    standing,
)
from trio_tools.testing._life import Life
from trio_tools.testing._permits import gives_permits, permits
from trio_tools.testing._probe import current_life, life_around, watched
from trio_tools.testing._reachable import reachable
from trio_tools.testing._record import Heard, Run, Zone
from trio_tools.testing._scheduling import seed_order
from trio_tools.testing._services import ServiceSource
from trio_tools.testing._stepping import Bounds, Stepper
from trio_tools.testing._surroundings import Surroundings
from trio_tools.tool import Tool
from trio_tools.values import CallAccepted, CallEvent, EffectBegun, EffectEnded, ToolCall, ToolResult

# Seconds, on the real clock, for what comes to rest by itself: a thread on its way home, a process that is ending.
REST = 0.1
# Seconds between two looks at that: far less than it takes, as a rule.
LOOK = 0.005

# Seams whose functions have a say in what a call comes to.
_HAVE_A_SAY = {"pre_policy", "wrapper", "post_policy", "recorder"}

Check: TypeAlias = Callable[[Run], Awaitable[object] | object]


@attrs.frozen(kw_only=True)
class Plan:
    """What is explored. A tool that a plugin brings is named by the calls alone."""

    calls: tuple[ToolCall, ...]
    tools: tuple[Tool, ...]  # watched
    plugins: tuple[AnyPlugin, ...]
    services: tuple[ServiceSource, ...]
    check: Check | None
    options: RegistryOptions
    surroundings: Surroundings
    held: tuple[object, ...]  # what is watched of that which the tools can get their hands on in every run
    rehearsed: bool = False  # whether the calls are made once before, for what is kept on purpose to be there


def is_watched(one: object) -> bool:
    """Whether a run wants to know of this object, if a tool can get its hands on it."""
    return gives_permits(one) or isinstance(one, EffectRecorder)


def carry_out(plan: Plan, case: Case | None, bounds: Bounds, around: Standing, *, seed: int, tracing: bool) -> Run:
    """Make one run. `around` is what stands there without it; what is left beyond that is for the caller to clear away.

    What the plugins raise as they are opened comes out; so does a Ctrl-C of a person.
    """
    run = Run(case, [])
    limit = bounds.real_seconds
    others = plan.surroundings.others
    clock = VirtualClock(others, careful=bounds.careful) if limit is None else RealClock(limit)
    scope = trio.CancelScope()
    stepper = Stepper(run.case, run.lives, scope, clock, bounds, tracing=tracing)
    unwinders = stepper.unwinding.unwinders
    run.lives += [Life(place, call.name, stepper.tick, unwinders) for place, call in enumerate(plan.calls)]
    work = _Work(plan, run, stepper, scope)
    reaped = children_reaped()
    try:
        seed_order(seed)
        trio.run(work.main, clock=clock, instruments=[stepper])
    except trio.TrioInternalError as crash:
        run.doom = doom_in(crash)
        if run.doom is None:
            raise
    except KeyboardInterrupt:
        if not stepper.interrupted:
            raise
        run.interrupted = True
    finally:
        work.forget()
    run.saw_quiet = clock.saw_quiet
    run.ended_at = None if stepper.ended is None else stepper.ended_at
    run.outside_work = clock.outside or children_reaped() != reaped
    run.missteps, run.interrupt_sent = stepper.unwinding.missteps, stepper.interrupted
    if run.doom is not None:
        run.steps, run.ended, run.place, run.trace = stepper.steps, stepper.ended, stepper.place, stepper.trace
        run.stuck = work.given_up()
    else:
        kept = around if work.before is None or not plan.rehearsed else around.and_of(work.before)
        run.left += [one for one in left_since(kept) if one not in run.left]
    return run


def _left(registry: Registry, before: Standing) -> list[Leftover]:
    """What is left, without what jobs that go on may still need."""
    return [one for one in left_since(before) if one.kind == "tasks" or not registry.jobs()]


class _Work:
    """What the main task of a run does, and the seams that it looks through."""

    def __init__(self, plan: Plan, run: Run, stepper: Stepper, scope: trio.CancelScope) -> None:
        self._tasks: list[trio.lowlevel.Task] = []  # the main one, and that which Trio starts it from
        self._plan = plan
        self._run = run
        self._stepper = stepper
        self._scope = scope
        self._recorders: list[EffectRecorder] = []
        self.before: Standing | None = None  # what stood there before the call

    async def main(self) -> None:
        """Open a registry, make the calls, and look at what is left."""
        plan, run = self._plan, self._run
        self._tasks = tasks_here()
        async with opened(plan.options, plan.plugins, self._missing) as registry:
            for source in plan.services:
                run.services[source.kind] = service = source.make()
                registry.provide(source.kind, service)
            self._put_in(registry)
            run.plain = not any(one.seam in _HAVE_A_SAY and one.plugin != timeout.name for one in registry.joined())
            registry.add_recorder(self._record)
            registry.add_observer(self._observe)
            held = [*plan.held, *filter(is_watched, reachable(run.services.values()))]
            if plan.rehearsed:
                await registry.execute_turn(plan.calls, scope=trio.CancelScope())
                run.published.clear()
                run.zones.clear()
            self._listen(held)
            taken, self.before = permits(held), standing(plan.surroundings, FAR if self._stepper.is_real else NEAR)
            await self._call(registry)
            run.left += await self._rest(partial(_left, registry, self.before))
            run.permits_kept = taken.kept()
            await self._ask()

    def given_up(self) -> tuple[str, ...]:
        """Where the tasks of a run that was given up stand, for good."""
        main, root = self._tasks
        entomb(root)
        return places_below(main)

    def forget(self) -> None:
        """Let go of what outlives the run."""
        for recorder in self._recorders:
            recorder.tell(None)

    def _missing(self, kind: type[object], asker: str | None) -> Iterable[str]:
        self._run.missing.append(kind)
        return ("name it in services=",)

    def _put_in(self, registry: Registry) -> None:
        for one in self._plan.tools:
            registry.register(one)
        for name in {call.name for call in self._plan.calls} - {one.name for one in self._plan.tools}:
            if name in registry.tools:
                one = registry.tools[name]
                registry.unregister(name)
                registry.register(watched(one))

    def _listen(self, held: list[object]) -> None:
        self._recorders = [one for one in held if isinstance(one, EffectRecorder)]
        for recorder in self._recorders:
            recorder.tell(self._happened)

    async def _call(self, registry: Registry) -> None:
        stepper, run = self._stepper, self._run
        stepper.begin()
        began = trio.current_time()
        try:
            run.results = await registry.execute_turn(self._plan.calls, scope=self._scope, on_settled=self._settled)
        except KeyboardInterrupt:
            run.interrupted = True
            run.results = tuple(life.result for life in run.lives if life.result is not None)
        except BaseException as thrown:
            run.raised = thrown
        stepper.end()
        run.steps, run.ended, run.place, run.trace = stepper.steps, stepper.ended, stepper.place, stepper.trace
        run.seconds = trio.current_time() - began
        try:
            await trio.lowlevel.checkpoint()  # a Ctrl-C that came as the call ended is told here
        except KeyboardInterrupt:
            run.interrupted = True
        if run.interrupted and not stepper.interrupted:
            raise KeyboardInterrupt  # a person's

    async def _rest(self, look: Callable[[], list[Leftover]]) -> list[Leftover]:
        """What is left; on the real clock once that has had its time to come to rest."""
        left = look()
        began = time.perf_counter()
        while left and self._stepper.is_real and time.perf_counter() - began < REST:
            await trio.sleep(LOOK)
            left = look()
        return left

    async def _ask(self) -> None:
        check = self._plan.check
        if check is None:
            return
        try:
            answer = check(self._run)
            if isinstance(answer, Awaitable):
                answer = await answer  # pyright: ignore[reportUnknownVariableType]
        except Exception as thrown:
            self._run.objection = f"{type(thrown).__name__}: {thrown}"
        else:
            if answer is False or isinstance(answer, str):
                self._run.objection = answer or "it returned False"

    # --- what is heard ---------------------------------------------------------------------------------------------

    def _life(self) -> Life | None:
        """The call that this task carries, if it is one of the turn's own."""
        state = current_call()
        return None if state is None or state.turn.scope is not self._scope else self._run.lives[state.position]

    async def _record(self, event: CallEvent) -> None:
        match event:
            case CallAccepted():
                life = self._life()
                current_life.set(life)
                state = current_call()
                if life is not None and state is not None:
                    life.state, self._stepper.turn = state, state.turn
            case EffectBegun():
                self._stepper.zones += 1
                self._run.zones.append(Zone(event.name, self._stepper.tick()))
            case EffectEnded():
                self._stepper.zones -= 1
                open_ones = [zone for zone in self._run.zones if zone.name == event.effect.name and zone.ended is None]
                open_ones[0].ended = self._stepper.tick()
            case _:
                pass

    def _observe(self, view: SettledView, result: ToolResult) -> None:
        self._run.published.append(result)
        life = self._life()
        if life is not None:
            life.observed.append(result)

    def _settled(self, position: int, result: ToolResult) -> None:
        life = self._run.lives[position]
        life.result, life.settled, life.settled_at = result, self._stepper.tick(), trio.current_time()
        life.told += 1

    def _happened(self, happening: Happening) -> None:
        of_job = trio.lowlevel.in_trio_task() and in_job()
        self._run.heard.append(Heard(self._stepper.tick(), life_around.get(), happening, of_job))
