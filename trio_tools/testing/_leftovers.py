"""What is there now and was not before: tasks, threads, processes, descriptors, temporary files."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Collection, Mapping, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import trio

from trio_tools.pipeline import job_tasks
from trio_tools.testing._abandoned import closing_tasks, tasks_below
from trio_tools.testing._outside import ThreadAtWork, busy_threads
from trio_tools.testing._processes import child_pids, marked_pids
from trio_tools.testing._surroundings import Surroundings, collect_garbage
from trio_tools.testing._where import user_place

# The folder that lists the descriptors of this process: Linux, and elsewhere.
_DESCRIPTORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"

Things: TypeAlias = Collection[Any]


@attrs.frozen
class Look:
    """How things of a kind are found, and how one that was left is told of."""

    find: Callable[[Surroundings], Things]
    words: Callable[[Any], str]


@attrs.frozen
class Leftover:
    """Something that was left: its `kind` (`tasks`, `threads`, `processes`, `descriptors` or `files`), and what it is
    in words."""

    kind: str
    words: str


@attrs.frozen
class Standing:
    """What stood there at one moment, kind by kind, and how it was looked for in these surroundings."""

    surroundings: Surroundings
    looks: Mapping[str, Look]
    things: Mapping[str, Set[object]]

    def now(self) -> Standing:
        """What stands there now, looked for in the same way."""
        return standing(self.surroundings, self.looks)

    def with_tasks_of_now(self) -> Standing:
        """The same but for tasks, which are those of now."""
        tasks = set(self.looks["tasks"].find(self.surroundings))
        return Standing(self.surroundings, self.looks, {**self.things, "tasks": tasks})

    def and_of(self, other: Standing) -> Standing:
        """What stood there then, or at that other moment."""
        return Standing(
            self.surroundings,
            self.looks,
            {kind: {*things, *other.things[kind]} for kind, things in self.things.items()},
        )


# Kinds that no garbage collector ends.
_OUTRIGHT = {"tasks", "threads"}


def standing(surroundings: Surroundings, looks: Mapping[str, Look]) -> Standing:
    """What stands there now, as `NEAR` or `FAR` look for it. Tasks are seen inside of Trio only."""
    return Standing(surroundings, looks, {kind: set(look.find(surroundings)) for kind, look in looks.items()})


def left_since(before: Standing) -> list[Leftover]:
    """What stands there now and did not before, without what only waits for the garbage collector."""
    beyond = {kind for kind in before.looks if _beyond(before, kind)}
    if not beyond:
        return []
    if beyond - _OUTRIGHT:
        collect_garbage()
    return [Leftover(kind, look.words(one)) for kind, look in before.looks.items() for one in _beyond(before, kind)]


def clear_away(before: Standing) -> None:
    """Kill the processes, hang up the sockets and remove the files that did not stand there before: they have been told
    of, and must not mix with those of the next run."""
    for pid in _beyond(before, "processes"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    for name in _beyond(before, "descriptors"):
        _hang_up(int(name))
    for name in _beyond(before, "files"):
        path = Path(before.surroundings.files, name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _hang_up(descriptor: int) -> None:
    """Tell whoever is at the other end of a socket that nobody is here any more. The descriptor itself stays open: an
    object that is still there may close it, and must not close the next of that number."""
    with suppress(OSError):
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            with socket.socket(fileno=os.dup(descriptor)) as end:
                end.shutdown(socket.SHUT_RDWR)


def _beyond(before: Standing, kind: str) -> list[Any]:
    known = before.things[kind]
    return [one for one in before.looks[kind].find(before.surroundings) if one not in known]


def _tasks(_: Surroundings) -> Things:
    root = _root()
    return () if root is None else tasks_below(root)


def _tasks_but_of_jobs(_: Surroundings) -> Things:
    root = _root()
    return () if root is None else tasks_below(root, but={*job_tasks(), *closing_tasks(root)})


def _root() -> trio.lowlevel.Task | None:
    return trio.lowlevel.current_root_task() if trio.lowlevel.in_trio_run() else None


def _task(task: trio.lowlevel.Task) -> str:
    return f"the task {task.name}, at {user_place(task)}"


def _threads(surroundings: Surroundings) -> Things:
    return busy_threads(surroundings.others)


def _thread(at_work: ThreadAtWork) -> str:
    return f"the thread {at_work.thread.name}"


def _children(_: Surroundings) -> Things:
    return child_pids()


def _processes(surroundings: Surroundings) -> Things:
    return {*child_pids(), *marked_pids(surroundings.mark, but=surroundings.older)}


def _command(pid: int) -> str:
    raw = b""
    with suppress(OSError):
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    command = raw.replace(b"\0", b" ").decode(errors="replace").strip()
    return f"the process {pid} ({command})" if command else f"the process {pid}, which has ended and nobody waited for"


def _descriptors(_: Surroundings) -> Things:
    lister = os.open(os.sep, os.O_RDONLY)
    os.close(lister)  # the next that is free, and so that which lists the others
    names = os.listdir(_DESCRIPTORS)
    with suppress(ValueError):
        names.remove(str(lister))
    return names


def _descriptor(name: str) -> str:
    target = ""
    with suppress(OSError):
        target = os.readlink(os.path.join(_DESCRIPTORS, name))
    return f"the descriptor {name} ({target})"


def _files(surroundings: Surroundings) -> Things:
    return os.listdir(surroundings.files)


def _file(name: str) -> str:
    return f"the temporary file {name}"


# How each kind of thing is looked for, at hardly any cost: of tasks, those that are of no job, which is to outlive its
# call; of processes, the children of this one.
NEAR: Mapping[str, Look] = {
    "tasks": Look(_tasks_but_of_jobs, _task),
    "threads": Look(_threads, _thread),
    "processes": Look(_children, _command),
    "descriptors": Look(_descriptors, _descriptor),
    "files": Look(_files, _file),
}
# The same with processes that others have adopted, for which all of the machine's new ones are looked at.
FAR: Mapping[str, Look] = {**NEAR, "processes": Look(_processes, _command)}
# The same with the tasks of jobs.
ALL: Mapping[str, Look] = {**FAR, "tasks": Look(_tasks, _task)}
