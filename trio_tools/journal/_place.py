"""Where a journal is to be: what stands there, and what SQLite is not shown."""

from __future__ import annotations

import contextlib
import os
import stat

from trio_tools.journal._errors import JournalError


def absolute(path: str | os.PathLike[str]) -> str:
    """The path as it holds from now on, also if the program changes its working directory."""
    return os.path.abspath(path)


def look(path: str) -> int | None:
    """Bytes of the file there, None if nothing is there. Nothing is opened.

    Raises `JournalError` for a folder that does not exist, and for what is not a plain file.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        folder = os.path.dirname(path) or "."
        if os.path.isdir(folder):
            return None
        raise JournalError(f"journal {path} cannot be opened: there is no folder {folder}; make it first") from None
    except (OSError, ValueError) as error:
        raise JournalError(f"journal {path} cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise JournalError(f"journal {path} cannot be opened: it is {_kind(found.st_mode)}, not a plain file")
    _look_beside(path)
    return found.st_size


def _look_beside(path: str) -> None:
    """At what SQLite would open as well: a pipe there would keep it waiting for ever."""
    for end in ("-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            mode = os.lstat(f"{path}{end}").st_mode
            if not stat.S_ISREG(mode):
                raise JournalError(f"journal {path} cannot be opened: {path}{end} is {_kind(mode)}, not a plain file")


def check_single(path: str) -> None:
    """Raise `JournalError` for a file that has another name as well: what SQLite puts beside a file, and the lock, go
    by the name, and who opens it by the other one writes over it all."""
    names = os.lstat(path).st_nlink
    if names > 1:
        raise JournalError(
            f"journal {path} cannot be opened: the file has {names} names (hard links), and would be written by each; "
            "remove all of them but one"
        )


def identity(path: str) -> tuple[int, int] | None:
    """Which file stands there, whatever it is called; None if none does. While it is open no other one is the same."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def make(path: str) -> None:
    """Make the empty file, for its owner only, whatever the umask: what SQLite puts beside it is as closed as it is.

    Raises `JournalError` if it cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(f"journal {path} cannot be made: {error.strerror}") from error
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in kinds if test(mode)), "something else")
