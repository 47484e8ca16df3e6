"""`glob`: the files whose path matches a pattern, the newest first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import inf

from trio_tools.tool import Declaration, SyncToolContext, Tool
from trio_tools.toolkits.files._failures import not_directory
from trio_tools.toolkits.files._pattern import compile_pattern
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.toolkits.files._walk import Batch, Walk
from trio_tools.values import ToolError

# Files shown (F008). Who needs more has to say more exactly what is meant.
MAX_FILES = 100
# Files held while the newest are looked for. The more, the less often they are sorted; these take a tenth of a MB.
HELD_FILES = 1_000

_GLOB = Declaration()


def glob_tool(root: Root, *, timeout: float) -> Tool:
    """The tool `glob`, for the files below a root. `timeout` is its budget in seconds (T031)."""

    @_GLOB.tool(read_only=True, idempotent=True, timeout=timeout)
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
            with walk.files() as batches:
                return _listing(batches, root, walk)

    return glob


def _listing(batches: Iterable[Batch], root: Root, walk: Walk) -> str:
    total, oldest = 0, inf
    newest: list[tuple[int, str]] = []  # each by its age, which is the less the newer it is; then by its name
    for batch in batches:
        for entry in batch.entries:
            try:
                modified = _modified(entry, batch.folder, root, walk)
            except OSError as error:
                walk.missed(error.errno, (*batch.folder, entry.name))
                continue
            if modified is None:
                continue
            total += 1
            if -modified > oldest:
                continue
            newest.append((-modified, shown_path((*batch.folder, entry.name))))
            if len(newest) == HELD_FILES:
                newest = sorted(newest)[:MAX_FILES]
                oldest = newest[-1][0]
    newest = sorted(newest)[:MAX_FILES]
    notes = walk.notes()
    if total > len(newest):
        narrow = "Narrow the pattern, or search in a directory below with path, to see the others."
        notes.insert(0, f"(Showing the newest {len(newest)} of {total:,} files. {narrow})")
    listing = "\n".join(name for _, name in newest) or "No files found"
    return "\n\n".join((listing, *notes))


def _modified(entry: os.DirEntry[str], folder: tuple[str, ...], root: Root, walk: Walk) -> int | None:
    """When a regular file was modified, in nanoseconds; None for what is none, or is a link that leads to none."""
    if entry.is_file(follow_symlinks=False):
        return entry.stat(follow_symlinks=False).st_mtime_ns
    if not entry.is_symlink():
        return None
    walk.ctx.check_cancelled()  # one link can take 50 ms: it may lead through others, up and down
    try:
        with root.locate("/".join((*folder, entry.name))) as place:
            if not place.is_regular:
                return None
            status = os.stat(place.names[-1], dir_fd=place.directory, follow_symlinks=False)
            return status.st_mtime_ns
    except ToolError:  # it dangles, or leads outside the root
        return None
