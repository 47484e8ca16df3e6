"""Cancels that come together: a second one changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, Log, Run, begin, nap, naps

from trio_tools import Cause, ErrorCode, Registry, ToolCall, ToolContext, ToolResult, open_registry, tool

Cancel: TypeAlias = Callable[[Registry, Run, trio.Nursery], None]

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


def _own(registry: Registry, run: Run, around: trio.Nursery) -> None:
    run.scope.cancel()


def _operator(registry: Registry, run: Run, around: trio.Nursery) -> None:
    registry.cancel("a", "an operator's word")
    registry.cancel("b", "an operator's word")


def _enclosing(registry: Registry, run: Run, around: trio.Nursery) -> None:
    around.cancel_scope.cancel()


@tool(parallel=True)
async def tidy(ctx: ToolContext) -> None:
    """Takes two seconds to clean up."""
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.sleep(2)
            ctx.defer_context("tidied")


@pytest.mark.parametrize("second", [_own, _operator, _enclosing])
@pytest.mark.parametrize(
    ("first", "cause"), [(_own, Cause.CALLER), (_operator, Cause.OPERATOR), (_enclosing, Cause.CALLER)]
)
async def test_a_second_cancel_while_the_first_is_under_way_changes_nothing(
    first: Cancel, cause: Cause, second: Cancel, autojump_clock: MockClock
) -> None:
    """D19, D5: bodies come to rest all the same, and the first owns the calls."""
    log, heard = Log(), Heard()
    async with open_registry() as registry:
        registry.register(tidy)
        registry.add_recorder(log)
        registry.add_observer(heard)
        async with trio.open_nursery() as around:
            run = begin(around, registry, [ToolCall("tidy", id="a"), ToolCall("tidy", id="b")])
            await trio.sleep(1)
            first(registry, run, around)
            with trio.CancelScope(shield=True):
                await trio.sleep(1)
            second(registry, run, around)
    assert {(str(result.code), result.cause, result.contexts) for _, result in run.told} == {
        (ABORTED, cause, ("tidied",))
    }
    assert run.settled == {0: 3, 1: 3}
    assert log.unbalanced(range(2)) == []
    assert heard.count == {"a": 1, "b": 1}
    assert {(event.cancelled_at, event.cause) for event in log.settled} == {(1, cause)}


async def test_a_turn_may_be_cancelled_many_times(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """D19"""
    async with open_registry() as registry:
        registry.register(tidy)
        run = begin(nursery, registry, [ToolCall("tidy", id="a")])
        for _ in range(20):
            await trio.sleep(0.1)
            run.scope.cancel()
            registry.cancel("a")
        await trio.sleep(2)
    assert (run.codes, len(run.told)) == ([ABORTED], 1)
    assert run.settled[0] == pytest.approx(2.1)


async def test_on_settled_may_end_the_turn(autojump_clock: MockClock) -> None:
    """L012: the first result is enough; the others are stopped, or never start."""
    scope, told = trio.CancelScope(), dict[int, str]()

    def enough(position: int, result: ToolResult) -> None:
        told[position] = str(result.code)
        scope.cancel()

    async with open_registry(max_parallel_calls=2) as registry:
        Bodies(registry)
        await registry.execute_turn([nap("a", 1), nap("b", 9), nap("c", 1)], scope=scope, on_settled=enough)
    assert told == {0: "None", 1: ABORTED, 2: NEVER_RAN}
    assert trio.current_time() == 1


async def test_a_fresh_turn_can_follow_at_once(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L014: nothing of a cancelled turn is left."""
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("abc", 9))
        await trio.sleep(1)
        run.scope.cancel()
        results = await registry.execute_turn(naps("de"), scope=trio.CancelScope())
    assert [result.text for result in results] == ["d", "e"]
    assert bodies.entered == {"a": 0, "d": 1, "e": 2}


async def test_one_turn_s_cancel_is_not_another_s(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    async with open_registry() as registry:
        Bodies(registry)
        one, other = begin(nursery, registry, naps("ab", 3)), begin(nursery, registry, naps("cd", 3))
        await trio.sleep(1)
        one.scope.cancel()
        await trio.sleep(5)
    assert (one.codes, other.codes) == ([ABORTED, ABORTED], [None, None])


@pytest.mark.parametrize("whose", ["own", "outer"])
async def test_a_nested_turn_ends_with_its_own_scope_or_with_its_outer_call(
    whose: str, autojump_clock: MockClock
) -> None:
    """L012, D4: cancelling the nested scope leaves the outer call alone; cancelling the outer one takes both."""
    heard = Heard()

    @tool
    async def outer() -> str:
        nested = trio.CancelScope(deadline=trio.current_time() + (1 if whose == "own" else 60))
        results = await registry.execute_turn(naps("bc", 9), scope=nested)
        return " ".join(str(result.code) for result in results)

    async with open_registry() as registry:
        registry.register(outer)
        Bodies(registry)
        registry.add_observer(heard)
        scope = trio.CancelScope(deadline=trio.current_time() + (60 if whose == "own" else 1))
        result = await registry.execute(ToolCall("outer", id="a"), scope=scope)
    assert heard.count == dict.fromkeys("abc", 1)
    assert trio.current_time() == 1
    if whose == "own":
        assert (result.code, result.text) == (None, "ABORTED ABORTED")
    else:
        assert {str(one.code) for one in heard.results} == {ABORTED}
        assert {one.cause for one in heard.results} == {Cause.CALLER}
