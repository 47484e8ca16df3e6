"""Replacing a text within a file's bytes, so that every other byte stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import attrs

# Places replaced between two looks at whether the call was given up.
_STEP_EVERY = 1_000


class NotReplaced(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """Nothing was replaced."""


class NotFoundOnce(NotReplaced):
    """The text is not there, or (`several`) in more than one place."""

    def __init__(self, *, several: bool) -> None:
        super().__init__()
        self.several = several


class TooLong(NotReplaced):
    """What would come of it is longer than it may be."""


def replaced(data: bytes, old: bytes, new: bytes, *, everywhere: bool, longest: int, step: Callable[[], None]) -> bytes:
    """The bytes with `new` in place of `old`, where it stands alone or, `everywhere`, from left to right.

    In a file that has CRLF, LF in `old` stands for either line end, and a line end in `new` becomes that of its place:
    the next one in the file from where it goes in, or the last one before. A file without CRLF is taken literally.

    Raises `NotFoundOnce`, and `TooLong` for more than `longest` bytes. `step` is called now and then.
    """
    text, in_crlf = data, b"\r\n" in data
    if in_crlf:
        text, old, new = (one.replace(b"\r\n", b"\n") for one in (data, old, new))
    first = text.find(old)
    if first < 0 or (not everywhere and text.find(old, first + 1) >= 0):
        raise NotFoundOnce(several=first >= 0)
    ends = _LineEnds(data) if in_crlf and b"\n" in new else None
    crlf = new.replace(b"\n", b"\r\n")
    out, done, found, seen, count = bytearray(), 0, first, 0, 0
    while found >= 0:
        if count % _STEP_EVERY == 0:
            step()
        count += 1
        start = _advanced(data, done, found - seen)
        stop = _advanced(data, start, len(old))
        out += data[done:start]
        out += crlf if ends is not None and ends.is_crlf(start) else new
        if len(out) > longest:
            raise TooLong
        done, seen = stop, found + len(old)
        found = text.find(old, seen) if everywhere else -1
    out += data[done:]
    if len(out) > longest:
        raise TooLong
    return bytes(out)


def _advanced(data: bytes, start: int, count: int) -> int:
    """The place so many bytes after `start`, where a CRLF counts as one."""
    while count:
        stop = start + count
        if data[stop - 1 : stop + 1] == b"\r\n":
            stop += 1  # not between the two
        count -= stop - start - data.count(b"\r\n", start, stop)
        start = stop
    return start


@attrs.define
class _LineEnds:
    """Which line end belongs to a place, for places in ascending order: each line is looked for once."""

    data: bytes
    next: int = -1
    crlf: bool = False

    def is_crlf(self, place: int) -> bool:
        """Whether the next line end from there is CRLF, or the last one if there is none."""
        if self.next < place:
            found = self.data.find(b"\n", place)
            self.next = found if found >= 0 else len(self.data)
            at = found if found >= 0 else self.data.rfind(b"\n")
            self.crlf = self.data[at - 1 : at] == b"\r"
        return self.crlf
