"""A file as text: opened without blocking, decoded piece by piece, cut into lines of bounded length."""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

from trio_tools.toolkits.files._failures import not_regular
from trio_tools.toolkits.files._version import Seen

# Without O_NONBLOCK, opening a pipe that was put in a file's place would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# Bytes read at once: few system calls, little work between two looks at whether the call was cancelled, and little
# memory even where each byte or two is a line.
CHUNK_BYTES = 16_384
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


def texts(
    descriptor: int, *, errors: Literal["strict", "replace"], step: Callable[[], None], seen: Seen | None = None
) -> Iterator[str]:
    """The text of an open file in pieces, every line end as `\\n` (CRLF and a lone CR are line ends too).

    A byte order mark is left out. `step` is called before each piece, `seen` takes note of its bytes. Sizes are not
    asked: special files say 0.
    Raises `NotText` for a NUL in the first `SNIFFED_BYTES`, and for bad UTF-8 where `errors` is `strict`; `OSError`.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(errors), translate=True)
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


def lines(pieces: Iterable[str], *, keep: int) -> Iterator[tuple[str, bool]]:
    """The lines of a text that comes in pieces: their first `keep` characters, and whether there were more.

    Holds one line's beginning and one piece, however long a line is. A last line needs no line end.
    """
    head, cut = "", False
    for piece in pieces:
        *ended, rest = piece.split("\n")
        for part in ended:
            line = head + part
            yield line[:keep], cut or len(line) > keep
            head, cut = "", False
        line = head + rest
        head, cut = line[:keep], cut or len(line) > keep
    if head:
        yield head, cut
