"""Lines as they come, from anything that can be read.

Reading is done in a worker thread: a regular file cannot be polled, and polling anything else would need it set to
not block, for the shell that shares it as well. The thread is left behind when the wait for it is cancelled; that
happens only at the end of the run, and what it still reads nobody wants.
"""

from __future__ import annotations

import codecs
import os
import stat
from functools import partial

import attrs
import trio

# Bytes per read at most: a pipe gives what it holds, 64 KiB, and a file all of this, since each read goes to a thread.
CHUNK = 1024 * 1024
# Bytes of one line that are kept. Beyond any turn that makes sense, and far from what makes a machine swap.
MAX_LINE_BYTES = 64 * 1024 * 1024


@attrs.frozen
class Line:
    """One line of the input, counted from 1; None instead of content that is longer than `MAX_LINE_BYTES`."""

    number: int
    content: bytes | None


class Lines:
    """The lines of a file descriptor. What ends without a line end is a line as well; a byte order mark is dropped."""

    def __init__(self, descriptor: int) -> None:
        self.is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        self._descriptor = descriptor
        self._limiter = trio.CapacityLimiter(1)  # its own: tools may keep all of Trio's common threads busy
        self._buffer = bytearray()
        self._searched = 0  # bytes of the buffer that hold no line end
        self._overlong = False
        self._number = 0

    async def next(self) -> Line | None:
        """The next line; None at the end. Raises `OSError` as reading does.

        **Cancellation**: nothing is lost that had arrived, but the descriptor cannot be read on: a thread may still.
        """
        while (line := self.taken()) is None:
            read = partial(os.read, self._descriptor, CHUNK)
            data = await trio.to_thread.run_sync(read, abandon_on_cancel=True, limiter=self._limiter)
            if not data:
                return self._cut(len(self._buffer)) if self._buffer or self._overlong else None
            self._buffer += data
        return line

    def taken(self) -> Line | None:
        """The next line if all of it has been read already."""
        end = self._buffer.find(b"\n", self._searched)
        if end >= 0:
            return self._cut(end)
        self._searched = len(self._buffer)
        if self._searched > MAX_LINE_BYTES:
            self._overlong = True
            self._buffer.clear()
            self._searched = 0
        return None

    def _cut(self, end: int) -> Line:
        self._number += 1
        content = None if self._overlong or end > MAX_LINE_BYTES else bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched, self._overlong = 0, False
        if self._number == 1 and content is not None:
            content = content.removeprefix(codecs.BOM_UTF8)
        return Line(self._number, content)
