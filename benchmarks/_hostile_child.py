"""A process in which calls are made and their memory is measured: what a toolkit takes, over an idle registry.

`python -m benchmarks._hostile_child` reads `Orders` as JSON on stdin, and writes a list of `Measured` on stdout.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import attrs
import cattrs
import trio

from trio_tools import ToolCall, open_registry
from trio_tools.registry import AnyPlugin
from trio_tools.toolkits.files import FilesConfig, files
from trio_tools.toolkits.shell import ShellConfig, shell

# MiB that a toolkit may take over an idle registry, whatever a command writes and however many files there are.
MOST_MEMORY = 64.0
# Seconds for a search of a million files, and for a command that writes a gigabyte.
PATIENCE = 1_800.0


@attrs.frozen
class Orders:
    """Calls to make in this order, in the folder `root`; `warm` comes first, and what it takes counts as idle."""

    root: str
    warm: tuple[str, dict[str, str]]
    calls: list[tuple[str, dict[str, str]]]


@attrs.frozen
class Measured:
    """A call: its text and code, the `seconds` it took, the MiB `over` idle that this process took at the most, and
    the MiB of the largest process that it started, over what every process begins with that this one starts."""

    text: str
    code: str | None
    seconds: float
    over: float
    child_over: float


def measured(orders: Orders) -> list[Measured]:
    """Make these calls in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks._hostile_child"],
        input=json.dumps(cattrs.unstructure(orders)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    return cattrs.structure(json.loads(done.stdout), list[Measured])


def memory(field: str) -> float:
    """MiB in a line of this process's status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"/proc/self/status has no {field}")


def forget_peak() -> None:
    """Let VmHWM begin anew."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


async def _run(orders: Orders) -> list[Measured]:
    found: list[Measured] = []
    plugins: list[AnyPlugin] = [
        shell(ShellConfig(root=Path(orders.root), timeout=PATIENCE, max_timeout=PATIENCE)),
        files(FilesConfig(root=Path(orders.root), search_timeout=PATIENCE)),
    ]
    async with open_registry(plugins=plugins) as registry:
        await registry.execute(ToolCall(*orders.warm), scope=trio.CancelScope())
        gc.collect()
        idle = memory("VmRSS")
        for name, arguments in orders.calls:
            forget_peak()
            began = time.perf_counter()
            result = await registry.execute(ToolCall(name, arguments), scope=trio.CancelScope())
            seconds = time.perf_counter() - began
            child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 - idle
            code = None if result.code is None else str(result.code)
            found.append(Measured(result.text, code, seconds, memory("VmHWM") - idle, max(0.0, child)))
    return found


def main() -> None:
    orders = cattrs.structure(json.loads(sys.stdin.read()), Orders)
    json.dump(cattrs.unstructure(trio.run(_run, orders)), sys.stdout)


if __name__ == "__main__":
    main()
