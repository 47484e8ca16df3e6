"""What one call costs: `execute` of a tool that does next to nothing, one call after another."""

from __future__ import annotations

import contextlib
import functools

import trio

from benchmarks import _product, _rounds, _table, _workload, floors
from trio_tools import open_registry

# Ratio to the floor. A registry that doubles the price of Trio's own task and nursery is still below every peer that
# has policies.
BOUND = 2.0
# Ratio of a call under many scopes to one under none. A kernel that looks at the effective deadline at every stage
# walks all scopes each time; twice per call is within this.
SCOPES_BOUND = 1.3
# Enclosing scopes: an agent in an agent in a server has about ten; three times that.
ENCLOSING_SCOPES = 30
# Calls per sample: some 30 ms, so that the clock and one collection do not show.
CALLS = 500


def _under_scopes(sample: _rounds.Sample) -> _rounds.Sample:
    async def nested() -> float:
        with contextlib.ExitStack() as stack:
            for _ in range(ENCLOSING_SCOPES):
                stack.enter_context(trio.CancelScope())
            return await sample()

    return nested


def _floors() -> dict[str, _rounds.Sample]:
    add = functools.partial(floors.call, _workload.add, floors.Pair, _workload.ADD_TEXT)
    ingest = functools.partial(floors.call, _workload.ingest, floors.Items, _workload.RECORDS_TEXT)
    return {
        "floor": _rounds.sampler(add, CALLS, _workload.ADD_ANSWER),
        "floor, records": _rounds.sampler(ingest, CALLS, _workload.RECORDS_ANSWER),
        "floor, thread": _rounds.sampler(floors.threaded, CALLS, _workload.ADD_ANSWER),
    }


async def _measure() -> dict[str, list[float]]:
    """Seconds per call by side, all sides in every round."""
    async with open_registry() as plain, open_registry() as seamed:
        for registry in (plain, seamed):
            _product.register_tools(registry)
        _product.add_seams(seamed)
        text, answer = _workload.ADD_TEXT, _workload.ADD_ANSWER
        add = _rounds.sampler(_product.call(plain, "add", text), CALLS, answer)
        samples = _floors() | {
            "text": add,
            "scopes": _under_scopes(add),
            "timed": _rounds.sampler(_product.call(plain, "add_timed", text), CALLS, answer),
            "mapping": _rounds.sampler(_product.call(plain, "add", _workload.ADD_ARGUMENTS), CALLS, answer),
            "seams": _rounds.sampler(_product.call(seamed, "add", text), CALLS, answer),
            "thread": _rounds.sampler(_product.call(plain, "add_sync", text), CALLS, answer),
            "records": _rounds.sampler(
                _product.call(plain, "ingest", _workload.RECORDS_TEXT), CALLS, _workload.RECORDS_ANSWER
            ),
        }
        await _rounds.take(samples, rounds=1)  # warms caches and the worker threads: nobody's figure
        return await _rounds.take(samples)


def main() -> int:
    taken = trio.run(_measure)

    def row(name: str, floor: str, ours: str, bound: float | None = None) -> _table.Row:
        return _table.row(name, "us/call", taken[floor], taken[ours], bound=bound)

    return _table.report(
        "call_overhead: add(a, b), one call after another; floor: nursery, scope, task, event, json and cattrs; "
        f"medians of {_rounds.ROUNDS} rounds of {CALLS} calls",
        [
            row("arguments as text", "floor", "text", BOUND),
            row("the same, timeout=30", "floor", "timed", BOUND),
            row(f"under {ENCLOSING_SCOPES} scopes (floor: ours under none)", "text", "scopes", SCOPES_BOUND),
            row("arguments as a mapping", "floor", "mapping"),
            row("a policy, a wrapper, an observer", "floor", "seams"),
            row("plain def (floor: to_thread.run_sync)", "floor, thread", "thread"),
            row(f"{_workload.RECORDS} records of 5 fields", "floor, records", "records"),
        ],
    )
