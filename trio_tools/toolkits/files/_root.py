"""The root directory: a boundary that the operating system keeps, not a comparison of strings.

A path is walked one name at a time, each opened below the descriptor of the one before and never through a link
(`O_NOFOLLOW`). Links are read from a descriptor of the link itself and walked by the same rule, so a link that is
swapped in between two steps is met as a link and never followed unseen. `..` is never asked of the system, which would
answer for wherever a directory has been moved to: it drops the last name walked, and the rest is walked anew from the
root. The descriptor of the root is held open, so that nothing done to the root's own path moves the boundary.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs

from trio_tools.toolkits.files._failures import failed, link_loop, missing, not_regular, outside, reserved
from trio_tools.toolkits.files._shown import shown
from trio_tools.values import ToolError

# To read a directory. Every flag set here also asks that a link in the last place is refused, not followed.
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# To hold a thing without opening it: no permission to read is needed, no device or pipe wakes up.
HOLD = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC

# The one name in a root that is the toolkit's own: of the directory, at its top, in which a file that replaces another
# has its name for a moment, and what the name of such a file begins with. No path and no search leads there.
STAGING = ".trio-tools-staging"

# Links in one path. Linux itself allows 40.
MAX_LINKS = 40
# Names walked for one path. PATH_MAX (4,096 bytes) has room for 2,048; links and `..` walk names anew.
MAX_STEPS = 8_192


def parts_of(path: str) -> list[str]:
    """The names in a path, without the empty ones and `.`; a last `.` stays if it, or a slash, asks for a folder."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return [*parts, "."] if path.endswith(("/", "/.")) else parts


def descend(directory: int, names: Sequence[str], *, flags: int = DIRECTORY) -> int:
    """A new descriptor of the directory that these names lead to from another, one by one and never through a link.

    `flags` are those for the last of them. The caller closes it. Raises `OSError`.
    """
    here = directory
    for at, name in enumerate(names or (".",), 1):
        held = os.O_DIRECTORY | HOLD if at < len(names) else flags
        try:
            inner = os.open(name, held, dir_fd=here)
        finally:
            if here != directory:
                os.close(here)
        here = inner
    return here


@attrs.frozen
class Place:
    """Where a path led: `names` from the root, and `mode`, the type of what is there.

    `directory` is a descriptor: of the place itself if it is a directory, else of the directory that holds it under
    the last of `names`. It is open until `Root.locate` is left.
    """

    names: tuple[str, ...]
    directory: int
    mode: int

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_regular(self) -> bool:
        return stat.S_ISREG(self.mode)


@attrs.frozen
class Target:
    """Where a file is, or would be: `above`, the names of a directory that is there, and `below`, those from it to the
    file. If there are several, the first did not exist when the path was walked.

    `directory` is a descriptor of the one that is there, `given` the path as a model wrote it.
    """

    given: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    directory: int

    @property
    def path(self) -> str:
        """Its path below the root, without links."""
        return "/".join((*self.above, *self.below))

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.directory)


class Root:
    """One directory and what lies in it. Use it as a context manager, or `close` it; calls may come from any thread.

    Arguments: `path` of the directory, which may itself be a link. Raises `OSError` if it is not a directory that can
    be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = str(path.absolute())
        self._lock = threading.Lock()
        # an absolute path may name the root as it was given or as it really is
        self._prefixes = (parts_of(self.path.rstrip("/")), parts_of(os.path.realpath(self.path).rstrip("/")))
        try:
            self._descriptor: int | None = os.open(self.path, DIRECTORY & ~os.O_NOFOLLOW)
        except OSError as error:
            why = f"the root of the files toolkit cannot be opened as a directory: {error.strerror}"
            raise OSError(error.errno, why, self.path) from None

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back. Later calls fail; those that are on their way keep descriptors of their own."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def enter(self) -> int:
        """A new descriptor of the root, the caller's to close. Raises `ToolError` if the root is closed or removed."""
        with self._lock:  # a descriptor closed meanwhile could be another directory's by now
            if self._descriptor is None:
                raise ToolError("the files toolkit has been closed; nothing can be read any more", code="FS_FAILED")
            if os.fstat(self._descriptor).st_nlink == 0:
                raise ToolError(
                    f"the root directory {shown(self.path)} has been removed; the files toolkit has to be opened anew",
                    code="FS_FAILED",
                )
            try:
                return os.open(".", DIRECTORY, dir_fd=self._descriptor)
            except OSError as error:
                raise failed(self.path, error) from None

    def inside(self, parts: Sequence[str]) -> list[str] | None:
        """What the parts of an absolute path are below the root; None if they do not begin with the root's."""
        for prefix in self._prefixes:
            if list(parts[: len(prefix)]) == prefix:
                return list(parts[len(prefix) :])
        return None

    @contextmanager
    def locate(self, path: str) -> Generator[Place, None, None]:
        """Walk a path, relative to the root or absolute inside it, and hold where it led.

        Raises `ToolError`: `FS_OUTSIDE_ROOT` if it leads outside, wherever and by whatever link; `FS_NOT_FOUND` if
        nothing is there; `FS_LINK_LOOP` for too many links; `FS_FAILED` for what else the system answers.
        """
        walk = _PathWalk(self, path, self.enter())
        try:
            yield _answered(walk)
        finally:
            os.close(walk.here)

    def aim(self, path: str) -> Target:
        """Walk a path as `locate` does to a regular file, or to where one can be made. The caller closes the target.

        Raises as that does, `FS_NOT_REGULAR_FILE` for what is none; and `OSError`, and `ValueError` for a path that no
        file can have.
        """
        walk = _PathWalk(self, path, self.enter())
        try:
            return walk.aim()
        except BaseException:
            os.close(walk.here)
            raise


