"""Leaving a registry: what becomes of its calls, and whose exception comes out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, Heard, Log, begin, codes, nap, naps, once

from trio_tools import Cause, ErrorCode, Registry, ToolCall, open_registry, tool

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


class OwnError(BaseException):
    """Neither an Exception nor anything that Python or Trio know."""


async def test_leaving_normally_waits_for_what_runs_and_starts_nothing(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """D10: what waits becomes ABORTED_BEFORE_DISPATCH, cause `shutdown`."""
    log, heard = Log(), Heard()
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_observer(heard)
        run = begin(nursery, registry, naps("abc", 3))
        await trio.sleep(1)
    assert trio.current_time() == 3
    await wait_all_tasks_blocked()
    assert run.codes == [None, NEVER_RAN, NEVER_RAN]
    assert [result.cause for result in run.results or ()] == [None, Cause.SHUTDOWN, Cause.SHUTDOWN]
    assert ([*bodies.entered], heard.count) == (["a"], {"a": 1, "b": 1, "c": 1})
    assert log.unbalanced(range(3)) == []


@pytest.mark.parametrize("how", ["error", "cancel"])
async def test_leaving_in_a_hurry_cancels_what_runs_and_waits_for_it(
    how: str, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Cause `shutdown`: nobody's scope but the block's was cancelled."""

    @tool
    async def tidy() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)

    run = came_out = None
    failure = OSError("no network")
    with trio.CancelScope() as block:
        try:
            async with open_registry(max_parallel_calls=1) as registry:
                registry.register(tidy)
                run = begin(nursery, registry, [ToolCall("tidy"), ToolCall("tidy")])
                await trio.sleep(1)
                if how == "error":
                    raise failure
                block.cancel()
                await trio.sleep_forever()
        except OSError as raised:
            came_out = raised
    assert came_out is (failure if how == "error" else None)
    assert (block.cancelled_caught, trio.current_time()) == (how == "cancel", 3)
    await wait_all_tasks_blocked()
    assert run is not None
    assert run.codes == [ABORTED, NEVER_RAN]
    assert [result.cause for result in run.results or ()] == [Cause.SHUTDOWN, Cause.SHUTDOWN]


async def test_a_cancel_while_leaving_normally_cancels_what_runs(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """It is how a person ends a wait that takes too long."""
    run = None
    with trio.move_on_after(5):
        async with open_registry() as registry:
            Bodies(registry)
            run = begin(nursery, registry, naps("a", 60))
            await trio.sleep(1)
    assert trio.current_time() == 5
    await wait_all_tasks_blocked()
    assert run is not None
    assert [(str(result.code), result.cause) for result in run.results or ()] == [(ABORTED, Cause.SHUTDOWN)]


async def test_calls_of_the_block_s_own_tasks_are_their_callers_to_cancel(autojump_clock: MockClock) -> None:
    """D4: a nursery inside the block is an enclosing scope of its calls."""
    heard = Heard()
    failure = OwnError()
    with pytest.RaisesGroup(OwnError):
        async with open_registry() as registry:
            Bodies(registry)
            registry.add_observer(heard)
            async with trio.open_nursery() as inside:
                begin(inside, registry, naps("a", 60))
                await trio.sleep(1)
                raise failure
    assert [(str(result.code), result.cause) for result in heard.results] == [(ABORTED, Cause.CALLER)]


async def test_after_the_block_calls_are_refused_from_outside(nursery: trio.Nursery) -> None:
    async with open_registry() as registry:
        Bodies(registry)
    with pytest.raises(RuntimeError, match="closed"):
        await once(registry, "nap", label="a")
    with pytest.raises(RuntimeError, match="closed"):
        await registry.execute_turn([nap("a")], scope=trio.CancelScope())


@pytest.mark.parametrize(
    "thrown",
    [
        ValueError("mine"),
        OwnError("mine"),
        KeyboardInterrupt(),
        SystemExit(3),
        GeneratorExit(),
        StopIteration(3),
        StopAsyncIteration(),
        RuntimeError("generator raised StopIteration"),
        ExceptionGroup("mine", [ValueError("a")]),
        BaseExceptionGroup("mine", [KeyboardInterrupt(), ValueError("a")]),
    ],
    ids=lambda thrown: type(thrown).__name__,
)
async def test_the_block_s_own_exception_comes_out_as_that_very_object(thrown: BaseException) -> None:
    """Never in a group, whatever it is; here without plugins, whose tasks would wait to be asked to leave."""
    came_out: BaseException | None = None
    try:
        async with open_registry(defaults=False):
            raise thrown
    except BaseException as raised:
        came_out = raised
    assert came_out is thrown


async def test_its_cause_and_context_are_left_alone() -> None:
    cause = OSError("why")
    with pytest.raises(ValueError, match="mine") as raised:
        async with open_registry():
            raise ValueError("mine") from cause
    assert (raised.value.__cause__, raised.value.__context__) == (cause, None)


async def test_a_cancel_of_the_block_is_caught_by_the_scope_that_made_it(autojump_clock: MockClock) -> None:
    with trio.move_on_after(1) as mine, trio.move_on_after(9) as other:
        async with open_registry():
            await trio.sleep_forever()
    assert (mine.cancelled_caught, other.cancelled_caught, trio.current_time()) == (True, False, 1)


@asynccontextmanager
async def _helper() -> AsyncGenerator[Registry]:
    async with open_registry() as registry:
        Bodies(registry)
        yield registry


async def test_a_registry_may_be_opened_inside_another_context_manager(autojump_clock: MockClock) -> None:
    failure = OSError("no network")
    came_out: BaseException | None = None
    try:
        async with _helper() as registry:
            assert codes(await registry.execute_turn(naps("ab"), scope=trio.CancelScope())) == [None, None]
            raise failure
    except OSError as raised:
        came_out = raised
    assert came_out is failure


async def test_two_registries_are_strangers(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """No global registry: tools, seams, drains and cancels are each one's own."""
    heard = Heard()
    async with open_registry() as one:
        Bodies(one)
        async with open_registry() as other:
            Bodies(other)
            other.add_observer(heard)
            run = begin(nursery, one, [nap("a", 5)])
            await trio.sleep(1)
            assert (other.cancel("a"), other.pending(), len(one.pending())) == (0, [], 1)
        assert trio.current_time() == 1
    await wait_all_tasks_blocked()
    assert (run.codes, heard.results) == ([None], [])
