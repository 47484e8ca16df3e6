"""`glob`: the files whose path matches a pattern, the newest first."""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterable

import attrs

from trio_tools.tool import SyncToolContext, Tool, tool
from trio_tools.toolkits.files._failures import not_directory
from trio_tools.toolkits.files._pattern import compile_pattern
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.toolkits.files._walk import Entry, Walk
from trio_tools.values import ToolError

# Files shown (F008). Who needs more has to say more exactly what is meant.
MAX_FILES = 100


def glob_tool(root: Root, *, timeout: float) -> Tool:
    """The tool `glob`, for the files below a root. `timeout` is its budget in seconds (T031)."""

    @tool(read_only=True, idempotent=True, timeout=timeout)
    def glob(pattern: str, path: str = ".", *, ctx: SyncToolContext) -> str:
        """Find files by a glob pattern, the newest first. Hidden and ignored files are included.

        `*` and `?` match within a name, `**` matches any number of directories, `[a-z]` one character, `{a,b}` either.
        `*.py` finds files in the directory itself, `**/*.py` also those in directories below it. Linked directories
        are not entered, version control's own are left out.

        Args:
            pattern: What to find, relative to path, such as `src/**/*.py`.
            path: The directory to search, relative to the root directory, or absolute inside it.
        """
        compiled = compile_pattern(pattern, root.inside)
        with root.locate(path) as top:
            if not top.is_directory:
                raise not_directory(path)
            walk = Walk(top, compiled, ctx)
            with walk.files() as entries:
                return _listing(entries, root, walk)

    return glob


@attrs.frozen
class _Dated:
    """A file and when it was modified, in nanoseconds. The greater, the newer; of the same age, the earlier by name."""

    modified: int
    entry: Entry

    def name(self) -> str:
        return shown_path(self.entry.names)

    def __lt__(self, other: _Dated) -> bool:
        if self.modified != other.modified:
            return self.modified < other.modified
        return self.name() > other.name()


def _listing(entries: Iterable[Entry], root: Root, walk: Walk) -> str:
    total = 0
    newest: list[_Dated] = []  # a heap, the oldest on top: no more than are shown, however many there are
    for found in entries:
        try:
            modified = _modified(found, root)
        except OSError as error:
            walk.missed(error.errno, found.names)
            continue
        if modified is None:
            continue
        total += 1
        if len(newest) < MAX_FILES:
            heapq.heappush(newest, _Dated(modified, found))
        elif modified >= newest[0].modified:
            heapq.heappushpop(newest, _Dated(modified, found))
    notes = walk.notes()
    if total > len(newest):
        narrow = "Narrow the pattern, or search in a directory below with path, to see the others."
        notes.insert(0, f"(Showing the newest {len(newest)} of {total:,} files. {narrow})")
    listing = "\n".join(one.name() for one in sorted(newest, reverse=True)) or "No files found"
    return "\n\n".join((listing, *notes))


def _modified(found: Entry, root: Root) -> int | None:
    """When a regular file was modified, in nanoseconds; None for what is none, or is a link that leads to none."""
    if not found.entry.is_symlink():
        status = found.entry.stat(follow_symlinks=False)
        return status.st_mtime_ns if stat.S_ISREG(status.st_mode) else None
    try:
        with root.locate("/".join(found.names)) as place:
            if not place.is_regular:
                return None
            status = os.stat(place.names[-1], dir_fd=place.directory, follow_symlinks=False)
            return status.st_mtime_ns
    except ToolError:  # it dangles, or leads outside the root
        return None
