"""What it costs to prove a tool: plain tools are explored, the corrected twins of the seeded bad ones, and ours.

A promise that is broken ends it with the report.
"""

from __future__ import annotations

import importlib
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs
import trio
from trio.testing import MockClock

from benchmarks import _rounds, _table
from trio_tools import ToolCall, ToolContext, open_registry, tool
from trio_tools.testing import EffectRecorder, Report, explore_cancellation, explore_turn
from trio_tools.tool import Body

# Milliseconds of a run of the plain tool. A tool of 20 steps has 120 cases: a quarter of a second is what a test may
# take that is run all the time.
BOUND = 2.0
# Times that a tool is measured; the least counts. What disturbs a measurement only ever makes it longer.
REPETITIONS = 5
# The same for the tool that has a bound: some four seconds, in which a machine is quiet for an eighth of one.
BOUNDED_REPETITIONS = 25
# Runs that a turn may take: more than it has cases.
ALL = 100_000
# Seconds that an exploration of ours may take: far more than it does.
PATIENCE = 300.0
# Runs of the floor per repetition: some 50 ms.
BARE_RUNS = 30

ROOT = Path(__file__).parents[1]

Explore = Callable[[], Report]


async def plain() -> str:
    """Five things that take their time, one after another."""
    for _ in range(5):
        await trio.sleep(1)
    return "done"


async def crowded() -> str:
    """Four tasks that do three things each."""

    async def work() -> None:
        for _ in range(3):
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(work)
    return "done"


async def effective(ctx: ToolContext) -> str:
    """One thing that cannot be taken back, between two that can."""
    effects = ctx.require(EffectRecorder)

    async def send() -> int:
        await trio.sleep(1)
        effects.happened("mail.send", 7)
        return 7

    await trio.sleep(1)
    receipt = await ctx.irreversible("mail.send", send)
    await trio.sleep(1)
    return f"sent: {receipt}"


@attrs.frozen
class Figures:
    """One tool's least figures: seconds by the clock and of this process for all runs, seconds of one bare run; and the
    median ratio of the two, each pair taken one right after the other."""

    report: Report
    wall: float
    cpu: float
    bare: float | None
    ratio: float | None

    @property
    def ms_a_run(self) -> float:
        """Milliseconds of a run, by the clock."""
        return self.wall / self.report.runs * 1e3

    def cells(self, name: str, bound: float | None = None) -> tuple[str, ...]:
        """The line of a table."""
        counts = (str(self.report.steps), str(self.report.runs))
        cpu = self.cpu / self.report.runs * 1e3
        compared = (
            "-" if self.bare is None else f"{self.bare * 1e3:.2f}",
            "-" if self.ratio is None else f"{self.ratio:.2f}",
        )
        verdict = ("-", "") if bound is None else (f"{bound:.2f}", "OVER" if self.ms_a_run > bound else "ok")
        return (name, *counts, f"{self.wall:.2f}", f"{self.ms_a_run:.2f}", f"{cpu:.2f}", *compared, *verdict)


def once(explore: Explore) -> Figures:
    """The figures of one exploration."""
    wall, cpu = time.perf_counter(), time.process_time()
    report = explore()
    return Figures(report, time.perf_counter() - wall, time.process_time() - cpu, None, None)


def measured(explore: Explore, bare: Callable[[], float] | None = None, *, repetitions: int = REPETITIONS) -> Figures:
    """The least figures of an exploration, and of its floor, taken in turns."""
    explore()  # warms caches: nobody's figure
    taken: list[Figures] = []
    bares: list[float] = []
    for _ in range(repetitions):
        taken.append(once(explore))
        if bare is not None:
            bares.append(bare())
    least = attrs.evolve(taken[-1], wall=min(one.wall for one in taken), cpu=min(one.cpu for one in taken))
    if not bares:
        return least
    return attrs.evolve(least, bare=min(bares), ratio=_rounds.ratio([one.ms_a_run / 1e3 for one in taken], bares))


def bare_seconds(body: Body) -> float:
    """Seconds of a run in which nobody looks: Trio, a registry and one call, on a clock that jumps."""
    declared = tool(body)

    async def main() -> None:
        async with open_registry() as registry:
            registry.provide(EffectRecorder, EffectRecorder())
            registry.register(declared)
            result = await registry.execute(ToolCall(declared.name, ""), scope=trio.CancelScope())
        if result.is_error:
            raise RuntimeError(result.text)

    began = time.perf_counter()
    for _ in range(BARE_RUNS):
        trio.run(main, clock=MockClock(autojump_threshold=0))
    return (time.perf_counter() - began) / BARE_RUNS


def twins() -> dict[str, Explore]:
    """Explorations of the corrected twins of the seeded bad tools, by name."""
    seeded, seeded_tools = importlib.import_module("seeded"), importlib.import_module("seeded_tools")
    return {f"twin: {one.name}": partial(seeded.explored, one, one.good) for one in seeded_tools.TOOLS}


def ours(folder: Path) -> dict[str, Explore]:
    """Explorations of a turn of every kind of call, and of the tools that are shipped, by name: whole, where the tests
    take samples."""
    turn, shipped = importlib.import_module("turn_of_all_kinds"), importlib.import_module("shipped_tools")
    plugins = shipped.plugins_on(folder)
    return {
        "a turn of every kind": partial(explore_turn, turn.TOOLS, turn.CALLS, runs=ALL, seconds=PATIENCE),
        **{
            f"{name}, on the real clock": partial(
                explore_cancellation,
                name,
                arguments,
                plugins=[*plugins, *shipped.BESIDE.get(name, ())],
                allow=shipped.ALLOWED.get(name, ()),
                seconds=PATIENCE,
            )
            for name, arguments in shipped.CALLS.items()
        },
    }


def main() -> int:
    logging.getLogger("trio_tools").addHandler(logging.NullHandler())  # tools that fail on purpose are no news
    sys.path += [str(ROOT / "tests" / "testing"), str(ROOT / "tests" / "real")]  # as pytest does
    bounded = measured(
        partial(explore_cancellation, plain), partial(bare_seconds, plain), repetitions=BOUNDED_REPETITIONS
    )
    others = {
        "four tasks": measured(partial(explore_cancellation, crowded), partial(bare_seconds, crowded)),
        "an effect": measured(partial(explore_cancellation, effective), partial(bare_seconds, effective)),
        **{name: measured(explore) for name, explore in twins().items()},
    }
    with tempfile.TemporaryDirectory() as folder:
        others |= {name: once(explore) for name, explore in ours(Path(folder)).items()}
    headings = ("tool", "steps", "runs", "seconds", "ms/run", "cpu", "floor", "ratio", "bound", "")
    lines = [bounded.cells("plain: five sleeps", BOUND), *(one.cells(name) for name, one in others.items())]
    _table.show(
        "exploration: every way to end a call at every step; ms/run by the clock, and of this process; floor: ms of "
        f"trio.run, open_registry and the call, on a MockClock; the least of {REPETITIONS} times, "
        f"and of {BOUNDED_REPETITIONS} where there is a bound; the median ratio",
        [headings, *lines],
        words=1,
    )
    every = [bounded, *others.values()]
    runs, seconds = sum(one.report.runs for one in every), sum(one.wall for one in every)
    print(f"  {len(every)} tools, {runs:,} runs, {seconds:.1f} s")
    return int(bounded.ms_a_run > BOUND)
