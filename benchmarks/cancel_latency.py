"""Many calls in flight: what it takes to get them there, to keep them, and to bring them all to rest."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeAlias

import attrs
import trio

from benchmarks import _memory, _product, _rounds, _table, floors
from benchmarks._workload import Gate
from trio_tools import open_registry, tool

# Ratio to the floor, of each of the three. Our call has the tasks and scopes of the floor's, and what is known of it.
BOUND = 1.5
# Calls in flight at once: what a server full of agents has at its worst.
CALLS = 10_000

Fly: TypeAlias = Callable[[trio.CancelScope], Awaitable[None]]  # one call, until the scope is cancelled


@attrs.frozen
class Flight:
    """Seconds per call: from the first start until the last body has begun, and from the first cancel to rest."""

    launch: float
    landing: float


@attrs.frozen
class Side:
    """How one side flies its calls, and the gate that their bodies report to."""

    fly: Fly
    gate: Gate


@contextlib.asynccontextmanager
async def _open(side: str) -> AsyncGenerator[Side, None]:
    """The side named `floor`, `ours` or `timed` (a tool with a timeout), ready to fly `CALLS` calls at a time."""
    gate = Gate()
    if side == "floor":

        async def fly_bare(scope: trio.CancelScope) -> None:
            await floors.flight(scope, gate.park)

        yield Side(fly_bare, gate)
        return
    async with open_registry() as registry:
        timeout = _product.TIMEOUT if side == "timed" else None
        registry.register(tool(name="park", read_only=True, timeout=timeout)(gate.park))

        async def fly(scope: trio.CancelScope) -> None:
            await _product.flight(registry, "park", scope)

        yield Side(fly, gate)


async def _fly(side: Side, in_flight: Callable[[], None] = lambda: None) -> Flight:
    """Get `CALLS` calls in flight, call `in_flight`, cancel every scope and wait until every call has returned."""
    scopes = [trio.CancelScope() for _ in range(CALLS)]
    side.gate.expect(CALLS)
    gc.collect()
    async with trio.open_nursery() as nursery:
        start = time.perf_counter()
        for scope in scopes:
            nursery.start_soon(side.fly, scope)
        await side.gate.full.wait()
        launch = time.perf_counter() - start
        in_flight()
        start = time.perf_counter()
        for scope in scopes:
            scope.cancel()
    landing = time.perf_counter() - start
    return Flight(launch / CALLS, landing / CALLS)


async def measured_memory(side: str) -> float:
    """KiB per call in flight, in this process: what the first flight has made it take from the system."""
    kept: list[float] = []
    async with _open(side) as opened:
        before = _memory.resident()
        await _fly(opened, lambda: kept.append(_memory.resident()))
    return (kept[0] - before) / CALLS


async def _measure() -> dict[str, list[Flight]]:
    async with _open("floor") as floor, _open("ours") as ours:
        sides = {"floor": floor, "ours": ours}
        taken: dict[str, list[Flight]] = {name: [] for name in sides}
        for name in _rounds.interleaved(list(sides)):
            taken[name].append(await _fly(sides[name]))
    return taken


def main() -> int:
    memory = _memory.in_processes("cancel_latency", ("floor", "ours", "timed"))
    taken = trio.run(_measure)

    def row(name: str, of: Callable[[Flight], float]) -> _table.Row:
        floor, ours = ([of(flight) for flight in taken[side]] for side in ("floor", "ours"))
        return _table.row(name, "us/call", floor, ours, bound=BOUND)

    return _table.report(
        f"cancel_latency: {CALLS:,} calls in flight, each in a scope of its own; floor: a task with a scope and a "
        f"nursery round a sleeping child; medians of {_rounds.ROUNDS} rounds, memory of {_memory.PROCESSES} processes",
        [
            row("all in flight", lambda flight: flight.launch),
            _table.row("resident memory", "KiB/call", [memory["floor"]], [memory["ours"]], bound=BOUND),
            row("cancelled, all at rest", lambda flight: flight.landing),
            _table.row("resident memory, timeout=30", "KiB/call", [memory["floor"]], [memory["timed"]]),
        ],
    )
