"""One process writes a journal. A file beside it is locked for as long as it does, and says who.

The journal's own file will not do: closing any descriptor of it drops the locks that SQLite holds on it. The file
stays when the lock is given up, since whoever removed it might remove another's.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from weakref import WeakSet

from trio_tools.journal._errors import JournalError

if sys.platform != "win32":
    import fcntl

# Bytes that are read of a lock's file. A process id is of a few digits.
_PID_BYTES = 32


class Lock:
    """Held from the beginning until `release`, or until the process ends, however it does.

    Argument: `path` of the journal. Raises `JournalError` naming the process that holds it, or saying why it cannot be
    held at all.
    """

    def __init__(self, path: str) -> None:
        self._descriptor: int | None = _locked(path, f"{path}.lock")
        _held.add(self)

    def release(self) -> None:
        """Let others write the journal. Twice is as good as once."""
        descriptor, self._descriptor = self._descriptor, None
        _held.discard(self)
        if descriptor is not None:
            os.close(descriptor)


_held: WeakSet[Lock] = WeakSet()


def _let_go() -> None:
    """In a forked child: a lock is held as long as any copy of its descriptor is open, and the child may outlive its
    parent. Closing the copy takes nothing from the parent."""
    for lock in list(_held):
        lock.release()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_let_go)


def _locked(path: str, beside: str) -> int:
    if sys.platform == "win32":
        raise JournalError(f"journal {path} cannot be written on this platform: no lock here ends with its process")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(f"journal {path} cannot be locked: {beside}: {error.strerror}") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:  # of whose it is nothing is to be overwritten
        os.close(descriptor)
        raise JournalError(
            f"journal {path} cannot be locked: {beside} is not a plain file of its own, but something else or a hard "
            "link; move it away"
        )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder(descriptor)
        os.close(descriptor)
        raise JournalError(
            f"journal {path} is being written by {holder}; one process at a time writes a journal: "
            "let it end, or only read"
        ) from None
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"journal {path} cannot be locked: {beside}: {error.strerror}") from error
    # who it is helps a person only: a disk that is full must not keep anybody from the lock
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, 0o600)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _holder(descriptor: int) -> str:
    try:
        pid = int(os.pread(descriptor, _PID_BYTES, 0))
    except (OSError, ValueError):
        return "another process"
    return "this process already" if pid == os.getpid() else f"process {pid}"
