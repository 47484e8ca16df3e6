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
from typing import Literal

import attrs
import trio

from benchmarks._crash_child import Orders
from benchmarks._crash_judge import Happened, broken, happened, is_sound, opened_twice

RUNS = 1_000
# Agents in a row that share a journal.
GENERATIONS = 10
# How many things an agent has done and said at most, once its journal is open, when it is killed: some six turns.
LONGEST = 25
# Seconds for which it goes on after that, at most, so that the kill falls anywhere.
JITTER = 0.006
# How many of ten agents are killed earlier, while they open and recover it; and seconds after which, at most.
EARLY, OPENING = 2, 0.03


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

    def kill_one(self, orders: Orders, draw: Random) -> None:
        """Start an agent, and kill it at some moment."""
        self._tell(json.dumps(attrs.asdict(orders)))
        child = int(self._hear("agent"))
        if draw.randrange(10) < EARLY:
            time.sleep(draw.uniform(0, OPENING))
        else:
            self._hear("open")
            for _ in range(draw.randrange(LONGEST)):  # by what was done and not by time: a busy machine is slower
                self._hear("did")
            time.sleep(draw.uniform(0, JITTER))
        os.kill(child, signal.SIGKILL)
        status = int(self._hear("ended"))
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"the agent of seed {orders.seed} ended by itself, with status {status}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self, word: str) -> str:
        """What is said with this word, the next time."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said, _, what = line.strip().partition(" ")
            if said == word:
                return what
        raise RuntimeError(f"the warm process has ended, and never said {word!r}")

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
    first, second = trio.run(opened_twice, journal, world)
    problems = broken(world, first)
    if [one.result for one in first.calls] != [one.result for one in second.calls]:
        problems.append("opening it once more changed the books")
    if not is_sound(journal):
        problems.append("SQLite finds the file unsound")
    return len(first.calls), problems


def crash(process: Warm, runs: int, seed: int, *, hasty: bool = False) -> Outcome:
    """Kill so many agents of a warm process, and judge the books after each. `hasty`: as `Orders`."""
    draw = Random(seed)
    calls = effects = acknowledged = 0
    problems: list[str] = []
    for first in range(0, runs, GENERATIONS):
        folder = Path(tempfile.mkdtemp())
        journal, world, acks = folder / "journal.db", folder / "world", folder / "acks"
        seen = Happened((), (), ())
        count = 0
        for number in range(first, min(first + GENERATIONS, runs)):
            # a kill leaves what was written, synchronised or not; both ways have their own order of events
            durability: Literal["full", "normal"] = "full" if number % 2 else "normal"
            files = (str(journal), str(world), str(acks))
            orders = Orders(*files, draw.randrange(2**32), durability=durability, hasty=hasty)
            process.kill_one(orders, draw)
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
    with warm() as process:
        outcome = crash(process, RUNS, seed)
    print(
        f"\ncrash: seed {seed}: {outcome.kills} kills in {time.monotonic() - began:.0f} s, "
        f"{outcome.calls} calls, {outcome.acknowledged} results acknowledged, {outcome.effects} effects"
    )
    for line in outcome.broken:
        print(f"  broken: {line}")
    print("  every promise was kept" if not outcome.broken else f"  {len(outcome.broken)} promises were broken")
    return int(bool(outcome.broken))
