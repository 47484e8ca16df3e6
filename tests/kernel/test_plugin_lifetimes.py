"""Three plugins in every order, and in each of them at each step an error, a crash, a cancel or Ctrl-C: nothing is
left, the right exception comes out, and every call has the right result."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import permutations, product

import attrs
import pytest
import trio
from trio.testing import MockClock

from trio_tools import Plugin, Registry, ToolCall, ToolContext, ToolResult, open_registry, plugin, tool

NAMES = "abc"
ORDERS = ["".join(order) for order in permutations(NAMES)]
STEPS = ("opening", "open", "leaving")
KINDS = ("error", "crash", "cancel", "ctrl-c")


@attrs.frozen
class Nothing:
    """No config."""


@attrs.define
class Trial:
    """What happens where, and what was seen of it."""

    order: str
    who: str
    step: str
    kind: str
    failure: BaseException = attrs.Factory(lambda: OSError("no such port"))
    surroundings: trio.CancelScope = attrs.Factory(trio.CancelScope)
    opened: list[str] = attrs.Factory(list[str])
    left: list[str] = attrs.Factory(list[str])
    results: dict[str, ToolResult] = attrs.Factory(dict[str, ToolResult])
    early: list[str] = attrs.Factory(list[str])  # plugins that had left while a call of theirs ran
    registry: Registry | None = None
    came_out: BaseException | None = None
    tasks_left: int = 0

    async def strike(self) -> None:
        """Do what is to happen."""
        await trio.sleep(1)
        match self.kind:
            case "cancel":
                self.surroundings.cancel()
                await trio.sleep(1)
            case "ctrl-c":
                raise KeyboardInterrupt
            case _:
                raise self.failure

    async def at(self, name: str, step: str, nursery: trio.Nursery) -> None:
        """A plugin gets to a step: in its own task, or in one that it has started."""
        if (name, step) != (self.who, self.step):
            await trio.lowlevel.checkpoint()
        elif self.kind == "crash" or step == "open":
            nursery.start_soon(self.strike)
            if step != "open":
                await trio.sleep(10)
        else:
            await self.strike()

    def plugin(self, name: str) -> Plugin[Nothing]:
        @tool(name=f"tool_{name}", parallel=True)
        async def work(ctx: ToolContext) -> str:
            ctx.start_job(trio.sleep_forever)
            try:
                await trio.sleep(5)
            finally:
                with trio.CancelScope(shield=True, relative_deadline=5):
                    await trio.sleep(2)  # what it still does with what its plugin has
                    if name in self.left:
                        self.early.append(name)
            return "done"

        @plugin(name, config=Nothing)
        @asynccontextmanager
        async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            async with trio.open_nursery() as nursery:
                with registry.register(work), registry.add_observer(lambda call, result: None):
                    await self.at(name, "opening", nursery)
                    self.opened.append(name)
                    try:
                        await self.at(name, "open", nursery)
                        yield
                    finally:
                        self.left.append(name)
                    await self.at(name, "leaving", nursery)

        return opener

    async def run(self) -> None:
        before = trio.lowlevel.current_statistics().tasks_living
        try:
            with self.surroundings:
                async with open_registry(plugins=[self.plugin(name) for name in self.order]) as self.registry:
                    await self.block(self.registry)
        except BaseException as raised:
            self.came_out = raised
        self.tasks_left = trio.lowlevel.current_statistics().tasks_living - before

    async def block(self, registry: Registry) -> None:
        calls = [ToolCall(f"tool_{name}", id=name) for name in self.order]

        def settled(position: int, result: ToolResult) -> None:
            self.results[self.order[position]] = result

        await registry.execute_turn(calls, scope=trio.CancelScope(), on_settled=settled)


def leaf(thrown: BaseException | None) -> BaseException | None:
    """A plugin's own nursery makes a group of what one of its tasks raised."""
    while isinstance(thrown, BaseExceptionGroup):
        group: BaseExceptionGroup[BaseException] = thrown  # pyright: ignore[reportUnknownVariableType]
        (thrown,) = group.exceptions
    return thrown


@pytest.mark.parametrize(("step", "kind"), list(product(STEPS, KINDS)))
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("who", list(NAMES))
def test_whatever_happens_to_a_plugin(order: str, who: str, step: str, kind: str) -> None:
    trial = Trial(order, who, step, kind)
    trio.run(trial.run, clock=MockClock(autojump_threshold=0))
    # lifetimes: each that was opened is left, in reverse
    before = order[: order.index(who)]
    opened = list(before if step == "opening" else order)
    assert trial.opened == opened
    assert trial.left == opened[::-1]
    # the right exception
    if kind == "cancel":
        assert (trial.came_out, trial.surroundings.cancelled_caught) == (None, True)
    elif kind == "ctrl-c":
        assert type(trial.came_out) is KeyboardInterrupt
    else:
        assert leaf(trial.came_out) is trial.failure
    # the right results: each call has one, and had come to rest before its plugin left
    expected = {"opening": {}, "open": dict.fromkeys(order, "ABORTED"), "leaving": dict.fromkeys(order, None)}[step]
    assert {name: result.code for name, result in trial.results.items()} == expected
    assert trial.early == []
    # nothing left
    assert trial.tasks_left == 0
    if trial.registry is not None:
        assert (dict(trial.registry.tools), trial.registry.joined()) == ({}, [])
        assert (trial.registry.pending(), trial.registry.jobs()) == ([], [])


@pytest.mark.parametrize("order", ORDERS)
def test_a_program_that_fails_or_is_interrupted_leaves_all_three_in_reverse(order: str) -> None:
    for failure in (ValueError("mine"), KeyboardInterrupt(), SystemExit(3)):
        trial = Trial(order, who="", step="", kind="")

        async def block(registry: Registry, trial: Trial = trial, failure: BaseException = failure) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Trial.block, trial, registry)
                await trio.sleep(1)
                nursery.cancel_scope.cancel()
            raise failure

        async def run(trial: Trial = trial) -> None:
            try:
                async with open_registry(plugins=[trial.plugin(name) for name in trial.order]) as registry:
                    await block(registry)
            except BaseException as raised:
                trial.came_out = raised

        trio.run(run, clock=MockClock(autojump_threshold=0))
        assert trial.came_out is failure
        assert (trial.opened, trial.left, trial.early) == (list(order), list(order[::-1]), [])
        assert {result.code for result in trial.results.values()} == {"ABORTED"}
