"""Ctrl-C at a line of the kernel, whichever: lines are found again by the step of a task that runs them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

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


class Injector(trio.abc.Instrument):
    """Raises SIGINT at the n-th kernel line of one step of a task; without `at` it only counts.

    Tracing is slow, also where nothing is looked at: only the one step is traced. For the count to hold in other runs,
    the order of tasks must be the same in all.
    """

    def __init__(self, at: tuple[int, int] | None = None) -> None:
        self.at = at
        self.lines: list[int] = []  # how many of each step were seen
        self.where = ""

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch from here on, the step that is running first."""
        trio.lowlevel.add_instrument(self)
        self.before_task_step(trio.lowlevel.current_task())
        try:
            yield
        finally:
            sys.settrace(None)
            trio.lowlevel.remove_instrument(self)

    def places(self) -> list[tuple[int, int]]:
        """All that `at` can be, in the order of the lines."""
        return [(step, line) for step, count in enumerate(self.lines) for line in range(1, count + 1)]

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if self.at is None or self.at[0] == len(self.lines):
            sys.settrace(self._enter)
        self.lines.append(0)

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        code = frame.f_code
        return self._step if code.co_filename.startswith(ROOMS) and code.co_name not in USER_CODE else None

    def _step(self, frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        if event == "line":
            self.lines[-1] += 1
            if self.at == (len(self.lines) - 1, self.lines[-1]):
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"
                sys.settrace(None)  # what comes after it is not counted
                signal.raise_signal(signal.SIGINT)
        return self._step
