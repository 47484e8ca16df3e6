"""Processes: the children of this one, and those of the machine that carry a mark."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Set
from contextlib import suppress
from typing import TypeAlias

# A pid, and the number of its folder in /proc: another process that is given the pid later has another folder.
Process: TypeAlias = tuple[int, int]


def all_processes() -> frozenset[Process]:
    """Every process of this machine, if it is one of Linux."""
    if sys.platform != "linux":
        return frozenset()
    with os.scandir("/proc") as entries:
        return frozenset((int(one.name), one.inode()) for one in entries if one.name.isdecimal())


def child_pids() -> list[int]:
    """The children of this process, those that have ended and were not waited for included."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []  # there are none, which is quicker to find out than which there are
    if sys.platform != "linux":
        return []
    pids: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{thread}/children", encoding="ascii") as children:
            pids += map(int, children.read().split())
    return pids


def marked_pids(mark: str, *, but: Set[Process]) -> list[int]:
    """Those that carry the mark, whoever has adopted them; not looked at are these, which were there before there was
    a mark to carry. One that was started with its environment wiped does not carry it."""
    pids: list[int] = []
    wanted = mark.encode()
    for pid, _ in all_processes() - but:  # nothing dearer for each: there may be thousands
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb", buffering=0) as variables:  # gone, or not ours
            if wanted in variables.read().split(b"\0"):
                pids.append(pid)
    return pids


def children_reaped() -> int:
    """Grows with every child process that has ended and was waited for: none ends without a page fault."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
