"""Ctrl-C at a line of the kernel, whichever: lines are found again by the step of a task that runs them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, TypeAlias

import trio

import trio_tools

if TYPE_CHECKING:
    from _typeshed import TraceFunction

PACKAGE = str(Path(trio_tools.__file__).parent)
# the kernel: everything a call passes through; what a program does before and after is not its own
ROOMS = tuple(f"{PACKAGE}/{room}/" for room in ("pipeline", "registry", "values", "tool"))
USER_CODE = {
    "run_async",
    "run_awaitable",
    "run_body",
    "run_sync",
    "run_either",
}  # the trampolines, where Ctrl-C may land


# A step of a task, a frame that goes on in it, a line that is run in there: which of them, from 0.
Place: TypeAlias = tuple[int, int, int]


class Injector(trio.abc.Instrument):
    """Raises SIGINT at a kernel line: in the n-th step of a task that is watched, in the n-th frame that goes on in it,
    at the n-th line. It is an instrument of the whole run.

    Tracing is slow, also where nothing is looked at: only the one step is traced, and the lines of the one frame. For
    the count to hold in other runs, the order of tasks must be the same in all.
    """

    def __init__(self) -> None:
        self._watches = False
        self._at: Place | None = None
        self._lines: list[list[int]] = []  # how many of each frame of each step were seen
        self.where = ""

    @contextmanager
    def watching(self, at: Place | None = None) -> Generator[None]:
        """Watch from here on, the step that is running first. Without `at` lines are only counted."""
        self._watches, self._at, self._lines, self.where = True, at, [], ""
        self.before_task_step(trio.lowlevel.current_task())
        try:
            yield
        finally:
            sys.settrace(None)
            self._watches = False

    def places(self) -> set[Place]:
        """All that `at` can be in what was watched last."""
        return {
            (step, frame, line)
            for step, frames in enumerate(self._lines)
            for frame, count in enumerate(frames)
            for line in range(count)
        }

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if self._watches:
            if self._at is None or self._at[0] == len(self._lines):
                sys.settrace(self._enter)
            self._lines.append([])

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if self._watches:
            sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        if not _is_kernel(frame.f_code):
            return None
        step, frames = len(self._lines) - 1, self._lines[-1]
        entered = len(frames)
        frames.append(0)
        if self._at is not None and self._at[:2] != (step, entered):
            return None

        def line(frame: FrameType, event: str, arg: object) -> TraceFunction | None:
            if event == "line":
                if self._at == (step, entered, frames[entered]):
                    self.where = f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"
                    sys.settrace(None)  # what comes after it is not counted
                    signal.raise_signal(signal.SIGINT)
                frames[entered] += 1
            return line

        return line


@cache
def _is_kernel(code: CodeType) -> bool:
    return code.co_filename.startswith(ROOMS) and code.co_name not in USER_CODE
