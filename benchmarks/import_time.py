"""Start-up: what `import trio_tools` costs a program that would import trio and cattrs anyway."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks import _rounds, _table

# Ratio to the floor. A door that imports the optional packages (cli, formats, testing) goes far beyond it.
BOUND = 1.3

FLOOR = "import trio, cattrs"
OURS = "import trio_tools"


def _start_up(statement: str) -> float:
    """Seconds from the start of a fresh interpreter to its exit."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start


def main() -> int:
    statements = (FLOOR, OURS, "pass")
    for statement in statements:
        _start_up(statement)  # compiles to bytecode and fills the page cache: the first start is nobody's figure
    taken: dict[str, list[float]] = {statement: [] for statement in statements}
    for statement in _rounds.interleaved(statements):
        taken[statement].append(_start_up(statement))
    floor, ours, bare = (taken[statement] for statement in statements)
    return _table.report(
        f"import_time: a fresh python -c, to its exit; floor: {FLOOR!r}; medians of {_rounds.ROUNDS} rounds",
        [
            _table.row(OURS, "ms", floor, ours, bound=BOUND),
            _table.row("pass (no import at all)", "ms", floor, bare),
        ],
    )
