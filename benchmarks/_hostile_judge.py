"""What is left of commands, found by roads that the package does not take: a pipe that each of their processes holds
open, and a mark in their arguments. It looks at no environment, no process group and nobody's children."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import trio

# Seconds for which leftovers are hunted after a fault was found, so that they do not spoil what comes after.
HUNT = 2
# Looks without a leftover after which the hunt is over: something that forks all the while can slip through one.
CLEAN_LOOKS = 5


@contextmanager
def held_pipe(fifo: Path) -> Generator[int]:
    """A named pipe, and the descriptor on which its end can be seen: when nobody holds it open for writing."""
    os.mkfifo(fifo, 0o600)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield reading
    finally:
        os.close(reading)
        fifo.unlink()


def is_held(reading: int) -> bool:
    """Whether some process holds the pipe open for writing: then to read it would block, else it is at its end."""
    try:
        return os.read(reading, 1) != b""
    except BlockingIOError:
        return True


def marked(mark: str) -> list[int]:
    """The living processes with this mark in their arguments."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            with suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as arguments:
                if mark.encode() in arguments.read():
                    found.append(int(name))
    return found


def zombies() -> list[int]:
    """Children of this process that have ended and that nobody reaped."""
    found: list[int] = []
    try:
        if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return found  # each look at a process of the machine would cost more than this
    except ChildProcessError:  # there are no children
        return found
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                state, parent = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[:2]
                if state == "Z" and int(parent) == os.getpid():
                    found.append(int(name))
    return found


def hunt(mark: str) -> None:
    """Kill what carries the mark, for at most `HUNT` seconds."""
    end, clean = time.monotonic() + HUNT, 0
    while clean < CLEAN_LOOKS and time.monotonic() < end:
        found = marked(mark)
        clean = 0 if found else clean + 1
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


@attrs.frozen
class Held:
    """What this process holds at some moment: open files by number, threads at work, and Trio's tasks."""

    files: dict[str, str]
    threads: tuple[str, ...]
    tasks: int

    def beyond(self, before: Held) -> list[str]:
        """What is held now and was not before, in words."""
        files = sorted(what for number, what in self.files.items() if number not in before.files)
        threads = [name for name in self.threads if name not in before.threads]
        faults = [f"a descriptor is left open: {what}" for what in files]
        faults += [f"a thread is still at work: {name}" for name in threads]
        if self.tasks != before.tasks:
            faults.append(f"{self.tasks} tasks of Trio, and {before.tasks} before")
        return faults


def held() -> Held:
    """What this process holds now. To be asked inside of a run of Trio."""
    files: dict[str, str] = {}
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the one that lists them
            files[number] = os.readlink(f"/proc/self/fd/{number}")
    # Trio keeps idle threads for some seconds, under a name of its own; one at work bears that of what it does
    threads = (one.name for one in threading.enumerate() if not one.name.startswith("Trio thread "))
    return Held(files, tuple(sorted(threads)), trio.lowlevel.current_statistics().tasks_living)
