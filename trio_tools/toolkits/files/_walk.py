"""A walk over the files below a directory, which never leaves the root and never needs much memory.

Directories are listed as they come, and each is opened from the one before or by its names from the top of the walk,
one after another and never through a link: a directory that becomes a link meanwhile is not entered. So a walk holds
two or three descriptors at any depth, and remembers the directories that it has still to visit, not the files.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import ExitStack, closing

import attrs

from trio_tools.tool import SyncToolContext
from trio_tools.toolkits.files._pattern import Pattern, Positions
from trio_tools.toolkits.files._root import Place, descend
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.values import ToolError

# What version control keeps for itself (F008): many files, none of them anybody's text.
VCS_DIRECTORIES = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", ".sl", "_darcs", "CVS"})

# Bytes of a path from the directory searched, `./` before it, that Linux still opens: PATH_MAX without its NUL. Longer
# ones could be opened step by step; ripgrep does not, and both engines give one answer.
MAX_PATH_BYTES = 4_095
# Bytes of a directory's path below which no name in it is too long; a name has 255 at most.
MAX_NAME_ROOM = 3_800
# Names between two reports of progress: about every 10 ms, so that a watcher sees life and is not flooded.
PROGRESS_EVERY = 1_000

# It was there when it was listed, and is gone, or something else, by now.
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
# The process is short of something; to leave files out for that would be a lie about what was found.
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


@attrs.frozen
class Entry:
    """A file or link that a walk came by: the entry itself, and the names of the `folder` that holds it, from the root.

    `directory` is a descriptor of the folder, open until the walk goes on.
    """

    folder: tuple[str, ...]
    directory: int
    entry: os.DirEntry[str]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.folder, self.entry.name)


@attrs.define
class Walk:
    """One walk, and how many files and directories it had to leave out (`unreadable`)."""

    top: Place
    pattern: Pattern
    ctx: SyncToolContext
    seen: int = 0
    unreadable: int = 0

    def files(self) -> closing[Generator[Entry, None, None]]:
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
        if number in _SHORT:
            why = f"{shown_path(names)}: {os.strerror(number or 0)}"
            raise ToolError(f"the search stopped at {why}. Try again when less is going on.", code="SEARCH_FAILED")
        if number not in _GONE:
            self.unreadable += 1

    def _files(self) -> Generator[Entry, None, None]:
        pending: list[_Folder] = [_Folder((), self.pattern.start(self.top.names), len("."))]
        with ExitStack() as last:
            above: tuple[tuple[str, ...], int] | None = None  # the last directory listed; mostly the next one's parent
            while pending:
                folder = pending.pop()
                try:
                    directory = self._opened(folder.below, above)
                except OSError as error:
                    self.missed(error.errno, (*self.top.names, *folder.below))
                    continue
                last.close()
                last.callback(os.close, directory)
                above = folder.below, directory
                yield from self._listed(folder, directory, pending)

    def _opened(self, below: tuple[str, ...], above: tuple[tuple[str, ...], int] | None) -> int:
        if above is not None and below[:-1] == above[0]:
            return descend(above[1], below[-1:])
        return descend(self.top.directory, below)

    def _listed(self, folder: _Folder, directory: int, pending: list[_Folder]) -> Generator[Entry, None, None]:
        """The matching files of a directory; those that it holds and that are worth entering become pending."""
        names = (*self.top.names, *folder.below)
        fits = self.pattern.matcher(folder.positions)
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self._beat()
                    if entry.is_dir(follow_symlinks=False):
                        if inner := self._worth(folder, entry.name):
                            pending.append(inner)
                    elif fits(entry.name):
                        if folder.length > MAX_NAME_ROOM and folder.beyond(entry.name):
                            self.unreadable += 1
                        else:
                            yield Entry(names, directory, entry)
        except OSError as error:
            self.missed(error.errno, names)

    def _worth(self, folder: _Folder, name: str) -> _Folder | None:
        """A directory, if it is worth going there."""
        inner = None if name in VCS_DIRECTORIES else self.pattern.enter(folder.positions, name)
        if not inner:
            return None
        if folder.beyond(name):
            self.unreadable += 1
            return None
        return _Folder((*folder.below, name), inner, folder.length + 1 + len(os.fsencode(name)))

    def _beat(self) -> None:
        self.ctx.check_cancelled()
        self.seen += 1
        if self.seen % PROGRESS_EVERY == 0:
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
