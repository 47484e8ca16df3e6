"""Start-up: what `import trio_tools` costs a program that would import trio and cattrs anyway."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping

from benchmarks import _rounds, _table

# Ratio to the floor. A door that imports the optional packages (cli, formats, testing) goes far beyond it.
BOUND = 1.3

FLOOR = "import trio, cattrs"
OURS = "import trio_tools"


def _start_up(statement: str, environment: Mapping[str, str]) -> float:
    """Seconds from the start of a fresh interpreter to its exit."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
    return time.perf_counter() - start


def _measure(statements: tuple[str, ...]) -> dict[str, list[float]]:
    """Seconds per start by statement, all compiled to bytecode beforehand, as installed packages are."""
    taken: dict[str, list[float]] = {statement: [] for statement in statements}
    with tempfile.TemporaryDirectory() as bytecode:
        # bytecode goes there on both sides, whatever the settings around and whether the sources may be written to
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for statement in statements:
            _start_up(statement, environment)  # compiles: nobody's figure
        for statement in _rounds.interleaved(statements):
            taken[statement].append(_start_up(statement, environment))
    return taken


def main() -> int:
    statements = (FLOOR, OURS, "pass")
    taken = _measure(statements)
    floor, ours, bare = (taken[statement] for statement in statements)
    return _table.report(
        f"import_time: a fresh python -c, to its exit; floor: {FLOOR!r}; medians of {_rounds.ROUNDS} rounds",
        [
            _table.row(OURS, "ms", floor, ours, bound=BOUND),
            _table.row("pass (no import at all)", "ms", floor, bare),
        ],
    )
