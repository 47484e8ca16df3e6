"""What is kept of one stream: its tail in memory, and a file that has it from the start once it no longer fits.

Memory is bounded by the limit and one read, whatever a command writes. Nothing in here knows of Trio; what touches the
disk blocks, and is run in a thread by the stream that owns it.
"""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from pathlib import Path

import attrs

# Bytes of randomness in a file's name: no other process can guess it and be there first.
NAME_BYTES = 16
PRIVATE = 0o600  # nobody else reads what a command printed


class Tail:
    """The last `limit` bytes of a stream."""

    __slots__ = ("_held", "_limit", "total")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self.total = 0

    def add(self, data: bytes) -> bytes:
        """Take what was read. Returns what a file of the whole stream lacks: nothing, as long as all of it is held."""
        fitted = self.total <= self._limit
        self.total += len(data)
        self._held += data
        if self.total <= self._limit:
            return b""
        lacking = bytes(self._held) if fitted else data
        del self._held[: len(self._held) - self._limit]
        return lacking

    def kept(self) -> bytes:
        """The tail: all of the stream if that is exactly `limit` bytes or less."""
        return bytes(self._held)


@attrs.frozen(kw_only=True)
class Captured:
    """What came of a stream: the tail that was `kept` of `total` bytes, and the file with its first `spilled` ones.

    `path` is None if nothing was dropped, or if the file could not be written.
    """

    kept: bytes
    total: int
    path: str | None = None
    spilled: int = 0

    @property
    def dropped(self) -> int:
        """Bytes that were dropped from the front."""
        return self.total - len(self.kept)


@attrs.frozen
class Kept:
    """Where a stream is kept: its end, and the file for all of it."""

    tail: Tail
    spill: SpillFile


class SpillFolder:
    """Where the files lie, in `path` or, if that is None, nowhere, and how many bytes they may have together: `limit`.

    Their writers are threads, so what is left is taken under a lock, which nobody holds for longer than that.
    """

    def __init__(self, path: Path | None, limit: int) -> None:
        self.path = path
        self._left = limit
        self._lock = threading.Lock()

    def take(self, most: int) -> int:
        """How many of so many bytes may be written. They are, or are given back."""
        with self._lock:
            taken = min(most, self._left)
            self._left -= taken
        return taken

    def give_back(self, count: int) -> None:
        """So many bytes that were taken are not there any more."""
        with self._lock:
            self._left += count


class SpillFile:
    """A private file in `folder`, made by the first write, of at most `limit` bytes. It never raises `OSError`:

    a file that cannot be written is removed, and `path` stays None. Every method blocks.
    """

    def __init__(self, folder: SpillFolder, limit: int) -> None:
        self._folder = folder
        self._place = None if folder.path is None else folder.path / secrets.token_hex(NAME_BYTES)
        self._limit = limit
        self._taken = 0  # of what all files may have
        self._fd: int | None = None
        self._failed = folder.path is None
        self.path: Path | None = None
        self.written = 0

    @property
    def place(self) -> Path | None:
        """Where it is, or will be once there is something to write; None if it cannot be written."""
        return None if self._failed else self._place

    @property
    def is_open(self) -> bool:
        """Whether there is something to close."""
        return self._fd is not None

    @property
    def is_full(self) -> bool:
        """Whether no more is written: the limit is reached, or the file cannot be written."""
        return self._failed or self.written >= self._limit

    def write(self, data: bytes) -> None:
        """Append `data`, as far as the limit allows, and that of all files together: what finds no more room there is
        full for good, so that it has the first bytes of the stream and no others."""
        room = memoryview(data)[: self._limit - self.written]
        if self._failed or not room:
            return
        taken = self._folder.take(len(room))
        self._taken += taken
        if taken < len(room):
            self._limit, room = self._taken, room[:taken]
            self._failed = not self._limit
        if not room:
            return
        try:
            fd = self._open() if self._fd is None else self._fd
            while room:
                count = os.write(fd, room)
                self.written += count
                room = room[count:]
        except OSError:
            self._give_up()

    def close(self) -> None:
        """Close the file; if that fails its content cannot be trusted, and the path is withheld."""
        if self._fd is None:
            return
        fd, self._fd = self._fd, None
        try:
            os.close(fd)
        except OSError:
            self._give_up()

    def _open(self) -> int:
        if self._place is None:
            raise FileNotFoundError("no folder for spilled output")
        self._fd = os.open(self._place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE)
        self.path = self._place
        return self._fd

    def _give_up(self) -> None:
        """Leave nothing behind: a full disk is the likeliest reason to be here."""
        fd, self._fd = self._fd, None
        path, self.path = self.path, None
        self._failed = True
        if fd is not None:
            with suppress(OSError):
                os.close(fd)
        if path is not None:
            with suppress(OSError):
                path.unlink()
        self._folder.give_back(self._taken)
        self._taken = 0
