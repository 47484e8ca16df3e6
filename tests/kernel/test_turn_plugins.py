"""Plugins: opened in order, left in reverse, each in a task of its own; what their failures do."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, begin, naps, once

from trio_tools import Cause, Plugin, Registry, open_registry, plugin, tool


@attrs.frozen
class Nothing:
    """No config."""


class Story:
    """What plugins did, in order; and plugins that fail where they are told to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failure = OSError("no such port")

    def plugin(self, name: str, fails: str = "") -> Plugin[Nothing]:
        """One that may fail when it opens, or when it leaves."""

        @plugin(name, config=Nothing)
        @asynccontextmanager
        async def noting(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            await trio.lowlevel.checkpoint()
            if fails == "open":
                raise self.failure
            self.lines.append(f"open {name}")
            try:
                yield
            finally:
                self.lines.append(f"leave {name}")
                if fails == "leave":
                    raise self.failure

        return noting

    def crashing(self, name: str, seconds: float) -> Plugin[Nothing]:
        """One whose background task fails after so many seconds."""

        async def crash() -> None:
            await trio.sleep(seconds)
            raise self.failure

        @plugin(name, config=Nothing)
        @asynccontextmanager
        async def working(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crash)
                try:
                    yield
                finally:
                    self.lines.append(f"leave {name} at {trio.current_time():g}")
                nursery.cancel_scope.cancel()

        return working


async def test_plugins_are_opened_in_order_and_left_in_reverse() -> None:
    story = Story()
    async with open_registry(plugins=[story.plugin(name) for name in "abc"]):
        story.lines.append("block")
    assert story.lines == ["open a", "open b", "open c", "block", "leave c", "leave b", "leave a"]


@pytest.mark.parametrize("how", ["error", "cancel"])
async def test_they_are_left_in_reverse_when_the_block_fails_too(
    how: str, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    """Nothing failed in them, so nothing is logged of them."""
    story = Story()
    came_out: BaseException | None = None
    with trio.CancelScope() as scope:
        try:
            async with open_registry(plugins=[story.plugin(name) for name in "abc"]):
                scope.deadline = trio.current_time() if how == "cancel" else trio.current_time() + 60
                await trio.sleep(1)
                raise ValueError("mine")
        except ValueError as raised:
            came_out = raised
    assert story.lines[3:] == ["leave c", "leave b", "leave a"]
    assert (scope.cancelled_caught, came_out is None) == (how == "cancel", how == "cancel")
    assert caplog.records == []


async def test_one_that_fails_to_open_undoes_those_before_it() -> None:
    """Its very exception comes out, and the block is never entered."""
    story = Story()
    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[story.plugin("a"), story.plugin("b"), story.plugin("c", fails="open")]):
            story.lines.append("block")
    except OSError as raised:
        came_out = raised
    assert came_out is story.failure
    assert story.lines == ["open a", "open b", "leave b", "leave a"]


async def test_one_that_hangs_while_it_opens_can_be_cancelled(autojump_clock: MockClock) -> None:
    story = Story()

    @plugin("hanging", config=Nothing)
    @asynccontextmanager
    async def hanging(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        await trio.Event().wait()
        yield

    with trio.move_on_after(2) as impatient:
        async with open_registry(plugins=[story.plugin("a"), hanging]):
            story.lines.append("block")
    assert (impatient.cancelled_caught, trio.current_time()) == (True, 2)
    assert story.lines == ["open a", "leave a"]


async def test_one_that_fails_to_leave_is_what_comes_out_and_the_others_leave() -> None:
    story = Story()
    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[story.plugin("a"), story.plugin("b", fails="leave"), story.plugin("c")]):
            story.lines.append("block")
    except OSError as raised:
        came_out = raised
    assert came_out is story.failure
    assert story.lines[3:] == ["block", "leave c", "leave b", "leave a"]


async def test_the_block_s_own_exception_goes_before_a_plugin_s(caplog: pytest.LogCaptureFixture) -> None:
    """The plugin's failure is logged, and is in no group with it."""
    story, mine = Story(), ValueError("mine")
    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[story.plugin("a", fails="leave")]):
            raise mine
    except BaseException as raised:
        came_out = raised
    assert came_out is mine
    assert [record.levelno for record in caplog.records if "no such port" in record.message] == [logging.ERROR]


