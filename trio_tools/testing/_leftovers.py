"""What is there now and was not before: tasks, threads, processes, descriptors, temporary files."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

import attrs
import trio

from trio_tools.testing._abandoned import tasks_below
from trio_tools.testing._outside import busy_threads
from trio_tools.testing._where import user_place

Things: TypeAlias = Mapping[object, Callable[[], str]]


@attrs.frozen
class Leftover:
    """Something that was left: its `kind` (`tasks`, `threads`, `processes`, `descriptors` or `files`), and what it is
    in words."""

    kind: str
    words: str


@attrs.frozen
class Standing:
    """What stood there at one moment. `files` is the folder whose files count."""

    files: str
    things: Mapping[str, Collection[object]]


def standing(files: str) -> Standing:
    """What stands there now, and in this folder. Tasks are seen inside of Trio only."""
    return Standing(files, {kind: set(look(files)) for kind, look in _KINDS.items()})


def left_since(before: Standing) -> list[Leftover]:
    """What stands there now and did not before, without what only waits for the garbage collector."""
    if not _beyond(before):
        return []
    gc.collect()
    return [Leftover(kind, words()) for kind, words in _beyond(before)]


def _beyond(before: Standing) -> list[tuple[str, Callable[[], str]]]:
    return [
        (kind, words)
        for kind, look in _KINDS.items()
        for thing, words in look(before.files).items()
        if thing not in before.things[kind]
    ]


def _tasks(_: str) -> Things:
    try:
        root = trio.lowlevel.current_root_task()
    except RuntimeError:
        return {}  # outside of Trio
    return {} if root is None else {task: partial(_task, task) for task in tasks_below(root)}


def _task(task: trio.lowlevel.Task) -> str:
    return f"the task {task.name}, at {user_place(task)}"


def _threads(_: str) -> Things:
    return {thread: partial("the thread {}".format, thread.name) for thread in busy_threads()}


def _processes(_: str) -> Things:
    return {pid: partial(_command, pid) for pid in _child_pids()}


def _command(pid: int) -> str:
    raw = b""
    with suppress(OSError):
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    command = raw.replace(b"\0", b" ").decode(errors="replace").strip()
    return f"the process {pid} ({command})" if command else f"the process {pid}, which has ended and nobody waited for"


def _child_pids() -> list[int]:
    if sys.platform != "linux":
        return []
    pids: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{thread}/children", encoding="ascii") as children:
            pids += map(int, children.read().split())
    return pids


def _descriptors(_: str) -> Things:
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    found: dict[object, Callable[[], str]] = {}
    for name in os.listdir(folder):
        with suppress(OSError):  # the one that lists them is gone
            target = os.readlink(f"{folder}/{name}")
            found[name, target] = partial("the descriptor {} ({})".format, name, target)
    return found


def _files(folder: str) -> Things:
    return {name: partial("the temporary file {}".format, name) for name in os.listdir(folder)}


_KINDS: Mapping[str, Callable[[str], Things]] = {
    "tasks": _tasks,
    "threads": _threads,
    "processes": _processes,
    "descriptors": _descriptors,
    "files": _files,
}
