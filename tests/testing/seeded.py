"""What the seeded bad tools are made of: a table's row, and the stand-ins that tools work with."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import attrs
import pytest
import trio

from trio_tools.registry import AnyPlugin
from trio_tools.testing import BrokenPromiseError, Report, Run, explore_turn
from trio_tools.testing._checks import CHECKS
from trio_tools.tool import Body, tool
from trio_tools.values import ToolCall


@attrs.frozen(kw_only=True)
class Seeded:
    """A bad tool, the one check that is to find it, where its kind comes from, and its corrected twin."""

    name: str
    check: str
    source: str  # a case of the public reports (`B04`), or "own"
    bad: Body
    good: Body
    plugins: tuple[AnyPlugin, ...] = ()
    of_own: Callable[[Run], object] | None = None
    fails: list[str] = attrs.field(factory=list[str])  # what the twin says undisturbed, if it is to fail
    samples: int = 10_000  # cases that its twin is tried in: all of them, unless each takes its time

    def __str__(self) -> str:
        return self.name


@attrs.define(eq=False)
class Desk:
    """What the tools of one run share: made anew for each."""

    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(1))
    semaphore: trio.Semaphore = attrs.field(factory=lambda: trio.Semaphore(2))
    lock: trio.Lock = attrs.field(factory=trio.Lock)
    done: trio.Event = attrs.field(factory=trio.Event)
    lines: list[str] = attrs.field(factory=list[str])
    started: list[int] = attrs.field(factory=list[int])

    def start(self, *command: str) -> int:
        """A program in a process group of its own, which nobody looks after but who kills it; its number."""
        pid = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
        self.started.append(pid)
        return pid

    def kill_one(self, pid: int) -> None:
        """Kill this program alone, and reap it."""
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def kill(self) -> None:
        """Kill the groups of all programs, and reap them."""
        for pid in self.started:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    async def ask(self) -> str:
        """An answer that takes its time."""
        await trio.sleep(1)
        return "answer"

    async def write(self, line: str) -> None:
        """A line in a log that is slow."""
        await trio.sleep(0.1)
        self.lines.append(line)


def explored(seeded: Seeded, body: Body, *, samples: int = 10_000) -> Report:
    """An exploration of one of its two tools, in so many cases, or all if there are no more."""
    one = tool(body)
    return explore_turn(
        [one],
        [ToolCall(one.name, {})],
        plugins=seeded.plugins,
        services=(Desk,),
        check=seeded.of_own,
        runs=samples,
        seeds=1,
    )


def found_in(seeded: Seeded) -> set[str]:
    """The checks that found the bad tool."""
    with pytest.raises(BrokenPromiseError) as caught:
        explored(seeded, seeded.bad)
    return {finding.check for failure in caught.value.report.failures for finding in failure.findings}


def check_twin(seeded: Seeded) -> None:
    """The corrected twin passes, and does so by succeeding, unless it is to fail."""
    report = explored(seeded, seeded.good, samples=seeded.samples)
    assert report.failures == ()
    assert [result.text for result in report.undisturbed if result.is_error] == seeded.fails


def check_unnoticed(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    """M030: with its check made inert the bad tool goes unnoticed, so the check, and nothing else, has found it.

    What is made inert is what the check says, not that it is asked."""
    asked: list[str] = []

    def inert(run: Run, baseline: Run) -> tuple[str, ...]:
        asked.append(seeded.check)
        return ()

    monkeypatch.setitem(CHECKS, seeded.check, inert)
    assert explored(seeded, seeded.bad, samples=seeded.samples).failures == ()
    assert asked
