"""Agents that are killed in the middle of writes and edits: each file is the old one or the new one, whole.

A part of `python -m benchmarks hostile`; the suite runs a tenth of it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import attrs
import trio

from benchmarks._hostile_findings import Findings
from benchmarks._hostile_writes_child import PATHS, Orders, mark_of
from trio_tools import open_registry
from trio_tools.toolkits.files import FilesConfig, files

# Changes after which an agent is killed, at most, and seconds after those, so that the kill falls anywhere in the next.
CHANGES, JITTER = 8, 0.02
# How many of ten agents kill themselves between the two steps of a replacement, which a kill from outside seldom meets;
# and in which of their replacements, at most.
IN_BETWEEN, REPLACEMENTS = 3, 6
# How far the marks of one agent are from those of the next: more than it makes changes.
APART = 1_000_000
# What the toolkit's own names begin with.
OWN = ".trio-tools-"


@attrs.define
class Outcome:
    """What came of many kills: how many; the changes that were told; kills after which a file had been made and not
    published, until the toolkit was opened again; and what was broken."""

    kills: int = 0
    changes: int = 0
    left: int = 0
    broken: list[str] = attrs.field(factory=list[str])


@attrs.define
class _Witness:
    """What is known of the files: the marks that each may have. None: it need not be there."""

    root: Path
    outcome: Outcome
    may_be: dict[str, set[int | None]] = attrs.field(factory=lambda: {path: {None} for path in PATHS})

    def begins(self, mark: int) -> None:
        """An agent begins, whose first changes have this mark."""
        for marks in self.may_be.values():
            marks.add(mark)

    def hears(self, told: str) -> None:
        """An agent has told of a change, or of a failure."""
        word, _, what = told.partition(" ")
        if word == "done":
            path, mark = what.split(" ")
            self.outcome.changes += 1
            self.may_be[path] = {int(mark), int(mark) + 1}
        elif word == "failed":
            self.outcome.broken.append(f"a call failed: {what}")

    def judges(self, seed: int) -> None:
        """Look at the files after a kill; then open the toolkit, and look for what was left."""
        for path, marks in self.may_be.items():
            file = self.root / path
            mark = mark_of(file.read_text()) if file.exists() else None
            if mark not in marks or (mark is None and file.exists()):
                self.outcome.broken.append(f"seed {seed}: {path} is {mark}, which is none of {marks}")
            self.may_be[path] = {mark}
        self.outcome.left += any(not name.endswith("staging") for name in self._own())
        trio.run(self._opens)
        self.outcome.broken += [f"seed {seed}: {name} was left" for name in self._own()]

    def _own(self) -> list[str]:
        return [path.name for path in self.root.rglob(f"{OWN}*")]

    async def _opens(self) -> None:
        async with open_registry(plugins=[files(FilesConfig(root=self.root, tools=("write",)))]):
            pass


def kill_writers(kills: int, seed: int, *, in_between: bool = False) -> Outcome:
    """Kill so many agents, one after the other, which write in one root. `seed` decides when, and what they write;
    `in_between`, all of them between the two steps of a replacement."""
    draw = Random(seed)
    with tempfile.TemporaryDirectory() as root:
        witness = _Witness(Path(root), Outcome())
        with subprocess.Popen(
            [sys.executable, "-m", "benchmarks._hostile_writes_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        ) as warm:
            for number in range(1, kills + 1):
                fatal = draw.randint(1, REPLACEMENTS) if in_between or draw.randrange(10) < IN_BETWEEN else 0
                _kill_one(warm, witness, Orders(root, draw.randrange(2**32), number * APART, fatal), draw)
        return witness.outcome


def _kill_one(warm: subprocess.Popen[str], witness: _Witness, orders: Orders, draw: Random) -> None:
    assert warm.stdin is not None
    assert warm.stdout is not None
    warm.stdin.write(json.dumps(attrs.asdict(orders)) + "\n")
    warm.stdin.flush()
    witness.begins(orders.mark)
    child, left = 0, draw.randint(1, CHANGES)
    for line in warm.stdout:
        word, _, what = line.strip().partition(" ")
        witness.hears(line.strip())
        if word == "agent":
            child = int(what)
        elif word == "ended":
            if os.WIFSIGNALED(int(what)):
                witness.outcome.kills += 1
            break
        elif word in ("open", "done") and not orders.fatal:
            left -= 1
            if left == 0:
                time.sleep(draw.uniform(0, JITTER))
                os.kill(child, signal.SIGKILL)
    witness.judges(orders.seed)


def hostile_writes(kills: int, seed: int) -> Findings:
    """Kill so many agents, and say what was found."""
    began = time.perf_counter()
    outcome = kill_writers(kills, seed)
    what = (
        f"{outcome.kills} kills, {outcome.changes} changes told, {outcome.left} kills that left a file which the next "
        "opening swept"
    )
    return Findings("writes", what, tuple(outcome.broken), time.perf_counter() - began)
