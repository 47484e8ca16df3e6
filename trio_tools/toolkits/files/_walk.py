"""A walk over the files below a directory, which never leaves the root and never needs much memory.

Directories are listed as they come, and each is opened by its names from the top of the walk, one after another and
never through a link: a directory that becomes a link meanwhile is not entered. So a walk holds two or three descriptors
at any depth, and remembers the directories that it has still to visit, not the files.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager

import attrs

from trio_tools.tool import SyncToolContext
from trio_tools.toolkits.files._pattern import Pattern, Positions
from trio_tools.toolkits.files._root import DIRECTORY, HOLD, STAGING, Place
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.values import ToolError

# What version control keeps for itself (F008): many files, none of them anybody's text.
VCS_DIRECTORIES = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", ".sl", "_darcs", "CVS"})

# Directories below one another. No project comes near; opening by names costs as many steps as a directory lies deep.
MAX_DEPTH = 256
# Names between two reports of progress: about every 10 ms, so that a watcher sees life and is not flooded.
PROGRESS_EVERY = 1_000

# It was there when it was listed, and is gone, or something else, by now.
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
# The process is short of something; to leave files out for that would be a lie about what was found.
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


@attrs.frozen
class Entry:
    """A file or link that a walk came by: its `names` from the root, and the entry itself.

    `directory` is a descriptor of the directory that holds it, open until the walk goes on.
    """

    names: tuple[str, ...]
    directory: int
    entry: os.DirEntry[str]


@attrs.define
class Walk:
    """One walk, and what it could not do: `unreadable` files and directories, and directories that lie too `deep`."""

    top: Place
    pattern: Pattern
    ctx: SyncToolContext
    seen: int = 0
    unreadable: int = 0
    deep: int = 0

    def files(self) -> closing[Generator[Entry, None, None]]:
        """The files and links that match, in no order; to be used in a `with`, so that descriptors are given back.

        Links are not followed, version control's directories not entered. Raises what `ctx.check_cancelled` raises,
        and `ToolError` with `SEARCH_FAILED` when the process runs out of descriptors or memory.
        """
        return closing(self._files())

    def notes(self) -> list[str]:
        """What a reader has to know about files that were not looked at."""
        notes: list[str] = []
        if self.unreadable:
            notes.append(f"({self.unreadable:,} files or directories could not be read and were left out.)")
        if self.deep:
            notes.append(f"({self.deep:,} directories lie more than {MAX_DEPTH} levels deep and were left out.)")
        return notes

    def missed(self, error: OSError, names: tuple[str, ...]) -> None:
        """Account for something that could not be opened. Raises `ToolError` if the process, not it, is to blame."""
        if error.errno in _SHORT:
            raise ToolError(
                f"the search stopped at {shown_path(names)}: {error.strerror}. Try again when less is going on.",
                code="SEARCH_FAILED",
            )
        if error.errno not in _GONE:
            self.unreadable += 1

    def _files(self) -> Generator[Entry, None, None]:
        pending: list[tuple[tuple[str, ...], Positions]] = [((), self.pattern.start(self.top.names))]
        while pending:
            below, positions = pending.pop()
            try:
                with self._listed(below) as (directory, entries):
                    for entry in entries:
                        self._beat()
                        if entry.name.startswith(STAGING):
                            continue
                        if not entry.is_dir(follow_symlinks=False):
                            if self.pattern.matches(positions, entry.name):
                                yield Entry((*self.top.names, *below, entry.name), directory, entry)
                        elif inner := self._worth(below, entry.name, positions):
                            pending.append(((*below, entry.name), inner))
            except OSError as error:
                self.missed(error, (*self.top.names, *below))

    def _worth(self, below: tuple[str, ...], name: str, positions: Positions) -> Positions | None:
        """The pattern's positions in a directory, if it is worth going there."""
        inner = None if name in VCS_DIRECTORIES else self.pattern.enter(positions, name)
        if inner and len(below) >= MAX_DEPTH:
            self.deep += 1
            return None
        return inner

    @contextmanager
    def _listed(self, below: tuple[str, ...]) -> Generator[tuple[int, Iterator[os.DirEntry[str]]], None, None]:
        """A directory, by its names from the top: a descriptor and its entries."""
        directory = os.open(".", DIRECTORY if not below else HOLD, dir_fd=self.top.directory)
        try:
            for at, name in enumerate(below, 1):
                inner = os.open(name, DIRECTORY if at == len(below) else HOLD | os.O_DIRECTORY, dir_fd=directory)
                directory, left = inner, directory
                os.close(left)
            with os.scandir(directory) as entries:
                yield directory, entries
        finally:
            os.close(directory)

    def _beat(self) -> None:
        self.ctx.check_cancelled()
        self.seen += 1
        if self.seen % PROGRESS_EVERY == 0:
            self.ctx.report_progress(self.seen, message=f"{self.seen:,} names looked at")
