"""Tokens of thread pools: waited for where a cancel can cut, held while the work runs, and always given back."""

from __future__ import annotations

import threading

import pytest
import trio
from test_threads import Gate, Running, execute, gated
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    CallNext,
    Cause,
    Dispatch,
    ErrorCode,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)

ROUNDS = 30


def entering(entered: list[str], pool: trio.CapacityLimiter | None) -> Tool:
    """A tool that notes that it was entered."""

    @tool(name="enter", pool=pool, timeout=5)
    def enter() -> str:
        entered.append("enter")
        return "entered"

    return enter


def holding(gate: Gate, pool: trio.CapacityLimiter) -> Tool:
    """A tool that holds a token until its gate opens."""

    @tool(name="hold", pool=pool)
    def hold() -> str:
        gate.wait()
        return "held"

    return hold


@pytest.mark.parametrize("how", ["caller", "operator", "budget"])
async def test_a_call_that_waits_for_a_token_is_cut_at_once_and_never_starts(mock_clock: MockClock, how: str) -> None:
    """Case B35, R045, D9: while the holder still runs; the next one in the queue gets the token."""
    gate, pool, entered = Gate(), trio.CapacityLimiter(1), list[str]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(holding(gate, pool))
        registry.register(entering(entered, pool))
        holder, waiter, later = Running(registry), Running(registry), Running(registry)
        nursery.start_soon(holder.go, "hold")
        await gate.reached.wait()
        nursery.start_soon(waiter.go, "enter")
        await wait_all_tasks_blocked(0.01)
        if how == "caller":
            waiter.scope.cancel()
        elif how == "operator":
            # the holder has the same id, and is told too; it is not abandoned
            assert registry.cancel("x") == 2
        else:
            mock_clock.jump(5)
        await wait_all_tasks_blocked(0.01)
        (cut,) = waiter.results
        assert (holder.results, entered, pool.statistics().tasks_waiting) == ([], [], 0)
        nursery.start_soon(later.go, "enter")
        await wait_all_tasks_blocked(0.01)
        gate.opened.set()
    causes = {"caller": Cause.CALLER, "operator": Cause.OPERATOR, "budget": Cause.DEADLINE}
    code = ErrorCode.TOOL_TIMEOUT if how == "budget" else ErrorCode.ABORTED_BEFORE_DISPATCH
    assert (cut.code, cut.cause, cut.dispatched) == (code, causes[how], False)
    assert ([one.value for one in later.results], entered) == (["entered"], ["enter"])
    assert pool.borrowed_tokens == 0


async def test_a_token_is_held_until_a_cancelled_thread_has_really_ended() -> None:
    """Case B35, R048: nobody else gets it before."""
    gate, pool, entered = Gate(), trio.CapacityLimiter(1), list[str]()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(holding(gate, pool))
        registry.register(entering(entered, pool))
        holder, waiter = Running(registry), Running(registry)
        nursery.start_soon(holder.go, "hold")
        await gate.reached.wait()
        holder.scope.cancel()
        nursery.start_soon(waiter.go, "enter")
        await wait_all_tasks_blocked(0.01)
        assert (pool.borrowed_tokens, entered, holder.results, waiter.results) == (1, [], [], [])
        gate.opened.set()
    assert ([one.code for one in holder.results], [one.value for one in waiter.results]) == (
        [ErrorCode.ABORTED],
        ["entered"],
    )
    assert pool.borrowed_tokens == 0


async def test_cancelled_as_the_token_comes_free() -> None:
    """Case B35 (b), (c): many rounds of a waiter that is cancelled in the tick in which the holder ends: one result,
    entered or not as it says, and no token is lost."""
    pool = trio.CapacityLimiter(1)
    entered: list[str] = []
    ends: list[ToolResult] = []
    async with open_registry() as registry:
        registry.register(entering(entered, pool))
        for nth in range(ROUNDS):
            gate, before = Gate(), len(entered)
            with registry.register(holding(gate, pool)):
                async with trio.open_nursery() as nursery:
                    holder, waiter = Running(registry), Running(registry)
                    nursery.start_soon(holder.go, "hold")
                    await gate.reached.wait()
                    nursery.start_soon(waiter.go, "enter")
                    await wait_all_tasks_blocked()
                    gate.opened.set()
                    while nth % 2 and not holder.results:
                        await trio.lowlevel.checkpoint()
                    waiter.scope.cancel()
            (result,) = waiter.results
            ends.append(result)
            assert result.dispatched == (len(entered) > before)
            assert pool.borrowed_tokens == 0
    assert {one.code for one in ends} <= {ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED, None}
    assert all(one.cause is Cause.CALLER for one in ends if one.is_error)


