"""The work of one run: a registry is opened, the calls are made, and what can be seen of them is noted."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

import trio

from trio_tools.pipeline import SettledView, current_call, in_job
from trio_tools.policies import timeout
from trio_tools.registry import Registry, opened
from trio_tools.testing._effects import EffectRecorder, Happening
from trio_tools.testing._leftovers import Leftover, Standing, left_since
from trio_tools.testing._life import Life
from trio_tools.testing._permits import permits
from trio_tools.testing._plan import Plan, is_watched
from trio_tools.testing._probe import LIVES, current_life, life_around, watched
from trio_tools.testing._reachable import reachable
from trio_tools.testing._record import Heard, Run, Zone
from trio_tools.testing._stepping import Stepper
from trio_tools.values import CallAccepted, CallDecided, CallEvent, EffectBegun, EffectEnded, ToolResult

# Seconds, on the real clock, for what comes to rest by itself: a thread that is nearly done, a process that is ending.
REST = 0.1
# Seconds between two looks at that: far less than it takes, as a rule.
LOOK = 0.005

# Seams whose functions have a say in what a call comes to.
_HAVE_A_SAY = {"pre_policy", "wrapper", "post_policy", "recorder"}


def _left(registry: Registry, before: Standing) -> list[Leftover]:
    """What is left, without what jobs that go on may still need."""
    return [one for one in left_since(before) if one.kind == "tasks" or not registry.jobs()]


class Work:
    """What the main task of a run does, and the seams that it looks through."""

    def __init__(self, plan: Plan, run: Run, stepper: Stepper, scope: trio.CancelScope) -> None:
        self._plan = plan
        self._run = run
        self._stepper = stepper
        self._scope = scope
        self._recorders: list[EffectRecorder] = []

    async def done(self, around: Standing) -> None:
        """Open a registry, make the calls, and look at what is left beyond what stands `around`. What the plugins raise
        as they are opened comes out, and a Ctrl-C of a person."""
        plan, run = self._plan, self._run
        async with opened(plan.options, plan.plugins, self._missing) as registry:
            for source in plan.services:
                run.services[source.kind] = service = source.make()
                registry.provide(source.kind, service)
            self._put_in(registry)
            run.plain = not any(one.seam in _HAVE_A_SAY and one.plugin != timeout.name for one in registry.joined())
            LIVES.set(self._life)
            if not plan.is_plain:
                registry.add_recorder(self._record)
            registry.add_observer(self._observe)
            held = [*plan.held, *filter(is_watched, reachable(run.services.values()))]
            if plan.rehearsed:
                await registry.execute_turn(plan.calls, scope=trio.CancelScope(), session=plan.session)
                run.published.clear()
                run.zones.clear()
            self._listen(held)
            kept = around if plan.is_bare and not plan.rehearsed else around.now()
            shared, taken, before = permits(plan.held), permits(held), kept.with_tasks_of_now()
            await self._call(registry)
            run.left += await self._rest(partial(_left, registry, before))
            run.permits_kept, run.spoils = taken.kept(), bool(shared.kept())
            await self._ask()
        if kept is not around:
            # what stood there before the call may be kept by nobody but who is there for all calls
            beyond = around.and_of(before) if plan.rehearsed else around
            run.left += [one for one in await self._rest(partial(left_since, beyond)) if one not in run.left]

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
            plan = self._plan
            run.results = await registry.execute_turn(
                plan.calls, scope=self._scope, session=plan.session, on_settled=self._settled
            )
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
            return
        if answer is False or isinstance(answer, str):
            self._run.objection = answer or "it returned False"
        elif answer is not None and answer is not True:
            raise TypeError(f"check returns None, True, False or a text, not {answer!r}")

    # --- what is heard ---------------------------------------------------------------------------------------------

    def _came(self, position: int) -> None:
        """A call of the turn, or of one that a body makes, was accepted: the first one's task has them all recorded."""
        state = current_call()
        if state is not None and state.turn.scope is self._scope:
            self._run.lives[position].state = state.turn.calls[position]
            self._stepper.turn = state.turn

    def _life(self) -> Life | None:
        """The call that this task carries, if it is one of the turn's own."""
        state = current_call()
        if state is None or state.turn.scope is not self._scope:
            return None
        life = self._run.lives[state.position]
        life.state, self._stepper.turn = state, state.turn
        return life

    def _record(self, event: CallEvent) -> None:
        match event:
            case CallAccepted():
                self._came(event.ref.position)
            case CallDecided():
                current_life.set(self._life())  # for a wrapper that runs the body itself, which is given no arguments
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
        has_result = not of_job or current_call() is not None
        self._run.heard.append(Heard(self._stepper.tick(), life_around.get(), happening, of_job, has_result))
