"""Ctrl-C at every line of the kernel (D17, RT10): three results, the bare exception out, nothing left."""

from __future__ import annotations

import random
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

import attrs
import pytest
import trio
import trio.testing
from kernel_lines import Injector, Place

from trio_tools import (
    CallEvent,
    CallNext,
    CallView,
    Cause,
    Dispatch,
    EffectBegun,
    EffectEnded,
    EffectState,
    ErrorCode,
    ErrorInfo,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.testing._scheduling import order_that_can_be_fixed, seed_order

P = ParamSpec("P")
T = TypeVar("T")
CALLS = [ToolCall("quick", '{"a": 1}', id="1"), ToolCall("slow", {"a": 2}, id="2"), ToolCall("quick", {"a": 3}, id="3")]


LATE = ErrorInfo("E", "TOO_LATE", "too late")


@tool(read_only=True, timeout=30)
async def quick(a: int) -> int:
    """Answer at once."""
    return a


@tool(read_only=True, timeout=30)
async def slow(a: int) -> int:
    """Answer after a while."""
    await trio.sleep(1)
    return a


@tool(read_only=True, idle_timeout=30, finalize_content=lambda result: None)
async def reporting(a: int, ctx: ToolContext) -> int:
    """Report progress, make an effect and answer."""
    seen = ctx.require(Seen)

    async def count() -> dict[str, int]:
        await trio.sleep(1)
        seen.counted += 1
        return {"counted": 1}

    ctx.report_progress(1, 2)
    await ctx.irreversible("count", count)
    await trio.sleep(1)
    return a


FULL = [ToolCall("reporting", {"a": 1}, id="1"), ToolCall("nowhere", {}, id="2"), ToolCall("quick", {"a": "x"}, id="3")]


@attrs.define
class Seen:
    """What one run came to."""

    published: list[ToolResult] = attrs.field(factory=list[ToolResult])
    events: list[CallEvent] = attrs.field(factory=list[CallEvent])
    counted: int = 0  # how often the effect of a call went through
    tasks_left: int = 0
    pending: int = 0
    returned: tuple[ToolResult, ...] | None = None


async def policy(view: CallView) -> None:
    await trio.lowlevel.checkpoint()


async def claim(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await dispatch.within(20, lambda: dispatch.within(10, call_next, LATE), LATE)


async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await call_next()


async def run(injector: Injector, seen: Seen, *, at: Place | None, seams: str, seed: int) -> None:
    """One turn of three calls in the main task, with Ctrl-C at this place."""

    def observe(view: CallView, result: ToolResult) -> None:
        seen.published.append(result)

    async def record(event: CallEvent) -> None:
        await trio.lowlevel.checkpoint()
        seen.events.append(event)

    async def turn(registry: Registry) -> None:
        try:
            with injector.watching(at):
                seen.returned = await registry.execute_turn(CALLS if seams != "all" else FULL, scope=trio.CancelScope())
        finally:
            seen.pending = len(registry.pending())

    async with open_registry() as registry:
        registry.register(quick)
        registry.register(slow)
        registry.add_observer(observe)
        registry.register(reporting)
        registry.provide(Seen, seen)
        if seams != "none":
            registry.add_pre_policy(policy)
            registry.add_wrapper(wrapper)
        if seams == "all":
            registry.add_wrapper(claim)
            registry.add_post_policy(lambda view, result: None)
            registry.add_recorder(record)
            registry.add_progress_observer(lambda view, progress: None)
        await trio.testing.wait_all_tasks_blocked()  # what the Ctrl-C before this one woke
        seed_order(seed)
        before = trio.lowlevel.current_statistics().tasks_living
        try:
            await turn(registry)
        finally:
            seen.tasks_left = trio.lowlevel.current_statistics().tasks_living - before
        await trio.lowlevel.checkpoint()  # one that came as the turn ended is told here


async def whole(injector: Injector, *, seams: str, seed: int) -> set[Place]:
    """One turn without Ctrl-C, and all kernel lines of it."""
    seen = Seen()
    await run(injector, seen, at=None, seams=seams, seed=seed)
    assert seen.returned is not None
    assert [result.value for result in seen.returned] == ([1, None, None] if seams == "all" else [1, 2, 3])
    return injector.places()


@pytest.fixture(autouse=True)
def no_tracer() -> Iterator[None]:
    before = sys.gettrace()
    yield
    sys.settrace(before)


@pytest.mark.parametrize("seams", ["none", "some", "all"])
def test_ctrl_c_at_any_kernel_line_settles_all_calls_and_goes_on_bare(seams: str) -> None:
    """D17, RT10: no kernel line can be interrupted half way."""
    seed = random.getrandbits(32)  # another order of tasks in each session, and the same in all turns of this one

    async def two(injector: Injector) -> tuple[set[Place], set[Place]]:
        return await whole(injector, seams=seams, seed=seed), await whole(injector, seams=seams, seed=seed)

    async def each(injector: Injector, places: set[Place]) -> None:
        for at in sorted(places):
            await interrupted(injector, at, seams=seams, seed=seed)

    with order_that_can_be_fixed():
        traced(two)  # the first run makes what later ones find in caches
        first, later = traced(two)
        assert len(later) > 300  # the tracer saw the kernel
        traced(each, later)
        for at in first - later:  # a run comes by these but once
            traced(each, {at})


def traced(main: Callable[Concatenate[Injector, P], Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
    """What comes of it in a run of Trio of its own."""
    injector = Injector()

    async def called() -> T:
        return await main(injector, *args, **options)

    return trio.run(called, clock=trio.testing.MockClock(autojump_threshold=0), instruments=[injector])


async def interrupted(injector: Injector, at: Place, *, seams: str, seed: int) -> None:
    """One turn with Ctrl-C in it, and all that holds of it."""
    seen = Seen()
    with pytest.raises(KeyboardInterrupt) as raised:
        await run(injector, seen, at=at, seams=seams, seed=seed)
    assert injector.where, at
    assert type(raised.value) is KeyboardInterrupt, injector.where
    assert sorted(result.call_id or "" for result in seen.published) == ["1", "2", "3"], injector.where
    assert (seen.pending, seen.tasks_left) == (0, 0), injector.where
    begun = [event.name for event in seen.events if isinstance(event, EffectBegun)]
    ended = [event.effect for event in seen.events if isinstance(event, EffectEnded)]
    effects = [effect for result in seen.published for effect in result.effects]
    assert (len(begun), ended) == (len(effects), effects), injector.where
    assert [effect.state for effect in effects].count(EffectState.COMMITTED) == seen.counted, injector.where


def test_ctrl_c_in_a_body_aborts_the_turn_with_cause_interrupt() -> None:
    """D17: the calls settle as aborted, cause `interrupt`, and a bare KeyboardInterrupt goes on."""
    seen = Seen()

    @tool(read_only=True)
    async def interrupted(a: int) -> int:
        signal.raise_signal(signal.SIGINT)
        return a

    async def main() -> None:
        async with open_registry() as registry:
            registry.register(slow)
            registry.register(interrupted)
            registry.add_observer(lambda view, result: seen.published.append(result))
            await registry.execute_turn(
                [ToolCall("slow", {"a": 1}), ToolCall("interrupted", {"a": 2}), ToolCall("slow", {"a": 3})],
                scope=trio.CancelScope(),
            )

    with pytest.raises(KeyboardInterrupt) as raised:
        trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert type(raised.value) is KeyboardInterrupt
    assert len(seen.published) == 3
    assert {result.cause for result in seen.published} == {Cause.INTERRUPT}
    assert {result.code for result in seen.published} <= {ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH}


def test_ctrl_c_while_the_main_task_waits_elsewhere_settles_a_childs_calls() -> None:
    """D17: when the turn is not in the main task, Ctrl-C reaches it as the cancel of the scopes around it."""
    published: list[ToolResult] = []

    async def main() -> None:
        async with open_registry() as registry, trio.open_nursery() as nursery:
            registry.register(slow)
            registry.add_observer(lambda view, result: published.append(result))

            async def agent() -> None:
                await registry.execute_turn([ToolCall("slow", {"a": 1})] * 3, scope=trio.CancelScope())

            nursery.start_soon(agent)
            await trio.testing.wait_all_tasks_blocked()
            signal.raise_signal(signal.SIGINT)

    with pytest.RaisesGroup(KeyboardInterrupt, flatten_subgroups=True):
        trio.run(main)
    assert [result.code for result in published] == [ErrorCode.ABORTED] * 3
