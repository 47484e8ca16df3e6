"""Ctrl-C while plugins open, stand or leave: all of them leave, and a bare KeyboardInterrupt goes on."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
from trio.testing import MockClock

from trio_tools import Plugin, Registry, open_registry, plugin


@attrs.frozen
class Nothing:
    """No options."""


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


async def interrupt_at(*moments: float) -> None:
    """Strike at these seconds of the virtual clock, from a task that is not the main one."""
    for moment in moments:
        await trio.sleep_until(moment)
        trio.lowlevel.spawn_system_task(struck)


async def struck() -> None:
    interrupt()


def lingering(name: str, left: list[str], seconds: float) -> Plugin[Nothing]:
    @plugin(name, config=Nothing)
    @asynccontextmanager
    async def opened(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(seconds)
            left.append(name)

    return opened


@pytest.mark.parametrize("moments", [(1.5,), (0.5, 1.5), (0.5, 1.5, 2.5), (0.5, 0.5, 0.5)])
def test_ctrl_c_while_plugins_leave_lets_them_all_leave(moments: tuple[float, ...]) -> None:
    """D17: however often, and in whichever of them it lands."""
    left: list[str] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(interrupt_at, *moments)
            plugins = [lingering(name, left, 1) for name in ("a", "b")]
            async with open_registry(plugins=plugins):
                await trio.sleep(1)

    with pytest.RaisesGroup(KeyboardInterrupt, allow_unwrapped=True, flatten_subgroups=True):
        trio.run(main, clock=MockClock(autojump_threshold=0))
    assert left == ["b", "a"]


def test_what_goes_on_is_bare_and_the_registry_is_closed() -> None:
    """D17: not in a group of our making, and no call is taken any more."""
    left: list[str] = []
    registries: list[Registry] = []

    async def main() -> None:
        trio.lowlevel.spawn_system_task(interrupt_at, 1.5)
        async with open_registry(plugins=[lingering("a", left, 1)], defaults=False) as registry:
            registries.append(registry)
            await trio.sleep(1)

    with pytest.raises(KeyboardInterrupt):  # no group
        trio.run(main, clock=MockClock(autojump_threshold=0))
    assert left == ["a"]
    assert registries[0]._core.closed


async def test_a_plugin_that_crashes_while_a_later_one_opens_ends_the_opening(autojump_clock: MockClock) -> None:
    """One whose background task crashes ends the registry as an error would: nobody waits for what it offered."""
    entered: list[str] = []

    @plugin("crashing", config=Nothing)
    @asynccontextmanager
    async def crashing(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        async def crash() -> None:
            await trio.sleep(1)
            raise ValueError("out of order")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(crash)
            yield

    @plugin("waiting", config=Nothing)
    @asynccontextmanager
    async def waiting(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        await trio.sleep(1_000)
        yield

    with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="out of order")):
        async with open_registry(plugins=[crashing, waiting]):
            entered.append("block")
    assert (entered, trio.current_time()) == ([], 1)


async def test_a_plugin_names_what_it_requires() -> None:
    @plugin("upper", config=Nothing, requires=("lower",))
    @asynccontextmanager
    async def upper(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        yield

    with pytest.raises(ValueError, match='plugin "upper" requires plugin "lower", which is not listed'):
        open_registry(plugins=[upper])
    async with open_registry(plugins=[lingering("lower", [], 0), upper]):
        await trio.lowlevel.checkpoint()
