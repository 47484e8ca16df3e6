"""Ctrl-C: by a person, and as an exploration has it.

The two must be told apart, or a person's would be taken for one of ours and lost. So ours are no signals: Trio's
handler is called as the interpreter would call it. Two signals at the same instant would be one.
"""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType


class CtrlC:
    """Stands before Trio's handler of Ctrl-C for as long as a run of Trio."""

    def __init__(self) -> None:
        self.heard = False  # whether a person has pressed it
        self._trios: object = None  # its handler

    def listen(self) -> None:
        """Listen from now on. Called inside of Trio, once that has a handler of its own; off the main thread, which
        alone is sent signals, there is nothing to hear."""
        if threading.current_thread() is threading.main_thread():
            self._trios = signal.signal(signal.SIGINT, self._hear)

    def send(self) -> None:
        """Ctrl-C, now."""
        self._tell(sys._getframe())

    def end(self) -> None:
        """Trio is over: the handler is that again which was there before it."""
        if self._trios is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.heard = True
        self._tell(frame)

    def _tell(self, frame: FrameType | None) -> None:
        if callable(self._trios):
            self._trios(signal.SIGINT, frame)
