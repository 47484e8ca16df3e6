"""A turn that is given up: before it begins, at a gate, midway; every call has one start and one result."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, Log, at_rest_while_waiting, begin, codes, nap, naps

from trio_tools import (
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


@pytest.mark.parametrize("how", ["cancelled", "out of time", "enclosing"])
@pytest.mark.parametrize("alone", [False, True])
async def test_a_turn_that_was_given_up_before_it_begins(how: str, alone: bool, autojump_clock: MockClock) -> None:
    """L010, L013, D10, R009, RT4: no policy and no body; each call is published, in order."""
    log, heard, gates, told = Log(), Heard(), list[str | None](), list[tuple[int, ToolResult]]()
    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_observer(heard)
        registry.add_pre_policy(lambda call: gates.append(call.id))
        await trio.sleep(1)
        scope = trio.CancelScope(deadline=0 if how == "out of time" else 60)
        if how == "cancelled":
            scope.cancel()
        with trio.CancelScope() as enclosing:
            if how == "enclosing":
                enclosing.cancel()
            await registry.execute_turn(
                naps("abc", alone=alone),
                scope=scope,
                on_settled=lambda position, result: told.append((position, result)),
            )
        assert enclosing.cancelled_caught == (how == "enclosing")
    assert [(position, str(result.code), result.cause) for position, result in told] == [
        (position, NEVER_RAN, Cause.CALLER) for position in range(3)
    ]
    assert log.story == [f"{what} {label}" for what in ("accepted", "settled") for label in "abc"]
    assert (heard.ids, gates, bodies.entered) == ([*"abc"], [], {})
    assert [result.text for result in heard.results] == ["Error: tool call aborted before dispatch"] * 3


async def test_a_turn_that_is_given_up_at_a_gate(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L011, L014: that call ends there, later ones never get to theirs."""
    log, gates = Log(), list[str | None]()

    async def ponder(call: CallView) -> None:
        gates.append(call.id)
        if call.id == "b":
            await trio.sleep_forever()

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_pre_policy(ponder)
        run = begin(nursery, registry, naps("abc", 9))
        await trio.sleep(1)
        run.scope.cancel()
        await trio.sleep(1)
    assert run.codes == [ABORTED, NEVER_RAN, NEVER_RAN]
    assert (gates, [*bodies.entered]) == (["a", "b"], ["a"])
    assert log.unbalanced(range(3)) == []


