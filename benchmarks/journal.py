"""What a journal costs: settled calls of many callers at once, each awaited before its body and at its end.

The floor is what cannot be saved: the same calls without a journal, and the same batches of the same rows committed by
sqlite3 through Trio's worker thread.
"""

from __future__ import annotations

import functools
import gc
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Literal, TypeAlias
from unittest.mock import patch

import attrs
import trio

from benchmarks import _product, _rounds, _table, _workload
from trio_tools import Registry, Session, ToolCall, open_registry
from trio_tools.journal import JournalConfig, journal
from trio_tools.journal._disk import Disk
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import COLUMNS, PLACES

Durability: TypeAlias = Literal["full", "normal"]

# Ratio to the sum of the floor's two parts. What is above them is ours: events as rows, and waking who waits.
BOUND = 1.5
# Callers at once, and the calls that each makes one after another in a sample: some tenths of a second.
CALLERS = {1: 200, 50: 20, 1_000: 2}
DURABILITIES: tuple[Durability, ...] = ("full", "normal")
# Rounds per figure. Odd, and fewer than elsewhere: six pairs of sides on a disk that others use too.
ROUNDS = 7
SESSION = Session("s")


async def _calls(registry: Registry, count: int) -> None:
    for _ in range(count):
        call = ToolCall("record", _workload.ADD_TEXT, id="call_1")
        result = await registry.execute(call, scope=trio.CancelScope(), session=SESSION)
        if result.value != _workload.ADD_ANSWER:
            raise RuntimeError(f"expected {_workload.ADD_ANSWER}, got {result}")


async def _seconds(registry: Registry, callers: int) -> float:
    """Seconds per call of so many callers at once."""
    count = CALLERS[callers]
    gc.collect()
    start = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for _ in range(callers):
            nursery.start_soon(_calls, registry, count)
    return (time.perf_counter() - start) / (callers * count)


@asynccontextmanager
async def _registry(folder: Path, durability: Durability | None) -> AsyncGenerator[Registry]:
    plugins = [] if durability is None else [journal(JournalConfig(path=folder / durability, durability=durability))]
    async with open_registry(plugins=plugins) as registry:
        _product.register_recorded(registry)
        yield registry


@contextmanager
def _batches() -> Generator[list[list[Row]]]:
    """What the journal commits meanwhile, a list of rows each time."""
    seen: list[list[Row]] = []
    write = Disk.write

    def noted(disk: Disk, rows: Sequence[Row]) -> None:
        seen.append(list(rows))
        write(disk, rows)

    with patch.object(Disk, "write", noted):
        yield seen


class Plain:
    """A table of the same columns, written by nobody but sqlite3."""

    def __init__(self, path: Path, durability: Durability) -> None:
        self._next = 1
        self.database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute(f"PRAGMA synchronous = {durability}")
        self.database.execute(f"CREATE TABLE entries (seq INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})")

    def commit(self, rows: list[Row]) -> None:
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany(f"INSERT INTO entries VALUES {PLACES}", rows)
        self.database.execute("COMMIT")

    async def seconds(self, batches: list[list[Row]], calls: int) -> float:
        """Seconds per call of so many, to commit these as rows that come behind all others."""
        first = self._next
        self._next += sum(map(len, batches))
        numbers = iter(range(first, self._next))
        renumbered = [[(next(numbers), *row[1:]) for row in batch] for batch in batches]
        gc.collect()
        start = time.perf_counter()
        for batch in renumbered:
            await trio.to_thread.run_sync(self.commit, batch)
        return (time.perf_counter() - start) / calls


@attrs.frozen
class Taken:
    """Seconds per call in each round."""

    off: list[float] = attrs.field(factory=list[float])
    on: list[float] = attrs.field(factory=list[float])
    plain: list[float] = attrs.field(factory=list[float])

    @property
    def floor(self) -> list[float]:
        return [off + plain for off, plain in zip(self.off, self.plain, strict=True)]


async def _round(off: Registry, on: Registry, plain: Plain, callers: int, taken: Taken) -> None:
    """One sample of each side; the plain one commits what the journal just has."""
    with _batches() as batches:
        taken.on.append(await _seconds(on, callers))
    taken.plain.append(await plain.seconds(batches, callers * CALLERS[callers]))
    taken.off.append(await _seconds(off, callers))


async def _measure(durability: Durability) -> dict[int, Taken]:
    taken = {callers: Taken() for callers in CALLERS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = Plain(folder / "plain", durability)
        with closing(plain.database):
            async with _registry(folder, None) as off, _registry(folder, durability) as on:
                for callers in CALLERS:  # warms caches and the worker threads: nobody's figure
                    await _round(off, on, plain, callers, Taken())
                for figure in _rounds.interleaved([f"{callers}" for callers in CALLERS], ROUNDS):
                    await _round(off, on, plain, int(figure), taken[int(figure)])
    return taken


def _rate(samples: list[float]) -> str:
    return f"{1 / statistics.median(samples):.0f}"


def main() -> int:
    taken = {durability: trio.run(functools.partial(_measure, durability)) for durability in DURABILITIES}
    figures = [(durability, callers, taken[durability][callers]) for durability in DURABILITIES for callers in CALLERS]
    rates = [
        (durability, f"{callers} callers", _rate(one.off), _rate(one.on), _rate(one.plain), "")
        for durability, callers, one in figures
    ]
    _table.show(
        f"journal: settled calls a second; medians of {ROUNDS} rounds",
        [("durability", "", "off", "on", "sqlite3 alone", ""), *rates],
        words=2,
    )
    title = "journal: cost of a call; floor: off, and the same batches committed by sqlite3 through a worker thread"
    bounded = [
        _table.row(f"{durability}, {callers} callers", "us/call", one.floor, one.on, bound=BOUND)
        for durability, callers, one in figures
    ]
    status = _table.report(title, bounded)
    beside = [
        _table.row(f"{durability}, {callers} callers", "us/call", one.off, one.on)
        for durability, callers, one in figures
    ]
    return status | _table.report("journal: cost of a call, on beside off", beside, compared=("off", "on"))