@attrs.define
class _PathWalk:
    """One path on its way: `here` is the descriptor of the directory reached, `names` how it is reached."""

    root: Root
    path: str
    here: int
    names: list[str] = attrs.field(factory=list[str])
    pending: deque[str] = attrs.field(factory=deque[str])
    links: int = 0

    def run(self) -> Place:
        self.head_for(self.path)
        for _ in range(MAX_STEPS):
            if not self.pending:
                return Place(tuple(self.names), self.here, stat.S_IFDIR)
            name = self.pending.popleft()
            if name == "..":
                self.climb()
            elif name != "." and (mode := self.step(name)) is not None:
                return Place((*self.names, name), self.here, mode)
        raise link_loop(self.path)

    def aim(self) -> Target:
        try:
            place = self.run()
        except FileNotFoundError:
            below = tuple(self.pending)
            if "." in below or ".." in below:
                raise missing(self.path) from None
            if any(name.startswith(STAGING) for name in below):
                raise reserved(self.path) from None
            if any(b"\0" in os.fsencode(name) for name in below):  # no system call has refused these
                raise ValueError("embedded null byte") from None
            return Target(self.path, tuple(self.names), below, self.here)
        if not place.is_regular:
            raise not_regular(self.path, place.mode)
        return Target(self.path, place.names[:-1], place.names[-1:], self.here)

    def head_for(self, target: str) -> None:
        """Put a path, or a link's target, in front of what is still to be walked."""
        parts: list[str] | None = parts_of(target)
        if target.startswith("/"):
            parts = self.root.inside(parts or [])
            if parts is None:
                raise outside(self.path, self.root.path)
            self.restart([])
        self.pending.extendleft(reversed(parts or []))

    def climb(self) -> None:
        if not self.names:
            raise outside(self.path, self.root.path)
        self.restart(self.names[:-1])

    def restart(self, names: list[str]) -> None:
        """Stand at the root again, with these names to be walked first."""
        left, self.here = self.here, self.root.enter()
        os.close(left)
        self.names.clear()
        self.pending.extendleft(reversed(names))

    def step(self, name: str) -> int | None:
        """Go one name further. Gives the type of what ends the path, None while there are directories and links."""
        if name.startswith(STAGING):
            raise reserved(self.path)
        try:
            held = os.open(name, HOLD, dir_fd=self.here)
        except FileNotFoundError:
            self.pending.appendleft(name)  # what is missing is still to be walked
            raise
        try:
            mode = os.fstat(held).st_mode
            if stat.S_ISDIR(mode):
                held, self.here = self.here, held  # the one that was left is closed below
                self.names.append(name)
                return None
            if stat.S_ISLNK(mode):
                self.follow(os.readlink("", dir_fd=held))
                return None
        finally:
            os.close(held)
        if self.pending:  # a file, and the path goes on below it
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        return mode

    def follow(self, target: str) -> None:
        self.links += 1
        if self.links > MAX_LINKS:
            raise link_loop(self.path)
        self.head_for(target)


def _answered(walk: _PathWalk) -> Place:
    try:
        return walk.run()
    except OSError as error:
        raise failed(walk.path, error) from None
    except ValueError:  # a NUL, or what the file system's encoding lacks: no file has such a name
        raise missing(walk.path) from None
