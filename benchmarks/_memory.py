"""Memory, measured in a process of its own so that nothing else has left its mark on the heap.

`python -m benchmarks._memory NAME SIDE` is that process: it prints the KiB that `measured_memory(SIDE)` of the
benchmark NAME gives.
"""

from __future__ import annotations

import gc
import importlib
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence

import trio

from benchmarks._rounds import interleaved

# Processes per side. Resident memory of the same work varies by a few pages only; three find an outlier.
PROCESSES = 3


def resident() -> float:
    """KiB of this process that are in memory now, after garbage collection."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


def in_processes(benchmark: str, sides: Sequence[str]) -> dict[str, float]:
    """The median KiB by side, each measured `PROCESSES` times in fresh processes."""
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for side in interleaved(sides, PROCESSES):
        command = [sys.executable, "-m", "benchmarks._memory", benchmark, side]
        taken[side].append(float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
    return {side: statistics.median(values) for side, values in taken.items()}


def main(benchmark: str, side: str) -> None:
    print(trio.run(importlib.import_module(f"benchmarks.{benchmark}").measured_memory, side))


if __name__ == "__main__":
    main(*sys.argv[1:])
