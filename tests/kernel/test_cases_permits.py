"""Case B35: permits, and waiters that were cancelled. The permits of a turn are its cap, and a tool's are its pool."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, begin, codes, nap, naps, once

from trio_tools import CallView, Cause, ErrorCode, Registry, ToolCall, ToolResult, open_registry, tool

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)


async def test_case_b35_a_waiter_that_is_cancelled_leaves_the_queue_at_once(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B35 (a): its body never runs, and the one behind it starts when the first ends."""
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("abc", 0.2))
        await trio.sleep(0.1)
        assert registry.cancel("b") == 1
        await trio.sleep(1)
    assert run.codes == [None, NEVER_RAN, None]
    assert run.settled == {1: 0.1, 0: 0.2, 2: 0.4}
    assert bodies.entered == {"a": 0, "c": 0.2}
    assert run.results is not None
    assert run.results[1].cause is Cause.OPERATOR


@pytest.mark.parametrize("whose", ["observer", "on_settled", "body"])
async def test_case_b35_a_cancel_in_the_very_tick_in_which_the_permit_comes_free(
    whose: str, autojump_clock: MockClock
) -> None:
    """Case B35 (b): by somebody who acts as the first call ends."""

    def cancel(*_: object) -> None:
        registry.cancel("b")

    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)

        @tool
        async def first() -> None:
            await trio.sleep(0.2)
            if whose == "body":
                cancel()

        registry.register(first)
        if whose == "observer":
            registry.add_observer(cancel)
        results = await registry.execute_turn(
            [ToolCall("first", id="a"), nap("b"), nap("c")],
            scope=trio.CancelScope(),
            on_settled=cancel if whose == "on_settled" else None,
        )
    assert codes(results) == [None, NEVER_RAN, None]
    assert bodies.entered == {"c": 0.2}


async def test_case_b35_a_hundred_rounds_of_it_leak_no_permit(autojump_clock: MockClock) -> None:
    """Case B35 (c), (b): whether the cancel or the permit comes first, there is one result and the rest goes on."""
    async with open_registry(max_parallel_calls=1) as registry:
        for _ in range(100):
            bodies = Bodies(registry)
            began = trio.current_time()
            async with trio.open_nursery() as nursery:
                run = begin(nursery, registry, naps("abc", 0.2))
                await trio.sleep(0.2)
                registry.cancel("b")
            assert run.codes in ([None, NEVER_RAN, None], [None, ABORTED, None])
            assert (run.codes[1] == ABORTED) == ("b" in bodies.entered)
            assert (bodies.entered["c"], bodies.most) == (began + 0.2, 1)
            registry.unregister("nap")
            registry.unregister("alone")
        assert registry.pending() == []


async def test_case_b35_a_nested_call_needs_no_permit_of_the_turn_that_it_is_in(autojump_clock: MockClock) -> None:
    """Case B35 (d): a body calls the registry while it holds the only one; also two levels deep."""

    @tool
    async def outer(levels: int) -> str:
        if levels:
            return (await once(registry, "outer", levels=levels - 1)).text
        return (await registry.execute(nap("inner"), scope=trio.CancelScope())).text

    async with open_registry(max_parallel_calls=1) as registry:
        registry.register(outer)
        Bodies(registry)
        scope = trio.CancelScope(deadline=trio.current_time() + 60)
        result = await registry.execute(ToolCall("outer", {"levels": 2}), scope=scope)
    assert (result.text, trio.current_time()) == ("inner", 1)


def _pooled(registry: Registry, pool: trio.CapacityLimiter) -> Bodies:
    """Bodies whose parallel tool needs a token of this pool."""
    bodies = Bodies(registry)
    registry.unregister("nap")
    registry.register(tool(name="nap", parallel=True, pool=pool)(bodies.sleep))
    return bodies


