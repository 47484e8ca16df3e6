"""What a pending call waits for: told where the registry knows it, made up nowhere."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from trio_tools import (
    CallEvent,
    CallNext,
    CallView,
    Dispatch,
    PendingCall,
    Registry,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

POOL = trio.CapacityLimiter(1)


@tool(read_only=True)
async def wait() -> None:
    await trio.sleep_forever()


@tool(parallel=False)
async def alone() -> None:
    await trio.sleep_forever()


@tool(read_only=True, pool=POOL)
async def pooled() -> None:
    await trio.sleep_forever()


def calls(*names: str) -> list[ToolCall]:
    """Calls whose ids are their places, from 1."""
    return [ToolCall(name, id=str(place)) for place, name in enumerate(names, 1)]


@asynccontextmanager
async def running(
    registry: Registry, turn: list[ToolCall], *more: Tool, deadline: float = float("inf")
) -> AsyncGenerator[trio.CancelScope]:
    """A turn that has gone as far as it can, until the block is left."""
    for one in (wait, alone, pooled, *more):
        registry.register(one)
    scope = trio.CancelScope(deadline=deadline)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: registry.execute_turn(turn, scope=scope))
        await wait_all_tasks_blocked()
        yield scope
        scope.cancel()


def told(registry: Registry) -> list[str | None]:
    return [one.waits_for for one in registry.pending()]


@pytest.mark.parametrize(
    ("names", "waits"),
    [
        (["alone", "wait", "alone"], [None, "alone 1 (runs alone)", "alone 1 (runs alone)"]),
        (["wait", "alone", "wait"], [None, "wait 1 to end, to run alone", "alone 2 (to run alone)"]),
        (["wait", "wait", "alone"], [None, None, "wait 1 and wait 2 to end, to run alone"]),
        (["wait", "wait", "wait", "wait"], [None, None, None, "a place (3 run, as many as may)"]),
    ],
)
async def test_calls_say_what_they_wait_for(names: list[str], waits: list[str | None]) -> None:
    async with open_registry(max_parallel_calls=3) as registry, running(registry, calls(*names)):
        assert told(registry) == waits


async def test_one_of_two_calls_waits_for_the_token_of_their_pool() -> None:
    """Which of them is for Trio to say."""
    async with open_registry() as registry, running(registry, calls("pooled", "pooled")):
        assert sorted(map(str, told(registry))) == ["None", "a token of its pool (1 of 1 taken)"]


async def test_of_many_the_first_are_named() -> None:
    async with open_registry() as registry, running(registry, calls(*["wait"] * 5, "alone")):
        assert told(registry)[-1] == "wait 1, wait 2, wait 3 and 2 more to end, to run alone"


async def test_a_name_of_a_million_characters_is_cut_and_not_escaped() -> None:
    turn = [ToolCall("alone", id="\x1b" * 1_000_000), ToolCall("alone")]
    async with open_registry() as registry, running(registry, turn):
        assert told(registry)[1] == "alone " + "\x1b" * 100 + " (runs alone)"


async def test_calls_wait_for_the_policies_of_the_one_before_and_that_one_for_its_policy() -> None:
    async def ponder(_: CallView) -> None:
        await trio.sleep_forever()

    async with open_registry() as registry:
        registry.add_pre_policy(ponder)
        async with running(registry, calls("wait", "alone", "wait")):
            assert told(registry) == ["a pre-policy", "the policies of wait 1", "the policies of wait 1"]


@pytest.mark.parametrize("step", ["CallAccepted", "CallDecided", "CallDispatching", "CallSettled"])
async def test_a_call_waits_for_its_recorder(step: str) -> None:
    heard = trio.Event()

    async def record(event: CallEvent) -> None:
        if type(event).__name__ == step:
            await heard.wait()

    @tool(read_only=True)
    async def quick() -> None:
        pass

    async with open_registry() as registry:
        registry.add_recorder(record)
        async with running(registry, [ToolCall("quick")], quick):
            assert told(registry) == ["a recorder"]
            heard.set()


@pytest.mark.parametrize("before", [True, False])
async def test_a_call_waits_for_a_wrapper_before_its_body_and_after(before: bool) -> None:
    async def retry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if not before:
            await call_next()
        await trio.sleep_forever()
        raise AssertionError("unreachable")

    @tool(read_only=True)
    async def quick() -> None:
        pass

    async with open_registry() as registry:
        registry.add_wrapper(retry)
        async with running(registry, [ToolCall("quick")], quick):
            assert told(registry) == ["a wrapper"]


async def test_a_call_that_is_over_waits_for_those_who_review_and_listen() -> None:
    done = trio.Event()
    seen: list[str | None] = []

    async def listen(_: CallView, result: ToolResult) -> None:
        seen.extend(told(registry))
        await done.wait()

    @tool(read_only=True)
    async def quick() -> None:
        pass

    async with open_registry() as registry:
        registry.add_post_policy(listen)
        registry.add_observer(listen)
        async with running(registry, [ToolCall("quick")], quick):
            done.set()
    assert seen == ["a post-policy", "an observer"]


async def test_a_body_waits_for_the_calls_that_it_made() -> None:
    @tool(read_only=True)
    async def ask_others() -> None:
        await registry.execute_turn([ToolCall("wait", id="n1"), ToolCall("alone")], scope=trio.CancelScope())

    async with open_registry() as registry, running(registry, calls("ask_others"), ask_others):
        outer, inner, other = registry.pending()
        assert outer.waits_for == "wait n1 and alone, called by it"
        assert (outer.parent, inner.parent, other.parent) == (None, outer.token, outer.token)
        assert other.waits_for == "wait n1 to end, to run alone"


async def test_a_nested_call_waits_for_the_token_that_its_caller_lends() -> None:
    @tool(read_only=True, pool=POOL)
    async def ask_two() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(lambda: registry.execute(ToolCall("pooled"), scope=trio.CancelScope()))

    async with open_registry() as registry, running(registry, calls("ask_two"), ask_two):
        waits = told(registry)
        assert waits[0] == "pooled and pooled, called by it"
        lent = "a token of its pool (1 of 1 taken), or for that of a call around it"
        assert sorted(map(str, waits[1:])) == ["None", lent]


async def test_a_plain_function_waits_for_a_thread() -> None:
    @tool(read_only=True)
    def plain() -> None:
        pass

    threads = trio.to_thread.current_default_thread_limiter()
    async with open_registry() as registry:
        total, threads.total_tokens = threads.total_tokens, 1
        await threads.acquire_on_behalf_of(registry)
        async with running(registry, [ToolCall("plain")], plain):
            assert told(registry) == ["a thread (1 of 1 taken)"]
            threads.release_on_behalf_of(registry)
            threads.total_tokens = total


async def test_a_cancelled_call_says_so() -> None:
    @tool(read_only=True)
    async def stubborn() -> None:
        with trio.CancelScope(shield=True):
            await rest.wait()

    @tool(read_only=True)
    async def ask() -> None:
        await registry.execute(ToolCall("stubborn"), scope=trio.CancelScope())

    rest = trio.Event()
    async with open_registry() as registry, running(registry, calls("stubborn", "ask"), stubborn, ask) as scope:
        scope.cancel()
        assert told(registry) == [
            "its body to come to rest (cancelled)",
            "stubborn, called by it, to come to rest (cancelled)",
            "its body to come to rest (cancelled)",
        ]
        rest.set()


async def test_a_waiting_call_that_is_cancelled_waits_for_its_result() -> None:
    async with open_registry() as registry, running(registry, calls("alone", "wait")):
        registry.cancel("2")
        assert told(registry) == [None, "its result (cancelled)"]


async def test_the_time_that_is_left_is_that_of_the_earliest_known_deadline(
    autojump_clock: trio.testing.MockClock,
) -> None:
    def left(pending: PendingCall) -> float | None:
        return pending.seconds_left

    @tool(read_only=True, timeout=5)
    async def bounded() -> None:
        with trio.CancelScope(shield=True):
            await trio.sleep(8)

    async with open_registry() as registry, running(registry, [ToolCall("wait")]):
        assert [*map(left, registry.pending())] == [None]
    async with open_registry() as registry:
        deadline = trio.current_time() + 20
        async with running(registry, calls("wait", "bounded", "alone"), bounded, deadline=deadline):
            await trio.sleep(2)
            assert [*map(left, registry.pending())] == [18, 3, 18]
            await trio.sleep(5)
            assert [*map(left, registry.pending())] == [13, 0, 13]
