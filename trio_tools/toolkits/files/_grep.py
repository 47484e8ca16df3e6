"""`grep`: the lines that match a regular expression."""

from __future__ import annotations

import re

from trio_tools.tool import SyncToolContext, Tool, tool
from trio_tools.toolkits.files._failures import bad_pattern, failed, not_regular, not_text
from trio_tools.toolkits.files._found import MAX_MATCHES, Found, Matches, shortened
from trio_tools.toolkits.files._pattern import MAX_PATTERN_CHARS, Pattern, compile_pattern
from trio_tools.toolkits.files._root import Place, Root
from trio_tools.toolkits.files._shown import shown_path
from trio_tools.toolkits.files._text import NotText, lines, regular_file, texts
from trio_tools.toolkits.files._walk import Walk
from trio_tools.values import ToolError

# Characters of a line that are searched: those that `read` shows. What an expression costs may grow with the square or
# the cube of what it sees, and Python's lock is held all the while: the square of this is some milliseconds.
MAX_SEARCHED_CHARS = 2_000


def grep_tool(root: Root, *, timeout: float) -> Tool:
    """The tool `grep`, for the files below a root. `timeout` is its budget in seconds (T031)."""

    @tool(read_only=True, idempotent=True, timeout=timeout)
    def grep(pattern: str, path: str = ".", include: str | None = None, *, ctx: SyncToolContext) -> str:
        """Search the lines of text files for a Python regular expression. Hidden and ignored files are included.

        Only the first 2000 characters of a line are searched. Links and version control's own directories are left
        out; a link named by path is followed.

        Args:
            pattern: The regular expression, searched in each line by itself.
            path: The file or directory to search, relative to the root directory, or absolute inside it.
            include: A glob pattern of the files to search, such as `*.py` or `*.{ts,tsx}`; without a slash it is
                looked for in every directory. It cannot exclude.
        """
        expression = _expression(pattern)
        files = compile_pattern("**/*" if include is None else include, root.inside, anywhere=True)
        with root.locate(path) as place:
            if place.is_directory:
                return _search_below(place, files, expression, ctx)
            if not place.is_regular:
                raise not_regular(path, place.mode)
            return _search_one(place, path, expression, ctx)

    return grep


def _expression(pattern: str) -> re.Pattern[str]:
    if not pattern:
        raise bad_pattern(pattern, "it is empty, and would match every line. To read a file use read")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise bad_pattern(pattern[:50] + "...", f"it is longer than {MAX_PATTERN_CHARS:,} characters. Shorten it")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:  # a warning, where those are made errors
        why = f"{error}. It is read as a Python regular expression; escape special characters with \\"
        raise bad_pattern(pattern, why) from None


def _search_one(place: Place, path: str, expression: re.Pattern[str], ctx: SyncToolContext) -> str:
    matches = Matches()
    try:
        with regular_file(place.directory, place.names[-1], path=path) as descriptor:
            matches.add(shown_path(place.names), _search(descriptor, expression, ctx))
    except NotText as why:
        raise not_text(path, str(why)) from None
    except OSError as error:
        raise failed(path, error) from None
    return matches.report([])


def _search_below(place: Place, files: Pattern, expression: re.Pattern[str], ctx: SyncToolContext) -> str:
    matches = Matches()
    walk = Walk(place, files, ctx)
    with walk.files() as entries:
        for found in entries:
            if not found.entry.is_file(follow_symlinks=False):
                continue
            name = shown_path(found.names)
            try:
                with regular_file(found.directory, found.entry.name, path=name) as descriptor:
                    matches.add(name, _search(descriptor, expression, ctx))
            except (NotText, ToolError):  # binary; or put in the place of a regular file since it was listed
                continue
            except OSError as error:
                walk.missed(error, found.names)
    return matches.report(walk.notes())


def _search(descriptor: int, expression: re.Pattern[str], ctx: SyncToolContext) -> Found:
    found = Found()
    pieces = texts(descriptor, errors="replace", step=ctx.check_cancelled)
    for number, (line, cut) in enumerate(lines(pieces, keep=MAX_SEARCHED_CHARS), 1):
        found.cut += cut
        if expression.search(line) is not None:
            found.total += 1
            if found.total <= MAX_MATCHES:
                found.lines.append((number, shortened(line, cut=cut)))
    return found
