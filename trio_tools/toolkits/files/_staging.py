"""Where a file has its name for the moment before it replaces another.

A file without a name can be given one that is free, in one step, but not one that is taken: for that it needs a name
of its own first, and is renamed. A process that is killed between the two leaves that name behind. So these names are
in one directory at the top of the root, which is there only while somebody needs it, and where they are found again:
who is in it holds a lock that ends with the process, and who finds nobody else in it removes what lies there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from trio_tools.toolkits.files._root import DIRECTORY, STAGING, Root

# Attempts to enter the directory while others remove it when they leave, and seconds between two: each fails only if
# somebody came in between, who is through in much less unless the machine is very busy.
_ATTEMPTS, _PAUSE_SECONDS = 2_000, 0.001
# Seconds after which a name beside a target is swept: an owner that is alive holds its lock long before.
_OLD_SECONDS = 60.0


def staging_name() -> str:
    """A name that nobody else has."""
    return f"{STAGING}-{secrets.token_hex(16)}"


@contextmanager
def staging(root: Root) -> Generator[int, None, None]:
    """A descriptor of the staging directory, from which nothing is swept meanwhile. At the end whoever is the last
    removes it, and what those who were killed have left in it.

    Raises `OSError` if there can be none that nobody else may write in.
    """
    top = root.enter()
    try:
        held = _entered(top)
        try:
            yield held
        finally:
            _sweep(top, held)
            os.close(held)
    finally:
        os.close(top)


def sweep(root: Root) -> None:
    """Remove what those who were killed have left in the staging directory, unless somebody is in it."""
    top = root.enter()
    try:
        with suppress(OSError):  # mostly it is not there
            held = _opened(top)
            try:
                _sweep(top, held)
            finally:
                os.close(held)
    finally:
        os.close(top)


def sweep_beside(directory: int) -> None:
    """The same for names in a target's own directory, where they are if they cannot be in the staging directory."""
    names: list[str] = []
    with suppress(OSError):  # who may not list it may write in it all the same
        names = os.listdir(directory)
    for name in names:
        if name.startswith(STAGING + "-"):
            with suppress(OSError):
                _remove_if_left(directory, name)


def hold(descriptor: int) -> None:
    """Keep others from sweeping a file, for as long as it is open."""
    with suppress(OSError):  # a file system without locks: nobody there can tell, and so nobody sweeps
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _entered(top: int) -> int:
    for _ in range(_ATTEMPTS):
        with suppress(FileExistsError):
            os.mkdir(STAGING, 0o700, dir_fd=top)
        with suppress(FileNotFoundError, BlockingIOError):  # it was, or is being, removed
            held = _opened(top)
            try:
                fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
                if _is_there(top, held):
                    return held
            except BaseException:
                os.close(held)
                raise
            os.close(held)
        time.sleep(_PAUSE_SECONDS)  # in a worker thread
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), STAGING)


def _opened(top: int) -> int:
    """The staging directory, if it is ours alone."""
    held = os.open(STAGING, DIRECTORY, dir_fd=top)
    status = os.fstat(held)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        os.close(held)
        raise PermissionError(errno.EACCES, "others may write in it", STAGING)
    return held


def _is_there(top: int, held: int) -> bool:
    """Whether the directory that is held is the staging directory still. Raises `OSError` if there is none."""
    return os.path.samestat(os.stat(STAGING, dir_fd=top, follow_symlinks=False), os.fstat(held))


def _sweep(top: int, held: int) -> None:
    """Remove the staging directory and what is in it, unless somebody else is in there. Files of other names, which
    are none of ours, stay, and so does the directory then."""
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_there(top, held):  # it went before we had the lock, and by now somebody may be in a new one
            return
        for name in os.listdir(held):
            if name.startswith(STAGING + "-"):
                os.unlink(name, dir_fd=held)
        os.rmdir(STAGING, dir_fd=top)


def _remove_if_left(directory: int, name: str) -> None:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.time() - os.fstat(descriptor).st_mtime > _OLD_SECONDS:
            os.unlink(name, dir_fd=directory)
    finally:
        os.close(descriptor)
