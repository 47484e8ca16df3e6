"""The log that SQLite writes ahead of the file. From a damaged frame on it takes no notice of the rest; we do."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import attrs

from trio_tools.journal._connect import PAGE_BYTES

# Bytes of the log's own head, and of each frame's before its page: the file format's numbers.
_HEAD, _FRAME_HEAD = 32, 24
_FRAME = _FRAME_HEAD + PAGE_BYTES
# Where the head has its two salts. A frame says its page, the pages of the file if it ends a commit, and the salts.
_SALTS = 16
_FRAME_SAYS = struct.Struct(">IIII")


@attrs.frozen
class Frame:
    """A page as some commit wrote it."""

    number: int  # of the page
    content: bytes


def frames_in(path: str, *, behind: int = 0) -> Iterator[Frame]:
    """The frames of a log behind the first so many, up to the last that ends a commit. What comes behind it is of
    a commit that never was, and so is what was left there when the log was begun anew: its salts are others."""
    try:
        with open(path, "rb") as file:
            (*_, first, second) = _said(file.read(_HEAD)[_SALTS - 8 :])
            count = max(0, file.seek(0, 2) - _HEAD) // _FRAME
            numbers: list[tuple[int, int]] = []
            ending = 0
            for index in range(behind, count):
                file.seek(_HEAD + index * _FRAME)
                number, pages, one, other = _said(file.read(_FRAME_SAYS.size))
                if one == first or other == second:  # a flipped bit is in one of the two
                    numbers.append((index, number))
                    ending = len(numbers) if pages else ending
            for index, number in numbers[:ending]:
                file.seek(_HEAD + index * _FRAME + _FRAME_HEAD)
                yield Frame(number, file.read(PAGE_BYTES))
    except FileNotFoundError:
        return


def _said(head: bytes) -> tuple[int, int, int, int]:
    return _FRAME_SAYS.unpack(head.ljust(_FRAME_SAYS.size, b"\0")[: _FRAME_SAYS.size])
