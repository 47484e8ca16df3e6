"""The program that runs commands which do not want to end is killed: they are gone soon after, all of them.

`python -m benchmarks._hostile_host` is that program: it reads commands as a JSON list on stdin, runs them all at once,
and is killed in the middle of it.
"""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

import trio

from benchmarks._hostile_findings import Findings
from benchmarks._hostile_judge import held_pipe, hunt, is_held, marked
from benchmarks._hostile_shapes import BESIDE, BEYOND_REACH, Hostile, hostile_command
from trio_tools import Progress, ToolCall, open_registry
from trio_tools.pipeline import CallView
from trio_tools.toolkits.shell import ShellConfig, shell

# Seconds after which nothing may be left of a host that was killed.
GONE_WITHIN = 2.0
# Seconds for which it is waited for, to say how long it took; and between two looks.
PATIENCE, LOOK = 10.0, 0.01
# Seconds of grace that a command has while its host lives: far longer than it has when the host is gone.
GRACE = 60.0
# Commands of one host; and one host in so many is killed while it stops its commands.
COMMANDS, STOPPING = 4, 3
# Times that a host is killed whose commands took too long to be gone; the quickest counts. The machine does other
# things too.
REPEATS = 3


def hostile_hosts(kills: int, seed: int) -> Findings:
    """Kill so many hosts, whose commands are drawn by `seed`; say what was found."""
    began, draw, faults, longest, names = time.perf_counter(), Random(seed), list[str](), 0.0, ""
    for _ in range(kills):
        stopping = draw.randrange(STOPPING) == 0
        took, host_seed = PATIENCE, draw.randrange(2**32)
        for _ in range(REPEATS):
            if took > GONE_WITHIN:
                once, names = _kill_one(Random(host_seed), stopping=stopping)
                took = min(took, once)
        longest = max(longest, took)
        if took > GONE_WITHIN:
            faults.append(f"{names}{', being stopped' if stopping else ''}: gone after {took:.1f} s or more")
    what = f"{kills} hosts killed with {COMMANDS} commands each, all gone at most {longest:.2f} s later"
    return Findings("hosts", what, tuple(faults), time.perf_counter() - began)


def _kill_one(draw: Random, *, stopping: bool) -> tuple[float, str]:
    """Kill a host once all its commands are under way. Returns the seconds until all of them were gone, and names."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as pipes:
        fifos = [Path(folder, f"held{number}") for number in range(COMMANDS)]
        held = [pipes.enter_context(held_pipe(fifo)) for fifo in fifos]
        commands = [hostile_command(draw, fifo, {**BESIDE, **BEYOND_REACH}) for fifo in fifos]
        with subprocess.Popen(
            [sys.executable, "-m", "benchmarks._hostile_host", "stop" if stopping else "run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        ) as host:
            assert host.stdin is not None
            assert host.stdout is not None
            host.stdin.write(json.dumps([command.text for command in commands]) + "\n")
            host.stdin.flush()
            if host.stdout.readline() != "all are under way\n":
                raise RuntimeError("the host has ended before its commands were under way")
            time.sleep(draw.uniform(0, 0.1))
            host.send_signal(signal.SIGKILL)
        took = seconds_until_gone(commands, held)
        for command in commands if took >= PATIENCE else []:
            hunt(command.mark)
        return took, ", ".join(" + ".join(command.names) for command in commands)


def seconds_until_gone(commands: Sequence[Hostile], held: Sequence[int]) -> float:
    """Wait until nothing of these commands is left, for at most `PATIENCE` seconds. Returns the seconds it took."""
    began = time.monotonic()
    while time.monotonic() < began + PATIENCE:
        if not any(is_held(reading) for reading in held) and not any(marked(one.mark) for one in commands):
            return time.monotonic() - began
        select.select([], [], [], LOOK)
    return PATIENCE


async def host(commands: list[str], *, stopping: bool) -> None:
    """Run these commands, and say when each has written CRITICAL; then, if `stopping`, cancel them all.

    **Cancellation**: as the calls.
    """
    under_way = [trio.Event() for _ in commands]

    def observe(call: CallView, progress: Progress) -> None:
        under_way[int(call.id or 0)].set()

    async with open_registry(plugins=[shell(ShellConfig(grace=GRACE))]) as registry, trio.open_nursery() as nursery:
        registry.add_progress_observer(observe)
        for number, command in enumerate(commands):
            call = ToolCall("bash", {"command": command, "description": "hostile"}, id=f"{number}")
            nursery.start_soon(lambda call: registry.execute(call, scope=trio.CancelScope()), call)
        for event in under_way:
            await event.wait()
        if stopping:
            nursery.cancel_scope.cancel()
        print("all are under way", flush=True)


if __name__ == "__main__":
    trio.run(lambda: host(json.loads(sys.stdin.readline()), stopping=sys.argv[1] == "stop"))
