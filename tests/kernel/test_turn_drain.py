"""Draining: no new calls, none that waits starts, those that run settle."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Bodies, Heard, Log, begin, codes, kind, let_go_after, nap, naps, once

from trio_tools import (
    CallEvent,
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    Registry,
    SyncToolContext,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


async def test_draining_waits_for_what_runs_and_starts_nothing(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("abcd", 3))
        await trio.sleep(1)
        await registry.drain()
        assert (trio.current_time(), registry.pending()) == (3, [])
        await wait_all_tasks_blocked()
    assert run.codes == [None, None, NEVER_RAN, NEVER_RAN]
    assert [result.cause for _, result in run.told] == [Cause.SHUTDOWN, Cause.SHUTDOWN, None, None]
    assert run.settled == {2: 1, 3: 1, 0: 3, 1: 3}
    assert sorted(bodies.entered) == ["a", "b"]


async def test_an_idle_registry_is_drained_at_once() -> None:
    async with open_registry() as registry:
        await registry.drain()
        await registry.drain()
        result = await once(registry, "nothing")
    assert result.code == ErrorCode.UNKNOWN_TOOL


@pytest.mark.parametrize("when", ["while it drains", "ever after"])
async def test_calls_that_arrive_get_a_result(when: str, autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """D3, D10: aborted before dispatch, cause `shutdown`; what is wrong with a call still wins; all are published."""
    heard = Heard()
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_observer(heard)
        if when == "while it drains":
            begin(nursery, registry, naps("a", 5))
            await trio.sleep(1)
            nursery.start_soon(registry.drain)
            await wait_all_tasks_blocked()
        else:
            await registry.drain()
        one = await registry.execute(nap("b"), scope=trio.CancelScope())
        two = await registry.execute_turn([nap("c"), ToolCall("nothing")], scope=trio.CancelScope())
        assert trio.current_time() == (1 if when == "while it drains" else 0)
    assert codes([one, *two]) == [NEVER_RAN, NEVER_RAN, ErrorCode.UNKNOWN_TOOL]
    assert [one.cause, two[0].cause, two[1].cause] == [Cause.SHUTDOWN, Cause.SHUTDOWN, None]
    assert "b" not in bodies.entered
    assert heard.results[:3] == [one, *two]


async def test_a_nested_call_that_arrives_gets_a_result_and_its_outer_call_goes_on(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    @tool
    async def outer() -> str:
        await trio.sleep(2)
        return str((await registry.execute(nap("b"), scope=trio.CancelScope())).cause)

    async with open_registry() as registry:
        registry.register(outer)
        Bodies(registry)
        run = begin(nursery, registry, [ToolCall("outer")])
        await trio.sleep(1)
        await registry.drain()
    assert [result.text for _, result in run.told] == ["shutdown"]


async def test_cancelling_a_drain_cancels_what_runs_and_waits_for_it(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """The one unbounded wait: it is never given up, and then `Cancelled` goes on."""

    @tool
    async def tidy() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)

    async with open_registry() as registry:
        registry.register(tidy)
        run = begin(nursery, registry, [ToolCall("tidy")])
        await trio.sleep(1)
        with trio.move_on_after(1) as impatient:
            await registry.drain()
        assert (impatient.cancelled_caught, trio.current_time()) == (True, 4)
        await wait_all_tasks_blocked()
    ((_, result),) = run.told
    assert (str(result.code), result.cause) == (ABORTED, Cause.SHUTDOWN)


async def test_a_deaf_call_is_seen_while_it_is_waited_for(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """R048: with who it is and how long it has been cancelled."""

    @tool
    async def deaf() -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(9)

    async with open_registry() as registry:
        registry.register(deaf)
        begin(nursery, registry, [ToolCall("deaf", id="d")])
        seen: list[tuple[str | None, float | None]] = []
        await trio.sleep(1)
        with trio.CancelScope() as impatient:
            nursery.start_soon(_cancel_and_look, registry, impatient, seen)
            await registry.drain()
    assert seen == [("d", 3)]


async def _cancel_and_look(
    registry: Registry, scope: trio.CancelScope, seen: list[tuple[str | None, float | None]]
) -> None:
    scope.cancel()
    await trio.sleep(3)
    seen += [(pending.id, pending.seconds_since_cancel) for pending in registry.pending()]


async def _of_the_body(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    registry.unregister("work")
    registry.register(tool(name="work")(drained))


async def _of_its_task(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def work() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(drained)

    await _of_the_body(registry, work)


async def _of_a_policy(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def gate(call: CallView) -> None:
        await drained()

    registry.add_pre_policy(gate)


async def _of_a_wrapper(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await drained()
        return await call_next()

    registry.add_wrapper(wrap)


async def _of_a_review(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def review(call: CallView, result: ToolResult) -> None:
        await drained()

    registry.add_post_policy(review)


async def _of_an_observer(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def observe(call: CallView, result: ToolResult) -> None:
        await drained()

    registry.add_observer(observe)


async def _of_a_recorder(registry: Registry, drained: Callable[[], Awaitable[None]]) -> None:
    async def record(event: CallEvent) -> None:
        if kind(event) == "settled":
            await drained()

    registry.add_recorder(Log(record))


@pytest.mark.parametrize(
    "inside",
    [
        _of_the_body,
        _of_its_task,
        _of_a_policy,
        _of_a_wrapper,
        _of_a_review,
        _of_an_observer,
        _of_a_recorder,
    ],
)
async def test_a_call_cannot_drain_the_registry_that_runs_it(
    inside: Callable[[Registry, Callable[[], Awaitable[None]]], Awaitable[None]], autojump_clock: MockClock
) -> None:
    """It would wait for itself: a RuntimeError in every stage, and the call is published as ever."""
    refused: list[BaseException] = []
    heard = Heard()

    @tool
    async def work() -> None: ...

    async def drained() -> None:
        try:
            await registry.drain()
        except RuntimeError as error:
            refused.append(error)

    async with open_registry() as registry, let_go_after(registry, 60) as needed:
        registry.register(work)
        registry.add_observer(heard)
        await inside(registry, drained)
        async with trio.open_nursery() as nursery:
            begin(nursery, registry, [ToolCall("work")])
    assert (needed, len(refused), codes(heard.results)) == ([], 1, [None])
    assert "drain" in str(refused[0])


async def test_a_thread_of_a_call_cannot_drain_it_either() -> None:
    refused: list[str] = []

    @tool
    def work(ctx: SyncToolContext) -> None:
        try:
            trio.from_thread.run(registry.drain)
        except RuntimeError as error:
            refused.append(str(error))

    async with open_registry() as registry:
        registry.register(work)
        result = await once(registry, "work")
    assert (result.code, len(refused)) == (None, 1)
