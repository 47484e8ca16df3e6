"""A file's new bytes: whole and on disk before they have a name, and published in one step.

Where the file system can, they are in a file without a name, which is gone when the process is. A name that is free is
linked to it, which never replaces anything. To replace a file it is linked to a name of its own for the moment
(`_staging.py`), and renamed. Elsewhere it has such a name from the start.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress

import attrs

from trio_tools.toolkits.files._failures import not_observed, not_regular, stale
from trio_tools.toolkits.files._root import DIRECTORY, Root, Target
from trio_tools.toolkits.files._staging import hold, staging, staging_name, sweep_beside
from trio_tools.toolkits.files._text import regular_file
from trio_tools.toolkits.files._version import Expected, FileVersion, Seen, Unread

# Bytes written between two looks at whether the call was given up.
_PIECE_BYTES = 1_048_576
# The file system has no files without a name, or they could not be given one since /proc is not there.
_NO_NAMELESS = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})
_STAGED = os.O_RDWR | os.O_CLOEXEC


# The permissions of a file that is new, before the process's umask, and of one until it has those of the file before.
_NEW, _PRIVATE = 0o666, 0o600


def nothing() -> None:
    """There is nothing to be done between two steps."""


def current(target: Target, expected: Expected, step: Callable[[], None]) -> os.stat_result | None:
    """What a write would replace; None if nothing. `step` is called now and then.

    Raises `ToolError` with `FS_NOT_OBSERVED`, `FS_STALE_VERSION`, or `FS_NOT_REGULAR_FILE`, and `OSError`.
    """
    try:
        with holder(target) as directory:
            return _checked(target, directory, expected, step)
    except FileNotFoundError:  # a directory on the way to it
        if isinstance(expected, FileVersion):
            raise stale(target.given) from None
        return None


@contextmanager
def holder(target: Target) -> Generator[int, None, None]:
    """A descriptor of the directory that holds a file, if it is there by now. Raises `OSError` if not."""
    here = os.open(".", DIRECTORY, dir_fd=target.directory)
    try:
        for name in target.below[:-1]:
            here, left = os.open(name, DIRECTORY, dir_fd=here), here
            os.close(left)
        yield here
    finally:
        os.close(here)


def _checked(target: Target, directory: int, expected: Expected, step: Callable[[], None]) -> os.stat_result | None:
    name = target.below[-1]
    status = status_of(target, directory)
    if isinstance(expected, FileVersion):
        if status is None:
            raise stale(target.given)
        with regular_file(directory, name, path=target.given) as there:
            if not expected.fits(there, step):
                raise stale(target.given)
            status = os.fstat(there)
    elif expected is not None and status is not None:
        if expected is Unread.ABSENT:
            raise stale(target.given)
        raise not_observed(target.given, in_session=expected is Unread.NEVER)
    if status is not None and not os.access(
        name, os.W_OK, dir_fd=directory, effective_ids=True, follow_symlinks=False
    ):  # a rename would not ask
        raise PermissionError(errno.EACCES, "it is write-protected", target.given)
    return status


def status_of(target: Target, directory: int) -> os.stat_result | None:
    """What has the file's name now; None if nothing has. Raises `ToolError` with `FS_NOT_REGULAR_FILE`, `OSError`."""
    try:
        status = os.stat(target.below[-1], dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise not_regular(target.given, status.st_mode)
    return status


@attrs.define
class Staged:
    """Bytes that are to be a file: whole, on disk, and published by nobody yet. To be closed.

    `named` is the directory and the name that they have already, on file systems where they must have one; `places`,
    what has to be left then. `sha256` is of `data`, in hexadecimal.
    """

    root: Root
    target: Target
    data: bytes
    expected: Expected
    sha256: str
    descriptor: int
    named: tuple[int, str] | None
    places: ExitStack

    def publish(self) -> bool:
        """Give them the file's name, in one step. Whether the file is new; else the one before was replaced.

        Raises `ToolError` and `OSError` as `stage` does; then the file, and the directories on its way, are as they
        were. What comes after the one step cannot fail.
        """
        name = self.target.below[-1]
        with _made(self.target) as directory:
            # what has a name of its own already, and may replace anything, is renamed
            is_free = status_of(self.target, directory) is None
            if is_free and not isinstance(self.expected, FileVersion) and not (self.named and self.expected is None):
                with suppress(FileExistsError):  # by now it is not
                    self._link(name, directory)
                    return True
            with self._name(directory) as (place, own):
                status = _checked(self.target, directory, self.expected, nothing)
                if status is None and self.expected is not None:  # come and gone: to be created, and nothing else
                    self._link(name, directory)
                    return True
                if status is not None:
                    _dress(self.descriptor, status)
                os.rename(own, name, src_dir_fd=place, dst_dir_fd=directory)
                return status is None

    def version(self) -> FileVersion:
        """The version that was published."""
        seen = Seen(self.descriptor)
        seen.feed(self.data)
        return seen.version()

    def close(self) -> None:
        """Give up what was not published, and all descriptors."""
        os.close(self.descriptor)
        self.places.close()

    def _link(self, name: str, directory: int) -> None:
        if self.named is None:
            os.link(f"/proc/self/fd/{self.descriptor}", name, dst_dir_fd=directory, follow_symlinks=True)
        else:
            place, own = self.named
            os.link(own, name, src_dir_fd=place, dst_dir_fd=directory, follow_symlinks=False)
            _unlink(own, place)  # now, since it makes another version

    @contextmanager
    def _name(self, directory: int) -> Generator[tuple[int, str], None, None]:
        """A directory, and the name that they have there."""
        if self.named is not None:
            yield self.named
            return
        own = staging_name()
        with ExitStack() as places:
            try:
                place = places.enter_context(staging(self.root))
                self._link(own, place)
            except OSError:  # it cannot be made, or the target is on another file system
                place = directory
                sweep_beside(place)
                hold(self.descriptor)
                self._link(own, place)
            places.callback(_unlink, own, place)
            yield place, own


def stage(root: Root, target: Target, data: bytes, expected: Expected, step: Callable[[], None]) -> Staged:
    """Make a file of these bytes that can be published, if the one that is there is as `expected`.

    Raises `ToolError` with `FS_NOT_OBSERVED`, `FS_STALE_VERSION` or `FS_NOT_REGULAR_FILE`, `OSError`, and what `step`
    raises, which is called between pieces.
    """
    status = current(target, expected, step)
    mode = _NEW if status is None else _PRIVATE
    with ExitStack() as places:
        descriptor, named = _opened(root, target, mode, places)
        try:
            digest = hashlib.sha256()
            for start in range(0, len(data), _PIECE_BYTES):
                step()
                piece = memoryview(data)[start : start + _PIECE_BYTES]
                digest.update(piece)
                while piece:
                    piece = piece[os.write(descriptor, piece) :]
            if status is not None:
                _dress(descriptor, status)
            os.fsync(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return Staged(root, target, data, expected, digest.hexdigest(), descriptor, named, places.pop_all())


def _opened(root: Root, target: Target, mode: int, places: ExitStack) -> tuple[int, tuple[int, str] | None]:
    """A new file, without a name if that can be; else where it has one, until `places` are left."""
    if os.path.isdir("/proc/self/fd"):  # by which it is given a name later
        try:
            return os.open(".", os.O_TMPFILE | _STAGED, mode, dir_fd=target.directory), None
        except OSError as error:
            if error.errno not in _NO_NAMELESS:
                raise
    place, own = target.directory, staging_name()
    try:
        place = _shared(root, target, places)
    except OSError:
        sweep_beside(place)
    descriptor = os.open(own, os.O_CREAT | os.O_EXCL | _STAGED, mode, dir_fd=place)
    places.callback(_unlink, own, place)
    hold(descriptor)
    return descriptor, (place, own)


def _shared(root: Root, target: Target, places: ExitStack) -> int:
    """The staging directory, if files can be renamed from there. Raises `OSError` if not."""
    place = places.enter_context(staging(root))
    if os.fstat(place).st_dev != os.fstat(target.directory).st_dev:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return place


def _unlink(name: str, directory: int) -> None:
    with suppress(OSError):  # it was renamed
        os.unlink(name, dir_fd=directory)


def _dress(descriptor: int, status: os.stat_result) -> None:
    """Give a file the owner and the permissions of the one that it replaces, as far as we may.

    Who may not give a file away owns it then. Where the group is another one, it gets no more than anybody has. Bits
    that let a program run as its owner go, as they do on any write.
    """
    for owner in (status.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(descriptor, owner, status.st_gid)
            break
    mode = status.st_mode & 0o777
    if os.fstat(descriptor).st_gid != status.st_gid:
        mode = mode & 0o707 | (mode & 0o007) << 3
    os.fchmod(descriptor, mode)


@contextmanager
def _made(target: Target) -> Generator[int, None, None]:
    """A descriptor of the directory that is to hold the file; those on its way are made, and removed if it fails."""
    made: list[tuple[int, str]] = []
    with ExitStack() as opened:
        try:
            here = os.open(".", DIRECTORY, dir_fd=target.directory)
            opened.callback(os.close, here)
            for name in target.below[:-1]:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=here)
                    made.append((here, name))
                here = os.open(name, DIRECTORY, dir_fd=here)
                opened.callback(os.close, here)
            yield here
        except BaseException:
            for parent, name in reversed(made):
                with suppress(OSError):
                    os.rmdir(name, dir_fd=parent)
            raise
        for directory in (here, *(parent for parent, _ in made)):
            with suppress(OSError):  # the file is published; some file systems have no such sync
                os.fsync(directory)