async def test_the_default_pool_is_trios_own() -> None:
    """Case B35: when it is exhausted, calls wait, and a cancelled one leaves the queue."""
    limiter = trio.to_thread.current_default_thread_limiter()
    tokens, limiter.total_tokens = limiter.total_tokens, 1
    gate, entered = Gate(), list[str]()
    try:
        async with open_registry() as registry, trio.open_nursery() as nursery:
            registry.register(gated(gate, heeds=False))
            registry.register(entering(entered, None))
            holder, waiter = Running(registry), Running(registry)
            nursery.start_soon(holder.go, "gated")
            await gate.reached.wait()
            nursery.start_soon(waiter.go, "enter")
            await wait_all_tasks_blocked(0.01)
            assert (limiter.borrowed_tokens, limiter.statistics().tasks_waiting) == (1, 1)
            waiter.scope.cancel()
            await wait_all_tasks_blocked(0.01)
            assert [one.code for one in waiter.results] == [ErrorCode.ABORTED_BEFORE_DISPATCH]
            gate.opened.set()
        assert ([one.value for one in holder.results], entered) == (["sent id=7"], [])
        assert (limiter.borrowed_tokens, limiter.statistics().tasks_waiting) == (0, 0)
    finally:
        limiter.total_tokens = tokens


def fail() -> None:
    raise ValueError("own")


def leave() -> None:
    raise SystemExit(3)


def stop_iterating() -> None:
    raise StopIteration


@pytest.mark.parametrize("body", [fail, leave, stop_iterating])
async def test_a_thread_that_fails_gives_its_token_back(body: object) -> None:
    """Case B35, R041, D17: and is its call's failure, whatever it raised."""
    pool = trio.CapacityLimiter(1)
    assert callable(body)
    async with open_registry() as registry:
        registry.register(tool(name="fail", pool=pool)(body))
        results = [await execute(registry, "fail") for _ in range(2)]
    assert [one.code for one in results] == [ErrorCode.TOOL_FAILED] * 2
    assert pool.borrowed_tokens == 0


async def test_each_attempt_takes_a_token_and_gives_it_back() -> None:
    """Case B35, R043: a retry does not wait for the token of its own first attempt."""
    pool = trio.CapacityLimiter(1)
    held: list[int] = []

    @tool(pool=pool)
    def flaky() -> str:
        held.append(int(pool.borrowed_tokens))
        if len(held) == 1:
            raise ValueError("flaky")
        return "recovered"

    async def retry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        held.append(int(pool.borrowed_tokens))
        return await call_next() if result.is_error else result

    async with open_registry() as registry:
        registry.register(flaky)
        registry.add_wrapper(retry)
        result = await execute(registry, "flaky")
    assert (result.value, held, pool.borrowed_tokens) == ("recovered", [1, 0, 1], 0)


async def test_an_async_body_may_have_a_pool_too(autojump_clock: MockClock) -> None:
    """Case B35: three calls at once, two tokens; they run two by two."""
    pool = trio.CapacityLimiter(2)
    ends: list[float] = []

    @tool(pool=pool, parallel=True)
    async def work() -> None:
        await trio.sleep(1)
        ends.append(trio.current_time())

    async with open_registry() as registry:
        registry.register(work)
        await registry.execute_turn([ToolCall("work")] * 3, scope=trio.CancelScope())
    assert (ends, pool.borrowed_tokens) == ([1, 1, 2], 0)


async def test_a_thread_that_waits_shows_where() -> None:
    """R048: a call that does not end is listed with the line that its thread stands at."""
    gate = Gate()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(gated(gate, heeds=False))
        running = Running(registry)
        nursery.start_soon(running.go, "gated")
        await gate.reached.wait()
        await wait_all_tasks_blocked(0.01)
        (pending,) = registry.pending()
        gate.opened.set()
    assert any("test_threads.py" in line and line.endswith(" wait_at_gate") for line in pending.where)
    assert len(running.results) == 1


async def test_only_the_bodys_own_thread_can_be_cancelled() -> None:
    """R050, RT11: a thread that the body starts is its own affair: asking there raises, and changes nothing."""
    told: list[object] = []

    @tool
    def spawn(ctx: SyncToolContext) -> str:
        def ask() -> None:
            told.append(ctx.cancel_requested)
            try:
                ctx.check_cancelled()
            except RuntimeError as problem:
                told.append(type(problem))

        other = threading.Thread(target=ask)
        other.start()
        other.join()
        return "done"

    async with open_registry() as registry:
        registry.register(spawn)
        result = await execute(registry, "spawn")
    assert (result.value, told) == ("done", [False, RuntimeError])


async def test_a_thread_may_call_into_the_loop() -> None:
    """R048, RT11: `trio.from_thread` works as in any thread of Trio's, and is cut with its call."""
    scope = trio.CancelScope()

    @tool
    def hop() -> str:
        assert trio.from_thread.run_sync(trio.current_time) > 0
        trio.from_thread.run_sync(scope.cancel)
        trio.from_thread.run(trio.sleep_forever)
        raise AssertionError("the sleep ended")

    async with open_registry() as registry:
        registry.register(hop)
        result = await execute(registry, "hop", scope=scope)
    assert (result.code, result.cause, result.superseded) == (ErrorCode.ABORTED, Cause.CALLER, None)
