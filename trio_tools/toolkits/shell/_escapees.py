"""Processes that left a command's process group, found by the mark in their environment.

A daemon starts a session of its own and is adopted by init: no signal to the group reaches it, and nothing but its
environment says whose it was. `/proc/<pid>/environ` shows the environment a program was started with, whatever it did
to it since. Not found: what was started with the environment wiped (`env -i`), what another user owns (`sudo`), and
what forks on faster than `/proc` can be read. A subreaper would find the first and the last; it has to be a process of
its own, since in this one it would adopt the children of everybody.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress

import attrs
import trio

from trio_tools.toolkits.shell._environment import carries

# Seconds for all passes. One pass takes some 20 us for each process on the machine, and what it kills is gone at once;
# only something that forks as fast as we look keeps us longer, and no number of passes would end that.
SWEEP_BOUND = 2


@attrs.frozen
class Marked:
    """A living process that carries a call's mark. `pidfd` means this very process, also if its pid is used again."""

    pid: int
    pidfd: int

    def send(self, number: signal.Signals) -> None:
        """Send a signal; never raises: gone, or not ours to signal."""
        with suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, number)

    def left_group(self, group: int) -> bool:
        """Whether signals to that process group do not reach it."""
        try:
            return os.getpgid(self.pid) != group
        except ProcessLookupError:
            return False

    async def wait_exit(self) -> None:
        """Wait until it has ended, and reap it if init's work is ours.

        **Cancellation**: at once; the process is not touched.
        """
        await trio.lowlevel.wait_readable(self.pidfd)
        self._reap()

    def _reap(self) -> None:
        with suppress(ChildProcessError):  # init's child, as a rule; ours if we are a container's first process
            os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOHANG)


@contextmanager
def closing(found: list[Marked]) -> Generator[list[Marked]]:
    """Close the descriptors in the end."""
    try:
        yield found
    finally:
        for one in found:
            os.close(one.pidfd)


async def find_marked(mark: str, *, apart_from: int) -> list[Marked]:
    """The living processes that carry `mark`, without the pid `apart_from`. Close them: `with closing(...)`.

    **Cancellation**: before it starts; the reading of /proc itself is not cut short.
    """
    # a limiter of its own, since threads that other tools occupy must not hold up a clean-up
    return await trio.to_thread.run_sync(_search, mark, apart_from, limiter=trio.CapacityLimiter(1))


async def kill_escapees(mark: str, *, leader: int) -> bool:
    """Kill what carries `mark`, until nothing does. False if something may be left after `SWEEP_BOUND` seconds.

    **Cancellation**: shielded for `SWEEP_BOUND` seconds.
    """
    # Shield: what is not found now outlives the call, and nobody looks for it again. Bound: SWEEP_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=SWEEP_BOUND):
        while True:
            with closing(await find_marked(mark, apart_from=leader)) as found:
                for one in found:
                    one.send(signal.SIGKILL)
                for one in found:
                    await one.wait_exit()
            if not found:
                return True
    return False


def _search(mark: str, apart_from: int) -> list[Marked]:
    found: list[Marked] = []
    for name in os.listdir("/proc"):
        if not name.isdecimal() or int(name) == apart_from or not _is_marked(name, mark):
            continue
        try:
            pidfd = os.pidfd_open(int(name))
        except OSError:  # it is gone; or we are out of descriptors, and the next pass comes to it
            continue
        if _is_marked(name, mark):  # again: now it is certain that the descriptor means the process that was read
            found.append(Marked(int(name), pidfd))
        else:
            os.close(pidfd)
    return found


def _is_marked(pid: str, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return carries(environ.read(), mark)
    except OSError:  # gone, or not ours to read
        return False
