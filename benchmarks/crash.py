"""`python -m benchmarks crash`: an agent is killed a thousand times while it writes a journal; then its books are read.

Each kill comes after a random time, so that it meets opening, recovery, commits and effects; ten agents in a row
share one journal, and so its keys.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random, SystemRandom

import attrs
import trio

from benchmarks._crash_child import Orders
from benchmarks._crash_judge import Happened, broken, happened, is_sound, opened_once

RUNS = 1_000
# Agents in a row that share a journal.
GENERATIONS = 10
# Seconds after which an agent is killed, at most: some ten times what it takes to open a journal.
LONGEST = 0.12


@attrs.frozen
class Outcome:
    """What came of many kills."""

    kills: int
    calls: int
    effects: int
    acknowledged: int
    broken: tuple[str, ...]


class Warm:
    """A process that has imported everything, and starts agents."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks._crash_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        )

    def kill_one(self, orders: Orders, after: float) -> None:
        """Start an agent, and kill it after so many seconds."""
        self._tell(json.dumps(attrs.asdict(orders)))
        child = int(self._hear())
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
        status = int(self._hear())
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"the agent of seed {orders.seed} ended by itself, with status {status}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def close(self) -> None:
        """End it."""
        self._process.communicate()


@contextmanager
def warm() -> Generator[Warm]:
    """A warm process for as long as the block."""
    process = Warm()
    try:
        yield process
    finally:
        process.close()


def judge(journal: Path, world: Happened) -> tuple[int, list[str]]:
    """How many calls the books have, and what is wrong with them. Opened twice: the second time adds nothing."""
    if not journal.exists():
        return 0, [] if not world.acknowledged and not world.effects else ["there is no journal"]
    first = trio.run(opened_once, journal, world)
    second = trio.run(opened_once, journal, world)
    problems = broken(world, first)
    if [one.result for one in first.calls] != [one.result for one in second.calls]:
        problems.append("opening it once more changed the books")
    if not is_sound(journal):
        problems.append("SQLite finds the file unsound")
    return len(first.calls), problems


def crash(runs: int, seed: int) -> Outcome:
    """Kill so many agents, and judge the books after each."""
    draw = Random(seed)
    calls = effects = acknowledged = 0
    problems: list[str] = []
    with warm() as process:
        for first in range(0, runs, GENERATIONS):
            folder = Path(tempfile.mkdtemp())
            journal, world, acks = folder / "journal.db", folder / "world", folder / "acks"
            seen = Happened((), (), ())
            count = 0
            for number in range(first, min(first + GENERATIONS, runs)):
                orders = Orders(str(journal), str(world), str(acks), draw.randrange(2**32))
                process.kill_one(orders, draw.uniform(0, LONGEST))
                seen = happened(world, acks)
                count, found = judge(journal, seen)
                problems += [f"kill {number}, {what}" for what in found]
            calls, effects = calls + count, effects + len(seen.effects)
            acknowledged += len(seen.acknowledged)
            shutil.rmtree(folder)
    return Outcome(runs, calls, effects, acknowledged, tuple(problems))


def main() -> int:
    """Print what came of it. Gives the exit status: 1 if a promise was broken."""
    seed = SystemRandom().randrange(2**32)
    began = time.monotonic()
    outcome = crash(RUNS, seed)
    print(
        f"\ncrash: seed {seed}: {outcome.kills} kills in {time.monotonic() - began:.0f} s, "
        f"{outcome.calls} calls, {outcome.acknowledged} results acknowledged, {outcome.effects} effects"
    )
    for line in outcome.broken:
        print(f"  broken: {line}")
    print("  every promise was kept" if not outcome.broken else f"  {len(outcome.broken)} promises were broken")
    return int(bool(outcome.broken))
