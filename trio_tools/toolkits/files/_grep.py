"""`grep`: the lines that match a regular expression."""

from __future__ import annotations

import os
from collections.abc import Callable

import attrs

from trio_tools.tool import Declaration, SyncToolContext, Tool
from trio_tools.toolkits.files._expression import Expression, compile_expression
from trio_tools.toolkits.files._failures import bad_pattern, failed, not_regular, not_text
from trio_tools.toolkits.files._found import Candidates, Found, Matches
from trio_tools.toolkits.files._pattern import MAX_PATTERN_CHARS, Pattern, Positions, compile_pattern, names_taken
from trio_tools.toolkits.files._ripgrep import Counting, Ripgrep, Search
from trio_tools.toolkits.files._root import STAGING, Place, Root, descend
from trio_tools.toolkits.files._scan import scan
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.toolkits.files._text import NotText, regular_file
from trio_tools.toolkits.files._walk import VCS_DIRECTORIES, Walk
from trio_tools.values import ToolError

# Directories remembered with what a pattern means in them, while ripgrep names their files, before all are forgotten.
_MAX_FOLDERS = 10_000

_GREP = Declaration()


def grep_tool(root: Root, *, timeout: float, ripgrep: Ripgrep | None) -> Tool:
    """The tool `grep`, for the files below a root. `timeout` is its budget in seconds (T031); without `ripgrep` Python
    searches."""

    @_GREP.tool(read_only=True, idempotent=True, timeout=timeout)
    def grep(pattern: str, path: str = ".", include: str | None = None, *, ctx: SyncToolContext) -> str:
        """Search the lines of text files for a regular expression. Hidden and ignored files are included.

        The expression knows `.` `[a-z]` `[^a]` `* + ? {2,3}` `( | )` `^ $`, ASCII's `\\b \\w \\d \\s \\W \\D \\S`, and
        `(?i)` at its beginning; no look-around, no references back. Binary files, links, and version control's own
        directories are left out; a link named by path is followed.

        Args:
            pattern: The regular expression, searched in each line by itself.
            path: The file or directory to search, relative to the root directory, or absolute inside it.
            include: A glob pattern of the files to search, such as `*.py` or `*.{ts,tsx}`; without a slash it is
                looked for in every directory. It cannot exclude.
        """
        expression = _expression(pattern)
        files = compile_pattern("**/*" if include is None else include, root.inside, anywhere=True)
        with root.locate(path) as place:
            if not place.is_directory:
                return _search_one(place, path, expression, ctx)
            below = _Below(root, place, expression, files, ctx)
            text = None if ripgrep is None else below.by_ripgrep(ripgrep, take=names_taken(include))
            return below.by_python() if text is None else text

    return grep


def _expression(pattern: str) -> Expression:
    if not pattern:
        raise bad_pattern(pattern, "it is empty, and would match every line. To read a file use read")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise bad_pattern(pattern[:50] + "...", f"it is longer than {MAX_PATTERN_CHARS:,} characters. Shorten it")
    try:
        return compile_expression(pattern)
    except ValueError as why:
        raise bad_pattern(pattern, str(why)) from None


def _search_one(place: Place, path: str, expression: Expression, ctx: SyncToolContext) -> str:
    if not place.is_regular:
        raise not_regular(path, place.mode)
    matches = Matches()
    try:
        with regular_file(place.directory, place.names[-1], path=path) as descriptor:
            matches.add(shown_path(place.names), scan(descriptor, expression, ctx.check_cancelled))
    except NotText as why:
        raise not_text(path, str(why)) from None
    except OSError as error:
        raise failed(path, error) from None
    return matches.report([])


