"""Commands that do not want to end, stopped by a cancel or by their own time, some of them ten at once.

After each: none of its processes lives, none is a zombie of ours, no descriptor, thread or task is left, the result
says who stopped it, and it took no longer than the grace and a second.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

import attrs
import trio

from benchmarks._hostile_findings import Findings
from benchmarks._hostile_judge import held, held_pipe, hunt, is_held, marked, zombies
from benchmarks._hostile_shapes import BESIDE, BEYOND_REACH, Hostile, hostile_command
from trio_tools import Cause, Registry, ToolCall, ToolResult, open_registry
from trio_tools.registry import AnyPlugin
from trio_tools.toolkits.shell import ShellConfig, shell

# Seconds between SIGTERM and SIGKILL here, and what a stop may take on top of them.
GRACE, BEYOND = 0.4, 1.0
# Commands at once, in every other batch; the batches between are of one.
AT_ONCE = 10
# The seconds after which a command is stopped lie between these: while it starts, and when all is under way.
EARLIEST, LATEST = 0.0, 0.5
SHELL = shell(ShellConfig(grace=GRACE))
EVERYTHING = {**BESIDE, **BEYOND_REACH}
# Times that a stop is tried which took too long; the quickest counts. The machine does other things too.
REPEATS = 3
# Seconds between two looks at how late this program's own loop is.
TICK = 0.01
# Seconds that nobody waits for: a timeout of commands that are cancelled, and a guard for what hangs.
NEVER = 120


@attrs.frozen
class Stop:
    """How a command is stopped: after so many seconds, by its own `timeout`, or by a cancel of its scope."""

    by_timeout: bool
    after: float


@attrs.define
class Bag:
    """What came of the commands so far."""

    faults: list[str] = attrs.field(factory=list[str])
    codes: Counter[str] = attrs.field(factory=Counter[str])
    names: Counter[str] = attrs.field(factory=Counter[str])
    longest: float = 0.0  # seconds beyond the grace, the lateness of the loop taken off
    lateness: float = 0.0  # seconds that the loop was late in all

    def blame(self, command: Hostile, stop: Stop, faults: list[str]) -> None:
        how = "timeout" if stop.by_timeout else "cancel"
        self.faults += [f"{' + '.join(command.names)}, {how} after {stop.after:.3f} s: {fault}" for fault in faults]

    async def watch(self) -> None:
        """Add up how late this loop is, which is the machine's doing or ours, and not a slow stop.

        **Cancellation**: at once.
        """
        while True:
            due = trio.current_time() + TICK
            await trio.sleep_until(due)
            self.lateness += max(0.0, trio.current_time() - due - TICK)


@attrs.frozen
class Run:
    """What is tried, and on what."""

    plugin: AnyPlugin
    beside: Mapping[str, str]
    draw: Random
    bag: Bag


def hostile_commands(
    cancels: int,
    timeouts: int,
    seed: int,
    *,
    plugin: AnyPlugin = SHELL,
    beside: Mapping[str, str] = EVERYTHING,
) -> Findings:
    """Stop so many commands by a cancel, and so many by their timeout, all drawn by `seed`; say what was found.

    `plugin` brings a tool `bash`; `beside` is what may go on beside the shell.
    """
    began, bag = time.perf_counter(), Bag()
    trio.run(_all, cancels, timeouts, Run(plugin, beside, Random(seed), bag))
    codes = ", ".join(f"{count} {code}" for code, count in sorted(bag.codes.items()))
    did = f"{cancels} cancels and {timeouts} timeouts ({codes}), at most {bag.longest:.2f} s beyond the grace"
    return Findings("commands", did, tuple(bag.faults), time.perf_counter() - began)


async def _all(cancels: int, timeouts: int, run: Run) -> None:
    stops = [Stop(False, run.draw.uniform(EARLIEST, LATEST)) for _ in range(cancels)]
    stops += [Stop(True, run.draw.uniform(EARLIEST, LATEST)) for _ in range(timeouts)]
    run.draw.shuffle(stops)
    with tempfile.TemporaryDirectory() as folder:
        async with open_registry(plugins=[run.plugin]) as registry, trio.open_nursery() as nursery:
            nursery.start_soon(run.bag.watch)
            await registry.execute(_call("true", NEVER), scope=trio.CancelScope())  # what is made once is made
            together = True
            while stops:
                batch = [stops.pop() for _ in range(min(AT_ONCE if together else 1, len(stops)))]
                await _batch(registry, Path(folder), batch, run)
                together = not together
            nursery.cancel_scope.cancel()


async def _batch(registry: Registry, folder: Path, stops: list[Stop], run: Run) -> None:
    """Run these at once; then look at what this process holds.

    **Cancellation**: as the calls.
    """
    before = held()
    async with trio.open_nursery() as nursery:
        for number, stop in enumerate(stops):
            fifo = folder / f"held{number}"
            nursery.start_soon(_one, registry, hostile_command(run.draw, fifo, run.beside), fifo, stop, run.bag)
    faults = held().beyond(before)
    faults += [f"process {pid} is a zombie of ours" for pid in zombies()]
    run.bag.faults += [f"after {len(stops)} at once: {fault}" for fault in faults]


async def _one(registry: Registry, command: Hostile, fifo: Path, stop: Stop, bag: Bag) -> None:
    """Run and stop a command, again if that was slow: whatever else the machine does is not the stop's doing."""
    took = math.inf
    for _ in range(REPEATS):
        if took > BEYOND:
            took = min(took, await _once(registry, command, fifo, stop, bag))
    bag.longest = max(bag.longest, took)
    bag.names.update(command.names)
    if took > BEYOND:
        bag.blame(command, stop, [f"took {took:.2f} s beyond the grace, {REPEATS} times"])


async def _once(registry: Registry, command: Hostile, fifo: Path, stop: Stop, bag: Bag) -> float:
    """Run and stop a command, and look for what is left of it. Returns the seconds it took beyond the grace."""
    with held_pipe(fifo) as reading:
        scope = trio.CancelScope() if stop.by_timeout else trio.CancelScope(relative_deadline=stop.after)
        timeout = max(stop.after, 0.001) if stop.by_timeout else NEVER
        due, late = trio.current_time() + stop.after, bag.lateness
        result = await registry.execute(_call(command.text, timeout), scope=scope)
        # before anything else gets a turn: the call is over, so nothing may be left
        left, pipe_is_held = marked(command.mark), is_held(reading)
        took = trio.current_time() - due - GRACE - (bag.lateness - late)
        faults = [f"{len(left)} of its processes live: {left[:5]}"] if left else []
        faults += ["something holds its pipe open"] if pipe_is_held else []
        faults += _untrue(result, stop)
        bag.codes[str(result.code)] += 1
        bag.blame(command, stop, faults)
        if faults:
            await trio.to_thread.run_sync(hunt, command.mark)
        return took


def _untrue(result: ToolResult, stop: Stop) -> list[str]:
    """What the result says that is not so."""
    if stop.by_timeout:
        right = result.code == "BASH_TIMEOUT" and "[timed out after " in result.text
    else:
        right = result.code in {"ABORTED", "ABORTED_BEFORE_DISPATCH"} and result.cause is Cause.CALLER
    faults = [] if right else [f"the result says {result.code}, by {result.cause}: {result.text[-200:]!a}"]
    if "may still be running" in result.text:
        faults.append("the result says that something may still be running")
    return faults


def _call(command: str, timeout: float) -> ToolCall:
    return ToolCall("bash", {"command": command, "description": "hostile", "timeoutMs": timeout * 1000})
