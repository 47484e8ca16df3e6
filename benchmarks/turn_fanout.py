"""What a call costs in a turn: several calls of one model answer, run in parallel."""

from __future__ import annotations

import functools

import trio

from benchmarks import _product, _rounds, _table, _workload, floors
from trio_tools import open_registry

# Ratio to the floor, per call. A turn adds the order of gates and the rule of exclusive calls to what a call costs.
BOUND = 2.5
# Calls: the turn that has the bound. Models send one to five calls, agents that read files up to ten.
BOUNDED_SIZE = 8
# Calls: one, a pair, the bounded one, and more than may run at once by default.
SIZES = (1, 2, BOUNDED_SIZE, 32)
# Calls per sample, of all its turns together: some 30 ms, as in call_overhead.
CALLS = 512


def _per_call(once: _rounds.Once, size: int) -> _rounds.Sample:
    whole_turns = _rounds.sampler(once, CALLS // size, [_workload.ADD_ANSWER] * size)

    async def sample() -> float:
        return await whole_turns() / size

    return sample


async def _measure() -> dict[str, list[float]]:
    """Seconds per call by side and size."""
    async with open_registry() as registry:
        _product.register_tools(registry)
        samples: dict[str, _rounds.Sample] = {}
        for size in SIZES:
            texts = [_workload.ADD_TEXT] * size
            floor = functools.partial(floors.turn, _workload.add, floors.Pair, texts)
            samples[f"floor {size}"] = _per_call(floor, size)
            samples[f"ours {size}"] = _per_call(_product.turn(registry, "add", texts), size)
        await _rounds.take(samples, rounds=1)  # warms caches: nobody's figure
        return await _rounds.take(samples)


def main() -> int:
    taken = trio.run(_measure)
    return _table.report(
        "turn_fanout: a turn of parallel add(a, b); floor: one nursery, and per call a task, scope, event, json and "
        f"cattrs; medians of {_rounds.ROUNDS} rounds of {CALLS} calls",
        [
            _table.row(
                f"turn of {size}",
                "us/call",
                taken[f"floor {size}"],
                taken[f"ours {size}"],
                bound=BOUND if size == BOUNDED_SIZE else None,
            )
            for size in SIZES
        ],
    )
