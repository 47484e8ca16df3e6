"""The product's side: the same work, carried by a registry. All that the benchmarks know of trio_tools is here."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import trio

from benchmarks import _workload
from benchmarks._rounds import Once
from trio_tools import CallNext, CallView, Dispatch, ErrorCode, Registry, ToolCall, ToolResult, tool

# Seconds, longer than any benchmark: what is measured is the price of having a budget, not of exceeding it.
TIMEOUT = 30.0


def register_tools(registry: Registry) -> None:
    """The workload's functions as tools, under the names that `call` and `turn` use."""
    registry.register(tool(name="add", read_only=True)(_workload.add))
    registry.register(tool(name="add_timed", timeout=TIMEOUT)(_workload.add))
    registry.register(tool(name="add_sync")(_workload.add_sync))
    registry.register(tool(name="ingest")(_workload.ingest))
    registry.register(tool(name="fail")(_workload.fail))


def register_recorded(registry: Registry) -> None:
    """The least tool as one that changes the world: a journal is waited for before it starts."""
    registry.register(tool(name="record")(_workload.add))


def add_seams(registry: Registry) -> None:
    """One policy, one wrapper, one observer, each doing nothing."""
    registry.add_pre_policy(_allow)
    registry.add_wrapper(_pass_on)
    registry.add_observer(_look)


async def _allow(call: CallView) -> None:
    return None


async def _pass_on(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return await call_next()


def _look(call: CallView, result: ToolResult) -> None:
    return None


def call(registry: Registry, name: str, arguments: str | dict[str, int]) -> Once:
    """One call as an agent makes it: a `ToolCall` and a scope of its own, both new. Gives the tool's value."""

    async def once() -> object:
        result = await registry.execute(ToolCall(name, arguments, id="call_1"), scope=trio.CancelScope())
        return result.value

    return once


def turn(registry: Registry, name: str, texts: Sequence[str]) -> Once:
    """One turn as an agent makes it, in one scope. Gives the tools' values, in call order."""

    async def once() -> object:
        calls = [ToolCall(name, text, id="call_1") for text in texts]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
        return [result.value for result in results]

    return once


def mixed(registry: Registry, text: str) -> Once:
    """Calls as they come in a long run: in turn one that succeeds, one that raises, one given up before it starts."""
    names = itertools.cycle(("add", "fail", None))

    async def once() -> object:
        name, scope = next(names), trio.CancelScope()
        if name is None:
            scope.cancel()
        return await registry.execute(ToolCall(name or "add", text, id="call_1"), scope=scope)

    return once


async def flight(registry: Registry, name: str, scope: trio.CancelScope) -> None:
    """One call in flight, until its scope is cancelled. Raises `RuntimeError` unless it was dispatched and aborted."""
    result = await registry.execute(ToolCall(name, id="call_1"), scope=scope)
    if result.code != ErrorCode.ABORTED or not result.dispatched:
        raise RuntimeError(f"a cancelled call in flight came to {result!r}")
