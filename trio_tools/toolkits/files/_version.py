"""Which version of a file is meant: what a reader has seen of it, and what a writer therefore expects to replace."""

from __future__ import annotations

import enum
import hashlib
import os
from collections.abc import Callable
from typing import TypeAlias

import attrs

# Bytes at the start of a file that are compared by what is in them, and not only by size and times. So much is hashed
# in some 30 ms, and a page far down in a large file is not paid for by reading all of it again before a write.
HASHED_BYTES = 10_485_760
# Bytes hashed between two looks at whether the call was given up: less than a millisecond's.
_PIECE_BYTES = 262_144


@attrs.frozen
class FileVersion:
    """One version of one file: which file it is, its size in bytes, when it was modified and when anything about it
    changed (nanoseconds), and the SHA-256 `digest` of its first `hashed` bytes, as far as they were read.

    Times alone cannot tell two changes that come within one tick of the system's clock.
    """

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    hashed: int
    digest: bytes

    def fits(self, descriptor: int, step: Callable[[], None]) -> bool:
        """Whether an open file is this version still. `step` is called now and then. Raises `OSError`."""
        seen = Seen(descriptor)
        if attrs.evolve(seen.version(), hashed=self.hashed, digest=self.digest) != self:
            return False  # without reading it
        at = 0
        while at < self.hashed:
            step()
            data = os.pread(descriptor, min(_PIECE_BYTES, self.hashed - at), at)
            if not data:
                return False
            seen.feed(data)
            at += len(data)
        return seen.version() == self


class Unread(enum.Enum):
    """There is no version that could be expected."""

    NO_SESSION = "looked for on nobody's behalf"
    NEVER = "never looked for"
    ABSENT = "looked for, and not there"


# What a write may replace: this version and no other; nothing at all; or, if None, whatever is there.
Expected: TypeAlias = FileVersion | Unread | None


class Seen:
    """What is being seen of an open file, from its first byte on. Made before anything is read of it, so that a change
    that comes meanwhile makes another version. Raises `OSError`."""

    def __init__(self, descriptor: int) -> None:
        self._status = os.fstat(descriptor)
        self._hash = hashlib.sha256()
        self._hashed = 0

    def feed(self, data: bytes) -> None:
        """These bytes came next."""
        data = data[: HASHED_BYTES - self._hashed]
        self._hash.update(data)
        self._hashed += len(data)

    def version(self) -> FileVersion:
        """The version that was seen."""
        status = self._status
        return FileVersion(
            device=status.st_dev,
            inode=status.st_ino,
            size=status.st_size,
            modified=status.st_mtime_ns,
            changed=status.st_ctime_ns,
            hashed=self._hashed,
            digest=self._hash.digest(),
        )
