"""Standard output: JSON lines, each written as soon as it can be.

Writing is done in a worker thread, since whoever reads may be slow, and neither a Ctrl-C nor a tool is to wait for
him. It goes past Python's own buffer, so that nothing is left in one when the reader has gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

import trio

from trio_tools import JSONValue
from trio_tools.cli._printable import json_text
from trio_tools.cli._screen import Screen


def line_of(document: Mapping[str, JSONValue]) -> bytes:
    """A document on a line of its own."""
    return json_text(document).encode() + b"\n"


def write_all(descriptor: int, lines: Iterable[bytes]) -> None:
    """Write lines, however many writes that takes. Raises `OSError` as writing does."""
    left = memoryview(b"".join(lines))
    while left:
        left = left[os.write(descriptor, left) :]


class Outlet:
    """Lines on their way out.

    `on_failure` is told once, with the error, when they cannot be written any more; what comes afterwards is dropped.
    """

    def __init__(self, descriptor: int, screen: Screen, on_failure: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._screen = screen
        self._on_failure = on_failure
        self._limiter = trio.CapacityLimiter(1)  # its own: tools may keep all of Trio's common threads busy
        self._queued: list[bytes] = []
        self._writing = 0
        self._failed = False
        self._more = trio.Event()
        self._rest = trio.Event()
        self._rest.set()

    @property
    def waiting(self) -> int:
        """How many lines have not been written."""
        return self._writing + len(self._queued)

    def put(self, document: Mapping[str, JSONValue]) -> None:
        """Have a document written as a line, after what was put before."""
        self.write(line_of(document))

    def write(self, line: bytes) -> None:
        """Have a line, its end included, written after what was put before. Nothing in it may move a terminal."""
        if not self._failed:
            self._queued.append(line)
            self._more.set()
            if self._rest.is_set():
                self._rest = trio.Event()

    async def flushed(self) -> None:
        """Wait until all that was put has been written, or cannot be.

        **Cancellation**: stops the waiting, not the writing.
        """
        await self._rest.wait()

    async def run(self) -> None:
        """Write what is put, for ever.

        **Cancellation**: the write under way is awaited; what is still queued is not written.
        """
        while True:
            await self._more.wait()
            self._more = trio.Event()
            lines, self._queued = self._queued, []
            self._writing = len(lines)
            try:
                with self._screen.aside():
                    await trio.to_thread.run_sync(write_all, self._descriptor, lines, limiter=self._limiter)
            except OSError as error:
                self._failed = True
                self._queued.clear()
                self._on_failure(error)
            self._writing = 0
            if not self._queued:
                self._rest.set()
