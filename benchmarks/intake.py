"""What reading arguments costs: strictly, to frozen data and typed values, against what a program would do itself."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import attrs
import cattrs
import trio

from benchmarks import _rounds, _table, _workload
from trio_tools import tool
from trio_tools.values import parse_arguments

# Ratio to json.loads and stock cattrs, which coerce, guess, and freeze nothing. A bare strict parse, freeze and
# structure is at 1.24.
PAIR_BOUND = 2.0
# The same for records, where a bare one is at 2.43: most of it is hooks, one call each, where cattrs has C functions.
RECORDS_BOUND = 2.5
# Readings per sample: some 10 ms, so that the clock and one collection do not show.
PAIRS = 3_000
# Of records, which take about ten times as long each.
RECORDS = 300

CONVERTER = cattrs.Converter()


@attrs.define
class Record:
    """One row, as `_workload.RECORDS_TEXT` has twenty."""

    id: int
    name: str
    price: float
    tags: list[str]
    active: bool


@attrs.define
class Pair:
    """The arguments of `add`."""

    a: int
    b: int


@attrs.define
class Records:
    """The arguments of `ingest`."""

    items: list[Record]


async def ingest(items: list[Record]) -> int:
    """Take in records."""
    return len(items)


def _stock(model: type[Pair] | type[Records], text: str) -> _rounds.Once:
    async def once() -> object:
        return CONVERTER.structure(json.loads(text), model)

    return once


def _ours(function: Callable[..., Awaitable[int]], text: str) -> _rounds.Once:
    read = tool(function).signature.read

    async def once() -> object:
        problems: list[str] = []
        values = read(parse_arguments(text), problems)
        if problems:
            raise RuntimeError(f"refused: {problems}")
        return values

    return once


async def _measure() -> dict[str, list[float]]:
    """Seconds per reading by side, all sides in every round."""
    pair, records = _workload.ADD_TEXT, _workload.RECORDS_TEXT
    rows = CONVERTER.structure(json.loads(records), Records)
    samples = {
        "stock": _rounds.sampler(_stock(Pair, pair), PAIRS, Pair(**_workload.ADD_ARGUMENTS)),
        "ours": _rounds.sampler(_ours(_workload.add, pair), PAIRS, _workload.ADD_ARGUMENTS),
        "stock, records": _rounds.sampler(_stock(Records, records), RECORDS, rows),
        "ours, records": _rounds.sampler(_ours(ingest, records), RECORDS, {"items": rows.items}),
    }
    await _rounds.take(samples, rounds=1)  # warms caches: nobody's figure
    return await _rounds.take(samples)


def main() -> int:
    taken = trio.run(_measure)
    return _table.report(
        "intake: argument text to typed values; floor: json.loads and stock cattrs, which coerce and freeze nothing; "
        f"medians of {_rounds.ROUNDS} rounds",
        [
            _table.row("two ints", "us/call", taken["stock"], taken["ours"], bound=PAIR_BOUND),
            _table.row(
                f"{_workload.RECORDS} records of 5 fields",
                "us/call",
                taken["stock, records"],
                taken["ours, records"],
                bound=RECORDS_BOUND,
            ),
        ],
    )
