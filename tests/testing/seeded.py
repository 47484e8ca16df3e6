"""What the seeded bad tools are made of: a table's row, and the stand-ins that tools work with."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import attrs
import trio

from trio_tools.registry import AnyPlugin
from trio_tools.testing import Run
from trio_tools.tool import Body


@attrs.frozen(kw_only=True)
class Seeded:
    """A bad tool, the one check that is to find it, where its kind comes from, and its corrected twin."""

    name: str
    check: str
    source: str  # a case of the public reports (`B04`), or "own"
    bad: Body
    good: Body
    services: tuple[object, ...] = ()
    plugins: tuple[AnyPlugin, ...] = ()
    of_own: Callable[[Run], object] | None = None
    fails: list[str] = attrs.field(factory=list[str])  # what the twin says undisturbed, if it is to fail
    seconds: float = 60.0  # that an exploration of it may take

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
    kept: list[object] = attrs.field(factory=list[object])  # what would be collected else

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
