"""A file as text: opened without blocking, decoded piece by piece, cut into lines of bounded length."""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

from trio_tools.toolkits.files._failures import not_regular
from trio_tools.toolkits.files._version import Seen

# Without O_NONBLOCK, opening a pipe that was put in a file's place would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Bytes read at once: few system calls, and less than a millisecond's work between two looks at whether the call was
# cancelled. Not more: memory of 128 KiB is given back to the system, and taken from it anew, each time.
CHUNK_BYTES = 65_536
# Bytes at the start in which a NUL makes a file binary (F003).
SNIFFED_BYTES = 8_192


class NotText(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """A file that is not text. Its text says why."""


@contextmanager
def regular_file(directory: int, name: str, *, path: str) -> Generator[int, None, None]:
    """A descriptor of a regular file to read, by its `name` in an open directory; `path` is what messages call it.

    Raises `ToolError` with `FS_NOT_REGULAR_FILE` for anything else that bears the name by now, and `OSError`.
    """
    descriptor = os.open(name, _FILE, dir_fd=directory)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise not_regular(path, mode)
        yield descriptor
    finally:
        os.close(descriptor)


def texts(descriptor: int, *, step: Callable[[], None], seen: Seen | None = None) -> Iterator[str]:
    """The text of an open file in pieces, every line end as `\\n` (CRLF and a lone CR are line ends too).

    A byte order mark is left out. `step` is called before each piece, `seen` takes note of its bytes. Sizes are not
    asked: special files say 0.
    Raises `NotText` for a NUL in the first `SNIFFED_BYTES`, and for bad UTF-8; `OSError`.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), translate=True)
    size = 0
    while True:
        step()
        data = os.read(descriptor, CHUNK_BYTES)
        if b"\0" in data[: max(0, SNIFFED_BYTES - size)]:
            raise NotText(f"there is a NUL byte in its first {SNIFFED_BYTES:,} bytes, as in a binary file")
        size += len(data)
        if seen is not None:
            seen.feed(data)
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise NotText(f"byte {size - len(error.object) + error.start:,} does not belong there") from None
        yield text
        if not data:
            return


class Lines:
    """The lines of a text that comes in pieces. Only those that are taken are cut out; others are counted.

    Holds one line's beginning and one piece, however long a line is. A last line needs no line end.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._piece = ""
        self._at = 0

    def _more(self) -> bool:
        """Go on to the next piece; False if there is none."""
        piece = next(self._pieces, None)
        self._piece, self._at = piece or "", 0
        return piece is not None

    def _ends(self) -> int:
        """How many lines end in the rest of the piece. By what is left without their ends: that leaps from one to the
        next, where `count` looks at each character."""
        rest = self._piece[self._at :].encode()
        return len(rest) - len(rest.replace(b"\n", b""))

    def skip(self, count: int | None = None) -> int:
        """Pass so many lines by, or all that are left. How many there were."""
        passed, begun = 0, False
        while count is None or passed < count:
            ends = self._ends()
            if count is not None and ends >= count - passed:
                left = self._piece[self._at :].split("\n", count - passed)[-1]
                self._at = len(self._piece) - len(left)
                return count
            passed += ends
            begun = not self._piece.endswith("\n") if self._at < len(self._piece) else begun
            if not self._more():
                return passed + begun
        return passed

    def take(self, *, keep: int) -> tuple[str, bool] | None:
        """The next line: its first `keep` characters, and whether there were more. None at the end."""
        line, begun = "", False
        while True:
            end = self._piece.find("\n", self._at)
            begun = begun or self._at < len(self._piece)
            stop = len(self._piece) if end < 0 else end
            line += self._piece[self._at : min(stop, self._at + keep + 1 - len(line))]
            if end >= 0:
                self._at = end + 1
            elif self._more():
                continue
            elif not begun:
                return None
            return line[:keep], len(line) > keep
