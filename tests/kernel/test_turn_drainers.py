"""Several who drain one registry, registries that call each other, and a drain that meets a bug."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, begin, let_go_after, nap, naps, once

from trio_tools import Registry, ToolCall, open_registry, tool


class Drainer:
    """A task that drains and then sleeps for a while. It can be woken by hand, so that a test fails, instead of
    hanging, where nobody wakes it."""

    def __init__(self, registry: Registry, nursery: trio.Nursery) -> None:
        self._registry = registry
        self._task: trio.lowlevel.Task | None = None
        self.drained_at: float | None = None
        self.ended_at: float | None = None
        nursery.start_soon(self._go)

    async def _go(self) -> None:
        self._task = trio.lowlevel.current_task()
        await self._registry.drain()
        self.drained_at = trio.current_time()
        await trio.sleep(7)
        self.ended_at = trio.current_time()

    def rescue(self) -> None:
        if self.drained_at is None and self._task is not None:
            trio.lowlevel.reschedule(self._task)


async def test_several_may_drain_at_once(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    async with open_registry() as registry:
        Bodies(registry)
        begin(nursery, registry, naps("ab", 3))
        await trio.sleep(1)
        drainers = [Drainer(registry, nursery) for _ in range(3)]
        await trio.sleep(30)
        for one in drainers:
            one.rescue()
    assert [one.drained_at for one in drainers] == [3, 3, 3]


@pytest.mark.parametrize("late", [1, 2, 5])
async def test_a_call_that_arrives_as_the_last_one_leaves_strands_nobody_who_drains(
    late: int, autojump_clock: MockClock
) -> None:
    """It is made in the very tick in which those who drain are woken, and Trio wakes them in any order; each is woken
    once: what it does after its drain is not disturbed."""
    for _ in range(10):
        began = trio.current_time()
        gone = trio.Event()
        async with open_registry() as registry, trio.open_nursery() as nursery:
            Bodies(registry)
            registry.add_observer(lambda call, result: gone.set())  # noqa: B023
            begin(nursery, registry, naps("a", 1))
            await wait_all_tasks_blocked()
            drainers: list[Drainer] = []
            for _ in range(late):
                nursery.start_soon(_arrive, registry, gone)
                await wait_all_tasks_blocked()
                drainers += [Drainer(registry, nursery), Drainer(registry, nursery)]
                await wait_all_tasks_blocked()
            await trio.sleep(60)
            for one in drainers:
                one.rescue()
        ended = {(one.drained_at, one.ended_at) for one in drainers}
        assert ended == {(began + 1, began + 8)}


async def _arrive(registry: Registry, gone: trio.Event) -> None:
    await gone.wait()
    await registry.execute(nap("late"), scope=trio.CancelScope())


async def test_a_tool_cannot_drain_its_registry_by_way_of_another(autojump_clock: MockClock) -> None:
    """A call is inside of all the calls that it is nested in, whichever registry carries them."""
    refused: list[str] = []

    @tool
    async def inner() -> None:
        try:
            await outside.drain()
        except RuntimeError as error:
            refused.append(str(error))

    @tool
    async def outer() -> None:
        await once(inside, "inner")

    async with open_registry() as outside, open_registry() as inside, let_go_after(outside, 60) as needed:
        outside.register(outer)
        inside.register(inner)
        async with trio.open_nursery() as nursery:
            begin(nursery, outside, [ToolCall("outer")])
    assert (needed, len(refused)) == ([], 1)


async def test_a_tool_may_drain_another_registry(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    @tool
    async def tidy() -> str:
        await other.drain()
        return f"drained at {trio.current_time():g}"

    async with open_registry() as registry, open_registry() as other:
        registry.register(tidy)
        Bodies(other)
        begin(nursery, other, naps("a", 3))
        await wait_all_tasks_blocked()
        assert (await once(registry, "tidy")).text == "drained at 3"


class BrokenSeam:
    """Stands for a bug of ours, in the task of a call, where it settles."""

    @property
    def functions(self) -> tuple[object, ...]:
        raise ZeroDivisionError("bug")


async def test_a_bug_in_the_last_call_still_ends_a_drain(
    autojump_clock: MockClock, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L015: it goes on to whoever made the call, and whoever drains is told that the call has gone."""
    async with open_registry() as registry:
        Bodies(registry)
        monkeypatch.setattr(registry._core, "observers", BrokenSeam())
        run = begin(nursery, registry, naps("a", 1))
        await wait_all_tasks_blocked()
        drainer = Drainer(registry, nursery)
        await trio.sleep(30)
        drainer.rescue()
    assert (type(run.raised), drainer.drained_at) == (ZeroDivisionError, 1)
