"""Plain functions in real threads: told of a cancel, waited for, never abandoned. The clock moves by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    CallNext,
    Cause,
    Dispatch,
    ErrorCode,
    Registry,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)

PATIENCE = 120  # seconds that a thread of a failing test waits before it gives up


@attrs.define
class Gate:
    """Where a thread waits until the test lets it go on, having told the test that it is there."""

    reached: trio.Event = attrs.field(factory=trio.Event)
    opened: threading.Event = attrs.field(factory=threading.Event)

    def wait(self) -> None:
        """From the thread."""
        trio.from_thread.run_sync(self.reached.set)
        if not self.opened.wait(PATIENCE):
            raise AssertionError("nobody opened the gate")


async def execute(
    registry: Registry, name: str, *, scope: trio.CancelScope | None = None, call_id: str | None = None
) -> ToolResult:
    return await registry.execute(ToolCall(name, id=call_id), scope=trio.CancelScope() if scope is None else scope)


@attrs.define
class Running:
    """One call under way, whose thread stands at its gate."""

    registry: Registry
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    results: list[ToolResult] = attrs.field(factory=list[ToolResult])

    async def go(self, name: str) -> None:
        self.results.append(await execute(self.registry, name, scope=self.scope, call_id="x"))


def gated(gate: Gate, *, heeds: bool, timeout: float | None = None) -> Tool:
    """A tool that waits at a gate, and looks behind it whether it was cancelled if it heeds such things."""

    @tool(name="gated", timeout=timeout)
    def wait_at_gate(ctx: SyncToolContext) -> str:
        gate.wait()
        if heeds:
            ctx.check_cancelled()
        return "sent id=7"

    return wait_at_gate


async def test_a_plain_function_runs_in_a_thread_of_its_own() -> None:
    """R048: the loop goes on meanwhile; the thread is named after its tool."""

    @tool
    def where() -> str:
        return threading.current_thread().name

    async with open_registry() as registry:
        registry.register(where)
        result = await execute(registry, "where")
    assert result.dispatched
    assert isinstance(result.value, str)
    assert result.value.startswith("where")
    assert result.value != threading.current_thread().name


ENDINGS: list[tuple[str, ErrorCode, Cause]] = [
    ("caller", ErrorCode.ABORTED, Cause.CALLER),
    ("operator", ErrorCode.ABORTED, Cause.OPERATOR),
    ("budget", ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE),
]


@pytest.mark.parametrize(("how", "code", "cause"), ENDINGS)
@pytest.mark.parametrize("heeds", [False, True])
async def test_a_thread_is_never_abandoned(
    mock_clock: MockClock, how: str, code: ErrorCode, cause: Cause, heeds: bool
) -> None:
    """R048, RT11, T030: the call is pending until the thread has ended; what it came to is kept."""
    gate = Gate()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(gated(gate, heeds=heeds, timeout=5))
        running = Running(registry)
        nursery.start_soon(running.go, "gated")
        await gate.reached.wait()
        acts: dict[str, Callable[[], object]] = {
            "caller": running.scope.cancel,
            "operator": lambda: registry.cancel("x"),
            "budget": lambda: mock_clock.jump(6),
        }
        acts[how]()
        await wait_all_tasks_blocked(0.01)
        (pending,) = registry.pending()
        assert (pending.stage, running.results) == ("dispatch", [])
        gate.opened.set()
    (result,) = running.results
    assert (result.code, result.cause, result.dispatched) == (code, cause, True)
    assert (None if result.superseded is None else result.superseded.value) == (None if heeds else "sent id=7")


async def test_a_thread_that_eats_its_cancellation_is_aborted() -> None:
    """R049, RT7: as an async body that does so."""
    gate = Gate()

    @tool
    def eat(ctx: SyncToolContext) -> str:
        gate.wait()
        try:
            ctx.check_cancelled()
        except trio.Cancelled:
            return "eaten"
        return "not cancelled"

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(eat)
        running = Running(registry)
        nursery.start_soon(running.go, "eat")
        await gate.reached.wait()
        running.scope.cancel()
        gate.opened.set()
    (result,) = running.results
    assert (result.code, result.superseded and result.superseded.value) == (ErrorCode.ABORTED, "eaten")


async def test_a_threads_own_error_after_a_cancel_stays_that_error() -> None:
    """R050."""
    gate = Gate()

    @tool
    def fail(ctx: SyncToolContext) -> None:
        gate.wait()
        raise ToolError("half written", code="HALF_WRITTEN")

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(fail)
        running = Running(registry)
        nursery.start_soon(running.go, "fail")
        await gate.reached.wait()
        running.scope.cancel()
        gate.opened.set()
    assert [(one.code, one.cause) for one in running.results] == [("HALF_WRITTEN", None)]


@pytest.mark.parametrize(("how", "reason"), [("caller", None), ("operator", "enough"), ("budget", None)])
@pytest.mark.parametrize("shielded", [False, True])
async def test_a_thread_can_ask_whether_it_was_given_up(
    mock_clock: MockClock, how: str, reason: str | None, shielded: bool
) -> None:
    """R044, RT3: before and after, through a wrapper's shield as well; and why, if anybody said so."""
    gate = Gate()
    told: list[tuple[bool, str | None]] = []

    @tool(timeout=5)
    def ask(ctx: SyncToolContext) -> None:
        told.append((ctx.cancel_requested, ctx.cancel_reason))
        gate.wait()
        told.append((ctx.cancel_requested, ctx.cancel_reason))

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.CancelScope(shield=shielded):
            return await call_next()
        raise AssertionError("nobody cancels this scope")

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(ask)
        registry.add_wrapper(wrap)
        running = Running(registry)
        nursery.start_soon(running.go, "ask")
        await gate.reached.wait()
        acts: dict[str, Callable[[], object]] = {
            "caller": running.scope.cancel,
            "operator": lambda: registry.cancel("x", reason),
            "budget": lambda: mock_clock.jump(6),
        }
        acts[how]()
        await wait_all_tasks_blocked(0.01)
        gate.opened.set()
    assert told == [(False, None), (True, reason)]


async def test_a_thread_is_told_how_much_time_it_has(mock_clock: MockClock) -> None:
    """T021: the earliest of budget and caller; none at all without either."""
    told: list[float] = []

    def ask(ctx: SyncToolContext) -> None:
        told.append(ctx.deadline)

    async with open_registry() as registry:
        registry.register(tool(name="limited", timeout=5)(ask))
        registry.register(tool(name="free")(ask))
        await execute(registry, "limited")
        await execute(registry, "limited", scope=trio.CancelScope(deadline=3))
        await execute(registry, "free")
    assert told == [5, 3, inf]
