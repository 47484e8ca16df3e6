"""The schema that a model sees and what the run time takes agree: `python -m benchmarks schema` compares 60,000 values.

Types, functions and values are drawn at random over the whole table of docs/types.md. On each value three are asked:
an independent JSON Schema validator, the tool, and the table as this folder tells it. Where the schema takes more than
the run time, it must be for a reason that docs/types.md lists, and each reason listed must occur.
"""

from __future__ import annotations

import time

from benchmarks._agreement import Tally, compare_one
from benchmarks._kinds import DIFFERENCES

# Values of one run: about a minute, in which each listed difference occurs often.
VALUES = 60_000
# Disagreements that are shown before a run gives up.
SHOWN = 10


def never(tally: Tally) -> list[str]:
    """The listed differences that did not occur."""
    return [row for row in DIFFERENCES if not tally.differences[row]]


def main() -> int:
    """Compare `VALUES` values and print what was found; 1 if there was a disagreement, or a difference is no more."""
    began, tally, seed = time.perf_counter(), Tally(), 0
    while tally.values < VALUES and len(tally.faults) < SHOWN:
        compare_one(seed, tally)
        seed += 1
    for fault in tally.faults[:SHOWN]:
        print(fault)
    rows = ", ".join(f"{row} {tally.differences[row]}" for row in DIFFERENCES)
    print(
        f"schema: {tally.types:,} types, {tally.values:,} values in {time.perf_counter() - began:.1f} s, "
        f"{tally.accepted:,} accepted, {tally.values - tally.accepted:,} refused, {len(tally.faults)} disagreements; "
        f"listed differences: {rows}"
    )
    absent = never(tally) if tally.values >= VALUES else []
    if absent:
        print(f"schema: listed as a difference, and never seen: {', '.join(absent)}")
    return 1 if tally.faults or absent else 0