async def test_case_b35_a_waiter_for_a_tool_s_pool_is_cancelled(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B35 (a), (c): the token of a pool is as good as a permit; none is kept by a cancelled call."""
    pool = trio.CapacityLimiter(1)
    async with open_registry() as registry:
        bodies = _pooled(registry, pool)
        run = begin(nursery, registry, naps("abc", 2))
        await trio.sleep(1)
        (running,) = bodies.entered
        waiting = [label for label in "abc" if label != running]
        registry.cancel(waiting[0])
        await trio.sleep(0.5)
        assert pool.statistics().tasks_waiting == 1
        await trio.sleep(9)
    assert sorted(run.codes, key=str) == [NEVER_RAN, None, None]
    assert sorted(bodies.entered) == sorted([running, waiting[1]])
    assert (pool.borrowed_tokens, bodies.most) == (0, 1)


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0, 1.5, 2.0])
async def test_case_b35_a_turn_that_is_cancelled_gives_all_tokens_back(at: float, autojump_clock: MockClock) -> None:
    """Case B35 (c): running, waiting, and in the tick in which a token comes free."""
    pool = trio.CapacityLimiter(1)
    async with open_registry() as registry:
        bodies = _pooled(registry, pool)
        scope = trio.CancelScope(deadline=trio.current_time() + at)
        results = await registry.execute_turn(naps("abc", 1), scope=scope)
        assert (pool.borrowed_tokens, pool.statistics().tasks_waiting) == (0, 0)
    assert {result.call_id for result in results if result.code != NEVER_RAN} == {*bodies.entered}


async def test_case_b35_a_budget_that_runs_out_in_the_queue(autojump_clock: MockClock) -> None:
    """Case B35, D9: TOOL_TIMEOUT, not dispatched, and its token goes to nobody who would not run."""
    pool = trio.CapacityLimiter(1)
    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.unregister("nap")
        registry.register(tool(name="nap", parallel=True, pool=pool, timeout=1.5)(bodies.sleep))
        results = await registry.execute_turn(naps("abc", 1), scope=trio.CancelScope())
    assert sorted(str(code) for code in codes(results)) == ["None", "TOOL_TIMEOUT", "TOOL_TIMEOUT"]
    assert {result.call_id for result in results if result.dispatched} == {*bodies.entered}
    assert (len(bodies.entered), pool.borrowed_tokens) == (2, 0)


async def test_case_b35_a_nested_call_of_a_tool_in_the_same_pool(autojump_clock: MockClock) -> None:
    """Case B35 (d): its outer call holds the only token. It works, or a clear error comes at once; no deadlock."""
    pool = trio.CapacityLimiter(1)

    async def outer() -> str:
        inner = await registry.execute(nap("inner", 0), scope=trio.CancelScope())
        return f"inner: {inner.code}"

    async with open_registry() as registry:
        _pooled(registry, pool)
        registry.register(tool(pool=pool)(outer))
        scope = trio.CancelScope(deadline=trio.current_time() + 60)
        result = await registry.execute(ToolCall("outer"), scope=scope)
    assert trio.current_time() == 0
    assert result.code != ABORTED
    assert pool.borrowed_tokens == 0


async def test_case_b35_a_waiter_behind_a_slow_gate_is_cancelled(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B35 (a): whatever it is that it waits for, it is over at once; the order of the gates is not its affair."""

    async def ponder(call: CallView) -> None:
        if call.id == "a":
            await trio.sleep(30)

    async with open_registry() as registry:
        bodies = Bodies(registry)
        registry.add_pre_policy(ponder)
        run = begin(nursery, registry, naps("abc"))
        await trio.sleep(1)
        registry.cancel("b")
        await trio.sleep(60)
    assert run.codes == [None, NEVER_RAN, None]
    assert run.settled[1] == 1
    assert bodies.entered == {"a": 30, "c": 30}


@pytest.mark.parametrize("order", ["bcd", "dcb", "cbd"])
async def test_case_b35_many_waiters_are_cancelled_in_any_order(
    order: str, autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B35: each is over at once, and what is left starts in call order."""
    async with open_registry(max_parallel_calls=1) as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("abcdef", 5))
        for label in order:
            await trio.sleep(1)
            registry.cancel(label)
        await trio.sleep(60)
    assert run.codes == [None, NEVER_RAN, NEVER_RAN, NEVER_RAN, None, None]
    assert [run.settled["abcd".index(label)] for label in order] == [1, 2, 3]
    assert bodies.entered == {"a": 0, "e": 5, "f": 10}


async def test_case_b35_a_call_that_fails_gives_its_permit_back(autojump_clock: MockClock) -> None:
    """Case B35: by whatever way it ends."""

    @tool(parallel=True, timeout=1)
    async def fail(how: str) -> str:
        if how == "raise":
            raise OSError("no")
        if how == "exit":
            raise SystemExit(1)
        await trio.sleep(5)
        return ""

    def review(call: CallView, result: ToolResult) -> None:
        if call.arguments == {"how": "review"}:
            raise OSError("no linter")

    async with open_registry(max_parallel_calls=1) as registry:
        registry.register(fail)
        bodies = Bodies(registry)
        registry.add_post_policy(review)
        hows = ["raise", "exit", "late", "review"]
        calls = [ToolCall("fail", {"how": how}) for how in hows] + [ToolCall("fail"), ToolCall("nothing"), nap("z")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.is_error for result in results] == [True] * 6 + [False]
    assert bodies.most == 1