async def test_one_whose_background_task_crashes_ends_the_registry(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """As an error of the block would: calls are cancelled, cause `shutdown`, and all others leave."""
    story = Story()
    run = None
    with pytest.RaisesGroup(OSError):  # a group of the plugin's own nursery
        async with open_registry(plugins=[story.plugin("a"), story.crashing("b", 2), story.plugin("c")]) as registry:
            Bodies(registry)
            run = begin(nursery, registry, naps("a", 60))
            await trio.sleep_forever()
    assert trio.current_time() == 2
    await wait_all_tasks_blocked()
    assert run is not None
    assert [(str(result.code), result.cause) for result in run.results or ()] == [("ABORTED", Cause.SHUTDOWN)]
    assert story.lines == ["open a", "open c", "leave c", "leave b at 2", "leave a"]


async def test_one_that_ends_before_it_is_asked_to_ends_the_registry(autojump_clock: MockClock) -> None:
    @plugin("fickle", config=Nothing)
    @asynccontextmanager
    async def fickle(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        with trio.move_on_after(2):
            yield

    with pytest.raises(RuntimeError, match="fickle"):
        async with open_registry(plugins=[fickle]):
            await trio.sleep_forever()
    assert trio.current_time() == 2


async def _stop_here(ended: Callable[[], None]) -> None:
    try:
        await trio.sleep_forever()
    finally:
        ended()


async def test_a_crash_reaches_the_block_s_own_tasks_and_its_error_goes_before(autojump_clock: MockClock) -> None:
    """What the block raises while it cleans up is its own."""
    story, mine = Story(), ValueError("mine")

    def fail() -> None:
        raise mine

    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[story.crashing("a", 2)]):
            await _stop_here(fail)
    except ValueError as raised:
        came_out = raised
    assert (came_out is mine, trio.current_time()) == (True, 2)


async def test_plugins_stand_until_the_last_call_has_settled(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """What calls stand on goes after them; what leaves may still ask, and is told that the registry shuts down."""
    story = Story()

    @plugin("asking", config=Nothing)
    @asynccontextmanager
    async def asking(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        with registry.add_observer(lambda call, result: story.lines.append(f"settled {call.id}: {result.cause}")):
            try:
                yield
            finally:
                story.lines.append(f"leave at {trio.current_time():g}")
                await once(registry, "nap", "late", label="late")

    @tool(parallel=True)
    async def tidy() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)

    with suppress(ValueError):
        async with open_registry(plugins=[asking]) as registry:
            registry.register(tidy)
            Bodies(registry)
            nursery.start_soon(once, registry, "tidy", "early")
            await trio.sleep(1)
            raise ValueError("mine")
    assert story.lines == ["settled early: shutdown", "leave at 3", "settled late: shutdown"]


async def test_a_generator_exit_of_the_block_lets_plugins_leave(autojump_clock: MockClock) -> None:
    """As when an async generator that holds the registry is closed. The plugin crashes after a minute if nobody asks
    it to leave, so that this test fails instead of hanging."""
    story, mine = Story(), GeneratorExit()
    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[story.crashing("a", 60)], defaults=False):
            raise mine
    except BaseException as raised:
        came_out = raised
    assert (came_out is mine, story.lines) == (True, ["leave a at 0"])


async def test_two_plugins_of_one_name_are_refused_and_so_is_what_is_none() -> None:
    story = Story()
    with pytest.raises(ValueError, match='"a" is listed more than once'):
        open_registry(plugins=[story.plugin("a"), story.plugin("a")])
    odd: Any = Nothing()
    with pytest.raises(TypeError, match="Nothing"):
        open_registry(plugins=[odd])
