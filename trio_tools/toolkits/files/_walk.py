"""A walk over the files below a directory, which never leaves the root and never needs much memory.

Directories are listed as they come, and each is opened by its name below one that is held open, never through a link: a
directory that becomes a link meanwhile is not entered. A walk holds a few descriptors at any depth, and remembers the
names of the directories that it has still to visit, not the files.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator
from contextlib import closing
from itertools import islice

import attrs

from trio_tools.tool import SyncToolContext
from trio_tools.toolkits.files._failures import LATER, SHORT
from trio_tools.toolkits.files._pattern import Pattern, Positions
from trio_tools.toolkits.files._root import STAGING, Place, descend
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.values import ToolError

# What version control keeps for itself (F008): many files, none of them anybody's text.
VCS_DIRECTORIES = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", ".sl", "_darcs", "CVS"})

# Bytes of a path from the directory searched, `./` before it, that Linux still opens: PATH_MAX without its NUL. Longer
# ones could be opened step by step; ripgrep does not, and both engines give one answer.
MAX_PATH_BYTES = 4_095
# Descriptors of directories within one another that a walk holds. Few trees are deeper.
MAX_HELD = 16
# Bytes of a directory's path below which no name in it is too long; a name has 255 at most.
MAX_NAME_ROOM = 3_800
# Names between two looks at whether the call was cancelled: less than a millisecond.
BATCH = 250
# Names between two reports of progress: about every 10 ms, so that a watcher sees life and is not flooded.
PROGRESS_EVERY = 1_000

# It was there when it was listed, and is gone, or something else, by now.
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


@attrs.frozen
class Batch:
    """Some files and links of one folder that a walk came by, and the names of that folder, from the root.

    `directory` is a descriptor of the folder, open until the walk goes on.
    """

    folder: tuple[str, ...]
    directory: int
    entries: list[os.DirEntry[str]]


@attrs.define
class Walk:
    """One walk, and how many files and directories it had to leave out (`unreadable`)."""

    top: Place
    pattern: Pattern
    ctx: SyncToolContext
    seen: int = 0
    unreadable: int = 0

    def files(self) -> closing[Generator[Batch, None, None]]:
        """The files and links that match, in no order; to be used in a `with`, so that descriptors are given back.

        Links are not followed, version control's directories not entered. Raises what `ctx.check_cancelled` raises,
        and `ToolError` with `SEARCH_FAILED` when the process runs out of descriptors or memory.
        """
        return closing(self._files())

    def notes(self) -> list[str]:
        """What a reader has to know about files that were not looked at."""
        if not self.unreadable:
            return []
        return [f"({self.unreadable:,} files or directories could not be read and were left out.)"]

    def missed(self, number: int | None, names: tuple[str, ...]) -> None:
        """Account for something that could not be opened, by the number of the error. Raises `ToolError` if the
        process, not it, is to blame."""
        if number in SHORT:  # to leave files out for that would be a lie about what was found
            why = f"{shown_path(names)}: {os.strerror(number or 0)}"
            raise ToolError(f"the search stopped at {why}. {LATER}", code="SEARCH_FAILED")
        if number not in _GONE:
            self.unreadable += 1

    def _files(self) -> Generator[Batch, None, None]:
        folder: _Folder | None = _Folder((), self.pattern.start(self.top.names), len("."))
        pending: list[_Inner] = []
        held = _Held(self.top.directory)
        with closing(held):
            while folder is not None:
                self.ctx.check_cancelled()  # one that is empty has no names to be counted
                try:
                    directory = held.open(folder.below)
                except OSError as error:
                    self.missed(error.errno, (*self.top.names, *folder.below))
                else:
                    inner = _Inner(folder, self.pattern.entrance(folder.positions))
                    pending.append(inner)
                    yield from self._listed(folder, directory, inner)
                folder = self._next(pending)

    def _next(self, pending: list[_Inner]) -> _Folder | None:
        """The directory to be visited next; None if there is none left."""
        while pending:
            name = pending[-1].pop()
            if name is None:
                pending.pop()
                continue
            folder = pending[-1].folder
            positions = pending[-1].entrance(name)
            return _Folder((*folder.below, name), positions, folder.length + 1 + len(os.fsencode(name)))
        return None

    def _listed(self, folder: _Folder, directory: int, inner: _Inner) -> Generator[Batch, None, None]:
        """The matching files of a directory. Those directories in it that are worth entering are noted in `inner`."""
        names = (*self.top.names, *folder.below)
        fits = self.pattern.matcher(folder.positions)
        try:
            with os.scandir(directory) as entries:
                while some := list(islice(entries, BATCH)):
                    self._beat(len(some))
                    files: list[os.DirEntry[str]] = []
                    for one in some:
                        if one.is_dir(follow_symlinks=False):
                            if self._is_worth(inner, one.name):
                                inner.push(one.name)
                        elif fits(one.name) and not one.name.startswith(STAGING):
                            files.append(one)
                    if folder.length > MAX_NAME_ROOM:
                        files = self._short_enough(folder, files)
                    if files:
                        yield Batch(names, directory, files)
        except OSError as error:
            self.missed(error.errno, names)

    def _short_enough(self, folder: _Folder, files: list[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
        short = [one for one in files if not folder.beyond(one.name)]
        self.unreadable += len(files) - len(short)
        return short

    def _is_worth(self, inner: _Inner, name: str) -> bool:
        """Whether a directory can hold a match, and what is in it can be opened."""
        if name in VCS_DIRECTORIES or name.startswith(STAGING) or not inner.entrance(name):
            return False
        if inner.folder.beyond(name):
            self.unreadable += 1
            return False
        return True

    def _beat(self, count: int) -> None:
        self.ctx.check_cancelled()
        before, self.seen = self.seen, self.seen + count
        if self.seen // PROGRESS_EVERY > before // PROGRESS_EVERY:
            self.ctx.report_progress(self.seen, message=f"{self.seen:,} names looked at")


@attrs.frozen
class _Folder:
    """A directory to be visited: its names below the top, the pattern's positions in it, its path's length in bytes."""

    below: tuple[str, ...]
    positions: Positions
    length: int

    def beyond(self, name: str) -> bool:
        """Whether the path of something in it is too long to be opened."""
        return self.length + 1 + len(os.fsencode(name)) > MAX_PATH_BYTES


@attrs.define
class _Inner:
    """The directories in a folder that are still to be visited, of which there may be a million: only their names are
    kept, one behind the other, each behind a slash."""

    folder: _Folder
    entrance: Callable[[str], Positions]
    names: bytearray = attrs.field(factory=bytearray)

    def push(self, name: str) -> None:
        self.names += b"/" + os.fsencode(name)

    def pop(self) -> str | None:
        """The name noted last, which is forgotten; None if there is none left."""
        start = self.names.rfind(b"/")
        if start < 0:
            return None
        name = bytes(self.names[start + 1 :])
        del self.names[start:]
        return os.fsdecode(name)


@attrs.frozen
class _Held:
    """Descriptors of the directory listed last, and of those above it: the next one mostly lies in one of them."""

    top: int
    folders: list[tuple[tuple[str, ...], int]] = attrs.field(factory=list[tuple[tuple[str, ...], int]])

    def open(self, below: tuple[str, ...]) -> int:
        """A descriptor of a directory, by its names from the top; good until the next one is asked for."""
        while self.folders and below[: len(self.folders[-1][0])] != self.folders[-1][0]:
            os.close(self.folders.pop()[1])
        names, directory = self.folders[-1] if self.folders else ((), self.top)
        opened = descend(directory, below[len(names) :])
        if len(self.folders) == MAX_HELD:
            os.close(self.folders.pop()[1])
        self.folders.append((below, opened))
        return opened

    def close(self) -> None:
        while self.folders:
            os.close(self.folders.pop()[1])
