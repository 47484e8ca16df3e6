"""Tokens of pools, where calls make calls: a free one is taken, and only else the one that is held around is lent."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import Registry, ToolCall, ToolContext, ToolResult, open_registry, tool


def with_pool(registry: Registry, pool: trio.CapacityLimiter) -> None:
    @tool(pool=pool)
    async def parent(calls: int, ctx: ToolContext) -> int:
        async with trio.open_nursery() as nursery:
            for _ in range(calls):
                nursery.start_soon(one, ctx)
        return calls

    async def one(ctx: ToolContext) -> None:
        result = await ctx.execute(ToolCall("child"), scope=trio.CancelScope())
        assert not result.is_error

    @tool(pool=pool)
    async def child() -> None:
        await trio.sleep(1)

    registry.register(parent)
    registry.register(child)


@pytest.mark.parametrize(("tokens", "seconds"), [(1, 6), (2, 3), (4, 2), (7, 1)])
async def test_calls_below_one_that_holds_a_token_use_it_and_all_that_are_free(
    tokens: int, seconds: float, autojump_clock: MockClock
) -> None:
    """B35: the one that is lent is worth one more, as its holder waits."""
    pool = trio.CapacityLimiter(tokens)
    async with open_registry() as registry:
        with_pool(registry, pool)
        await registry.execute(ToolCall("parent", {"calls": 6}), scope=trio.CancelScope())
        assert (trio.current_time(), pool.borrowed_tokens) == (seconds, 0)


async def test_a_token_that_becomes_free_is_taken_as_well(autojump_clock: MockClock) -> None:
    """Waiting for the lent one is no reason to let a free one be."""
    pool = trio.CapacityLimiter(2)
    async with open_registry() as registry:
        with_pool(registry, pool)
        async with trio.open_nursery() as nursery:
            await pool.acquire_on_behalf_of("somebody")
            nursery.start_soon(run, registry, ToolCall("parent", {"calls": 3}))
            await wait_all_tasks_blocked()
            (_, first, second, third) = registry.pending()
            assert {first.waits_for, second.waits_for, third.waits_for} == {
                None,
                "a token of its pool (2 of 2 taken), or for that of a call around it",
            }
            pool.release_on_behalf_of("somebody")
        assert (trio.current_time(), pool.borrowed_tokens) == (2, 0)


async def run(registry: Registry, call: ToolCall) -> ToolResult:
    return await registry.execute(call, scope=trio.CancelScope())


async def test_a_cancel_while_tokens_are_waited_for_leaves_none_taken(autojump_clock: MockClock) -> None:
    pool = trio.CapacityLimiter(1)
    async with open_registry() as registry:
        with_pool(registry, pool)
        scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: registry.execute(ToolCall("parent", {"calls": 5}), scope=scope))
            await trio.sleep(1.5)
            scope.cancel()
        assert (pool.borrowed_tokens, registry.pending()) == (0, [])
        await run(registry, ToolCall("child"))
        assert pool.borrowed_tokens == 0