async def test_a_turn_that_is_given_up_while_a_gate_does_not_notice(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """L011, R031: it is waited for, and nothing is busy meanwhile."""

    async def ponder(call: CallView) -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(3)

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_pre_policy(ponder)
        with at_rest_while_waiting(autojump_clock):
            run = begin(nursery, registry, naps("abc"))
            await trio.sleep(1)
            run.scope.cancel()
            await trio.sleep(4)
    assert (run.codes, bodies.entered) == ([NEVER_RAN] * 3, {})
    assert run.settled[0] == 3


async def test_a_turn_that_is_given_up_midway(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """L012, L014: what has started is drained, the rest never starts, contexts are kept."""

    @tool(parallel=True)
    async def work(label: str, ctx: ToolContext) -> str:
        ctx.defer_context(label)
        try:
            await trio.sleep(9 if label == "b" else 1)
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)
        return label

    log, heard = Log(), Heard()
    async with open_registry(max_parallel_calls=2) as registry:
        registry.register(work)
        registry.add_recorder(log)
        registry.add_observer(heard)
        run = begin(nursery, registry, [ToolCall("work", {"label": label}, id=label) for label in "abcde"])
        await trio.sleep(4)
        run.scope.cancel()
        await trio.sleep(9)
    assert run.codes == [None, ABORTED, ABORTED, NEVER_RAN, NEVER_RAN]
    assert run.settled == {0: 3, 1: 6, 2: 6, 3: 4, 4: 4}
    assert run.results is not None
    assert [result.contexts for result in run.results] == [("a",), ("b",), ("c",), (), ()]
    assert log.unbalanced(range(5)) == []
    assert heard.count == dict.fromkeys("abcde", 1)


async def test_skipped_siblings_meet_no_stage_but_intake_and_settle(autojump_clock: MockClock) -> None:
    """L013, D10, D3: what is wrong with a call wins over the cancel; published like any other."""
    met: list[str] = []

    def seen(call: CallView) -> None:
        met.append(f"gate {call.id}")

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        met.append(f"wrapper {dispatch.id}")
        return await call_next()

    heard = Heard()
    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_pre_policy(seen)
        registry.add_wrapper(wrap)
        registry.add_post_policy(lambda call, result: met.append(f"review {call.id}"))
        registry.add_observer(heard)
        calls = [nap("a"), nap("b"), ToolCall("nothing", id="c"), ToolCall("nap", "{", id="d"), ToolCall("nap", id="e")]
        scope = trio.CancelScope(deadline=trio.current_time() + 0.5)
        results = await registry.execute_turn(calls, scope=scope)
    assert met == ["gate a", "wrapper a", "review a"]
    assert codes(results) == [
        ABORTED,
        NEVER_RAN,
        ErrorCode.UNKNOWN_TOOL,
        ErrorCode.INVALID_ARGS,
        ErrorCode.INVALID_ARGS,
    ]
    assert [result.cause for result in results] == [Cause.CALLER, Cause.CALLER, None, None, None]
    assert sorted(heard.results, key=lambda result: str(result.call_id)) == [*results]


async def test_the_results_of_skipped_calls_stand_together(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """LT4, L014: in call order, as their starts do, and nobody else's event comes between."""
    log = Log()
    async with open_registry(max_parallel_calls=1) as registry:
        Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, naps("abcdef", 9))
        await trio.sleep(1)
        run.scope.cancel()
        await trio.sleep(1)
    assert log.story[:6] == [f"accepted {label}" for label in "abcdef"]
    assert [line for line in log.story[6:] if line[-1] != "a"] == [f"settled {label}" for label in "bcdef"]
    assert log.unbalanced(range(6)) == []


@pytest.mark.parametrize("tenths", [*range(0, 50, 3)])
@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
async def test_after_a_cancel_at_any_time_the_record_is_balanced(
    tenths: int, whose: str, autojump_clock: MockClock
) -> None:
    """L014, R094, D4: exactly one start and one result of each call, also of those that never ran."""
    log, heard = Log(), Heard()

    async def slow(call: CallView) -> None:
        await trio.sleep(0.25)

    async with open_registry(max_parallel_calls=2) as registry:
        bodies = Bodies(registry)
        registry.add_recorder(log)
        registry.add_observer(heard)
        registry.add_pre_policy(slow)
        calls = [*naps("ab"), nap("c", alone=True), *naps("de")]
        mine, other = trio.CancelScope(), trio.CancelScope()
        (mine if whose == "handed over" else other).deadline = trio.current_time() + tenths / 10
        with other:
            await registry.execute_turn(calls, scope=mine)
        assert registry.pending() == []
    assert log.unbalanced(range(5)) == []
    assert heard.count == dict.fromkeys("abcde", 1)
    ran = {result.call_id for result in heard.results if result.code != NEVER_RAN}
    assert ran == {*bodies.entered}


async def test_a_scope_that_was_handed_over_is_caught_and_results_come_back(autojump_clock: MockClock) -> None:
    """D4, RT4, RT9: with the caller's next checkpoint undisturbed."""
    async with open_registry() as registry:
        Bodies(registry)
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        results = await registry.execute_turn(naps("ab", 9), scope=scope)
        await trio.sleep(1)
    assert (codes(results), scope.cancel_called, trio.current_time()) == ([ABORTED, ABORTED], True, 2)


async def test_an_enclosing_cancel_goes_on_once_all_has_settled(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """D4: what it cost is with the observers and `on_settled`."""

    @tool(parallel=True)
    async def tidy() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)

    async with open_registry() as registry:
        registry.register(tidy)
        async with trio.open_nursery() as inner:
            run = begin(inner, registry, [ToolCall("tidy"), ToolCall("tidy")])
            await trio.sleep(1)
            inner.cancel_scope.cancel()
    assert isinstance(run.raised, trio.Cancelled)
    assert (run.results, codes(result for _, result in run.told)) == (None, [ABORTED, ABORTED])
    assert run.settled == {0: 3, 1: 3}
