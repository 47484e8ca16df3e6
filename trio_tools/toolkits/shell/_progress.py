"""How far a command has come, for whoever watches: the bytes that it has written, and its last line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import trio

# Seconds between two reports of progress: often enough for an idle budget of a second, seldom enough to cost nothing.
PROGRESS_INTERVAL = 0.25
# Bytes of a last line that are kept, and told: more than any terminal is wide. A line may have ten million.
MAX_LINE_BYTES = 1_000
# What ends a line. A carriage return does too: commands draw their progress over their own line.
_LINE_ENDS = re.compile(rb"[\r\n]")


class ShellProgress:
    """Takes what a command writes, on both of its pipes as a terminal would, and reports it now and then.

    `report` is given the bytes so far, None, and the last line that is not blank: its last `MAX_LINE_BYTES` if it is
    longer. Bytes in it that are no text are replaced.
    """

    def __init__(self, report: Callable[[float, float | None, str | None], None]) -> None:
        self._report = report
        self._total = 0
        self._end = b""  # the last of what was written
        self._line: str | None = None
        self._told = -math.inf
        self.wrote = trio.current_time()  # seconds on Trio's clock of the last output, or of the start
        self.due = math.inf  # seconds on Trio's clock at which what was added is to be told, by `tell`

    def add(self, data: bytes) -> None:
        """Take what one read brought, and tell it, unless that is to wait until it is due."""
        self._total += len(data)
        self.wrote = trio.current_time()
        self._end = (self._end + data[-MAX_LINE_BYTES:])[-MAX_LINE_BYTES:]
        self.due = self._told + PROGRESS_INTERVAL
        if self.due <= trio.current_time():
            self.tell()

    def tell(self) -> None:
        """Report now what was not told yet."""
        if self.due == math.inf:
            return
        self._told, self.due = trio.current_time(), math.inf
        last = _LINE_ENDS.split(self._end.rstrip())[-1].strip()
        if last:
            self._line = last.decode(errors="replace")
        self._report(self._total, None, self._line)
