"""Whether a registry gets slower or bigger with the calls it has carried.

Time, twice, since a machine drifts by more than a slow leak shows:

- *fresh registry to aged one*: the first 1,000 calls of a fresh registry against 1,000 of one that has carried 100,000,
  taking turns.
- *first blocks to last*: each block of 1,000 calls divided by a block of the bare-Trio floor right beside it; the
  median of the first blocks against that of the last. This one sees also what grows outside of a registry.

Memory: what is resident after 10,000 calls and after 110,000, in a fresh process, each after garbage collection.
"""

from __future__ import annotations

import functools
import statistics

import trio

from benchmarks import _memory, _product, _rounds, _table, _workload, floors
from trio_tools import open_registry

# Ratio of late to early. The noise that is left in a median of 15 pairs is 2 or 3 %.
BOUND = 1.10
# KiB. A leak of 11 bytes a call shows; the allocator's own unrest is some hundred KiB.
MEMORY_BOUND = 1024.0
# Calls between early and late.
CALLS = 100_000
# Calls per block: the "first 1,000" that are compared.
BLOCK = 1_000
# Calls before anything is compared: bytecode specialised, caches and pools filled.
WARM_UP = 1_000
# Calls before memory is first read: freelists and arenas have found their size.
SETTLED = 10_000


async def _repeat(once: _rounds.Once, count: int) -> None:
    for _ in range(count):
        await once()


async def _blocks() -> tuple[list[float], list[float], dict[str, list[float]]]:
    """Blocks of ours and of the floor beside them, then the samples of the aged registry and of new ones."""
    text, answer = _workload.ADD_TEXT, _workload.ADD_ANSWER
    floor = _rounds.sampler(functools.partial(floors.call, _workload.add, floors.Pair, text), BLOCK, answer)

    async def fresh() -> float:
        async with open_registry() as registry:
            _product.register_tools(registry)
            return await _rounds.timed(_product.call(registry, "add", text), BLOCK, answer)

    async with open_registry() as registry:
        _product.register_tools(registry)
        once = _product.call(registry, "add", text)
        aged = _rounds.sampler(once, BLOCK, answer)
        await _repeat(once, WARM_UP)
        beside = await _rounds.take({"floor": floor, "ours": aged}, CALLS // BLOCK)
        turns = await _rounds.take({"new": fresh, "aged": aged})
    return beside["floor"], beside["ours"], turns


async def measured_memory(side: str) -> float:
    """KiB of growth between call 10,000 and call 110,000, in this process."""
    async with open_registry() as registry:
        _product.register_tools(registry)
        works: dict[str, _rounds.Once] = {
            "floor": functools.partial(floors.call, _workload.add, floors.Pair, _workload.ADD_TEXT),
            "ours": _product.call(registry, "add", _workload.ADD_TEXT),
            "mixed": _product.mixed(registry, _workload.ADD_TEXT),
        }
        once = works[side]
        await _repeat(once, SETTLED)
        before = _memory.resident()
        await _repeat(once, CALLS)
        return _memory.resident() - before


def _report_time() -> int:
    floor, ours, turns = trio.run(_blocks)
    relative = [mine / theirs for mine, theirs in zip(ours, floor, strict=True)]
    start, end = (statistics.median(part) for part in (relative[: _rounds.ROUNDS], relative[-_rounds.ROUNDS :]))
    return _table.report(
        f"growth: {CALLS:,} calls add(a, b) of one registry in blocks of {BLOCK:,}; medians of {_rounds.ROUNDS} blocks",
        [
            _table.row("fresh registry to aged one", "us/call", turns["new"], turns["aged"], bound=BOUND),
            _table.Row("first blocks to last", "x floor", start, end, end / start, BOUND),
        ],
        compared=("early", "late"),
    )


def _report_memory() -> int:
    memory = _memory.in_processes("growth", ("floor", "ours", "mixed"))
    return _table.report(
        f"growth: resident memory gained from call {SETTLED:,} to call {SETTLED + CALLS:,}; "
        f"medians of {_memory.PROCESSES} processes",
        [
            _table.LimitRow("successes", "KiB", memory["floor"], memory["ours"], MEMORY_BOUND),
            _table.LimitRow("successes, failures, aborts", "KiB", memory["floor"], memory["mixed"], MEMORY_BOUND),
        ],
    )


def main() -> int:
    return _report_time() | _report_memory()