@attrs.frozen
class _Below:
    """A search below a directory, by either engine."""

    root: Root
    top: Place
    expression: Expression
    files: Pattern
    ctx: SyncToolContext

    def by_python(self) -> str:
        matches = Matches()
        walk = Walk(self.top, self.files, self.ctx)
        with walk.files() as batches:
            for batch in batches:
                for entry in batch.entries:
                    names = (*batch.folder, entry.name)
                    if not entry.is_file(follow_symlinks=False):
                        continue
                    found = self._scanned(batch.directory, entry.name, walk, names)
                    if found is not None:
                        matches.add(shown_path(names), found)
        return matches.report(walk.notes())

    def by_ripgrep(self, ripgrep: Ripgrep, *, take: tuple[str, ...]) -> str | None:
        """ripgrep finds the files, and what is shown of them is read here. None if it died, or could not be started."""
        walk = Walk(self.top, self.files, self.ctx)
        try:
            candidates = self._candidates(ripgrep, take, walk)
        except OSError:  # there are no descriptors or no processes left: Python needs fewer, and says so
            return None
        return None if candidates is None else self._shown(candidates, walk)

    def _candidates(self, ripgrep: Ripgrep, take: tuple[str, ...], walk: Walk) -> Candidates | None:
        candidates = Candidates()
        folders = _Folders(self.files, self.top.names)
        inner = self.root.enter()
        try:
            search = Search(
                ripgrep=ripgrep,
                root=inner,
                top=self.top.directory,
                expression=self.expression.ripgrep,
                take=take,
                leave_out=[*(f"{name}/" for name in sorted(VCS_DIRECTORIES)), f"{STAGING}*"],
            )
            with search.process() as process:
                counting = Counting(process, self.ctx, folders.telling(walk))
                for path, count in counting.counts():
                    folder, name = folders.split(path)
                    if folders.matcher(folder)(name):
                        names = tuple(path.split("/"))
                        candidates.add(shown_path((*self.top.names, *names)), names, count)
            return None if counting.died else candidates
        finally:
            os.close(inner)

    def _shown(self, candidates: Candidates, walk: Walk) -> str:
        """The lines of the files that were found; what has changed since then is counted anew."""
        matches = Matches(total=candidates.total)
        for name, names, count in candidates.files:
            matches.total -= count
            try:
                directory = descend(self.top.directory, names[:-1])
            except OSError as error:
                walk.missed(error.errno, (*self.top.names, *names))
                continue
            try:
                found = self._scanned(directory, names[-1], walk, (*self.top.names, *names))
            finally:
                os.close(directory)
            if found is not None:
                matches.add(name, found)
        return matches.report(walk.notes())

    def _scanned(self, directory: int, name: str, walk: Walk, names: tuple[str, ...]) -> Found | None:
        try:
            with regular_file(directory, name, path=name) as descriptor:
                return scan(descriptor, self.expression, self.ctx.check_cancelled)
        except OSError as error:
            walk.missed(error.errno, names)
        except NotText:
            pass
        except ToolError:  # put in the place of a regular file since it was listed
            pass
        return None


@attrs.frozen
class _Folders:
    """Which files a pattern means in directories that are named by their paths below the top."""

    files: Pattern
    top: tuple[str, ...]
    known: dict[str, Callable[[str], object]] = attrs.field(factory=dict[str, Callable[[str], object]])

    def split(self, path: str) -> tuple[str, str]:
        folder, _, name = path.rpartition("/")
        return folder, name

    def matcher(self, folder: str) -> Callable[[str], object]:
        """What tells, for many names in this directory, whether a file is one that the pattern means."""
        known = self.known.get(folder)
        if known is None:
            known = self.files.matcher(self.positions(folder))
            if len(self.known) >= _MAX_FOLDERS:
                self.known.clear()
            self.known[folder] = known
        return known

    def positions(self, folder: str) -> Positions:
        positions = self.files.start(self.top)
        for name in folder.split("/") if folder else ():
            positions = self.files.enter(positions, name)
        return positions

    def telling(self, walk: Walk) -> Callable[[str, int], None]:
        """Tells a walk of what ripgrep could not read, unless Python would not have looked there."""

        def missed(path: str, number: int) -> None:
            folder, name = self.split(path)
            if not path or self.matcher(folder)(name) or self.files.enter(self.positions(folder), name):
                walk.missed(number, (*self.top, *path.split("/")))

        return missed
