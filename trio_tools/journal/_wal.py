"""The log that SQLite writes ahead of the file. From a damaged frame on it takes no notice of the rest; we do."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import attrs

from trio_tools.journal._connect import PAGE_BYTES

# Bytes of the log's own head, and of each frame's before its page: the file format's numbers.
_HEAD, _FRAME_HEAD = 32, 24
_FRAME = _FRAME_HEAD + PAGE_BYTES


@attrs.frozen
class Frame:
    """A page as some commit wrote it."""

    number: int  # of the page
    content: bytes


def frames_in(path: str, *, behind: int = 0) -> Iterator[Frame]:
    """The frames of a log behind the first so many, up to the last that ends a commit. What comes behind it is of
    a commit that never was."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            count = max(0, size - _HEAD) // _FRAME
            heads: list[tuple[int, int]] = []
            for index in range(behind, count):
                file.seek(_HEAD + index * _FRAME)
                heads.append(struct.unpack(">II", file.read(8)))
            while heads and not heads[-1][1]:
                heads.pop()
            for index, (number, _) in enumerate(heads, behind):
                file.seek(_HEAD + index * _FRAME + _FRAME_HEAD)
                yield Frame(number, file.read(PAGE_BYTES))
    except FileNotFoundError:
        return
