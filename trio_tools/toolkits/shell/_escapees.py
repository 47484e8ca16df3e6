"""Processes that left a command's process group, found by the mark in their environment.

A daemon starts a session of its own and is adopted by init: no signal to the group reaches it, and nothing but its
environment says whose it was. `/proc/<pid>/environ` shows the memory in which a program was given its environment: what
it set or removed since is elsewhere, but a daemon that writes a title over it (`setproctitle`, PostgreSQL) has none any
more. Not found are these, what was started with the environment wiped (`env -i`), what another user owns (`sudo`), and
what forks on faster than `/proc` can be read. A subreaper would find all but another user's; it has to be a process of
its own, since in this one it would adopt the children of everybody.
"""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, suppress

import attrs
import trio

from trio_tools.toolkits.shell._environment import carries
from trio_tools.toolkits.shell._thread import in_thread

# Seconds for all passes. One pass takes some 5 us for each process on the machine, and what it kills is gone at once;
# only something that forks as fast as we look keeps us longer, and no number of passes would end that.
SWEEP_BOUND = 2
# Seconds after which a process that was about to become another program has done so, and has its environment. It takes
# some 0.1 ms.
EXEC_SECONDS = 0.01
# Linux's flag, in /proc/<pid>/stat, for a thread of the kernel.
KERNEL_THREAD = 0x00200000


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


@attrs.frozen
class Found:
    """What a look at /proc found, whether it could look at everything, and whether a process had no environment just
    then: one that becomes another program has none for a moment, and nobody can tell whose it is."""

    processes: list[Marked]
    complete: bool = True
    unsure: bool = False

    def __enter__(self) -> list[Marked]:
        return self.processes

    def __exit__(self, *_: object) -> None:
        for one in self.processes:
            os.close(one.pidfd)


async def find_marked(mark: str, *, apart_from: int) -> Found:
    """The living processes that carry `mark`, without the pid `apart_from`; leaving it closes their descriptors.

    **Cancellation**: before it starts; the reading of /proc itself is not cut short.
    """
    # a limiter of its own, since threads that other tools occupy must not hold up a clean-up
    return await in_thread(_search, mark, apart_from, limiter=trio.CapacityLimiter(1))


async def kill_escapees(mark: str, *, leader: int) -> bool:
    """Kill what carries `mark`, until nothing does. False if something may be left after `SWEEP_BOUND` seconds.

    **Cancellation**: shielded for `SWEEP_BOUND` seconds.
    """
    # Shield: what is not found now outlives the call, and nobody looks for it again. Bound: SWEEP_BOUND.
    with trio.CancelScope(shield=True, relative_deadline=SWEEP_BOUND):
        looked_again = False
        while True:
            found = await find_marked(mark, apart_from=leader)
            with found as processes:
                for one in processes:
                    one.send(signal.SIGKILL)
                for one in processes:
                    await one.wait_exit()
            if processes:
                looked_again = False
            elif looked_again or not found.unsure:
                return found.complete
            else:
                looked_again = True
                await trio.sleep(EXEC_SECONDS)
    return False


def _search(mark: str, apart_from: int) -> Found:
    found: list[Marked] = []
    unsure = False
    try:
        for name in os.listdir("/proc"):
            if not name.isdecimal() or int(name) == apart_from:
                continue
            environment = _environment(name)
            if environment == b"":
                unsure = unsure or _may_become_another(name)
            elif environment is not None and carries(environment, mark):
                found += _opened(name, mark)
    except OSError:  # out of descriptors, as a rule; those that were found are dealt with first
        return Found(found, complete=False)
    return Found(found, unsure=unsure)


def _opened(name: str, mark: str) -> list[Marked]:
    """The process with a descriptor, unless it is gone."""
    with ExitStack() as on_failure:
        try:
            pidfd = os.pidfd_open(int(name))
        except ProcessLookupError:
            return []
        on_failure.callback(os.close, pidfd)
        # again: now it is certain that the descriptor means the process that was read
        if not carries(_environment(name) or b"", mark):
            return []
        on_failure.pop_all()
        return [Marked(int(name), pidfd)]


def _environment(pid: str) -> bytes | None:
    """The environment that a process was started with; None if it is gone, or not ours to read."""
    environment = _memory_of_environment(f"/proc/{pid}")
    if environment is not None:
        return environment
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    # its first thread may have ended, and with it what the process shows of itself, while others run
    found = (_memory_of_environment(f"/proc/{pid}/task/{thread}") for thread in threads if thread != pid)
    return next((one for one in found if one is not None), None)


def _memory_of_environment(place: str) -> bytes | None:
    try:
        with open(f"{place}/environ", "rb") as environ:
            return environ.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def _may_become_another(pid: str) -> bool:
    """Whether a process without an environment may have one soon. The kernel's threads and the dead have none for good;
    one that was started without cannot be told from one that is being started."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, *_, flags = stat.read().rpartition(b")")[2].split()[:7]
    except (FileNotFoundError, ProcessLookupError, PermissionError, ValueError):
        return False
    return state not in (b"Z", b"X") and not int(flags) & KERNEL_THREAD
