"""`read`: a page of a text file, with line numbers."""

from __future__ import annotations

from contextlib import suppress

from trio_tools.tool import Declaration, SyncToolContext, Tool
from trio_tools.toolkits.files._failures import failed, not_regular, not_text
from trio_tools.toolkits.files._guard import FileGuard, GuardedFiles
from trio_tools.toolkits.files._publish import holder, status_of
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._shown import shown
from trio_tools.toolkits.files._text import Lines, NotText, regular_file, texts
from trio_tools.toolkits.files._version import Seen
from trio_tools.values import Session, ToolError

# Lines of one page, and what `limit` may be at most (F001): enough for nearly every source file at once.
MAX_LINES = 2_000
# Characters shown of one line (F001): longer ones are data or generated, and would crowd out the rest.
MAX_LINE_CHARS = 2_000
CUT = f"... (line truncated to {MAX_LINE_CHARS} chars)"
# Bytes of lines on one page, their joining line ends included (F001): some 12,000 tokens.
MAX_PAGE_BYTES = 51_200

_READ = Declaration()


def read_tool(root: Root, guarded: GuardedFiles) -> Tool:
    """The tool `read`, for the files below a root. It has no time limit of its own (T031). What was read, or found to
    be missing, is told to whoever guards the files."""

    @_READ.tool(read_only=True, idempotent=True)
    def read(file_path: str, offset: int = 1, limit: int = MAX_LINES, *, ctx: SyncToolContext) -> str:
        """Read a text file, with line numbers. Long files come in pages: continue at the offset named at the end.

        Args:
            file_path: The file, relative to the root directory, or absolute inside it.
            offset: The number of the first line to show, from 1.
            limit: How many lines to show, at most 2000.
        """
        _check(file_path, offset, limit)
        try:
            with root.locate(file_path) as place:
                if not place.is_regular:  # looked at before it is opened: opening a device can do things
                    raise not_regular(file_path, place.mode)
                with regular_file(place.directory, place.names[-1], path=file_path) as descriptor:
                    seen = None if guarded.guard is None else Seen(descriptor)
                    pieces = texts(descriptor, step=ctx.check_cancelled, seen=seen)
                    page = _page(Lines(pieces), file_path, offset, limit)
                if guarded.guard is not None and seen is not None:
                    guarded.guard.observed(ctx.session, "/".join(place.names), seen.version())
        except NotText as why:
            raise not_text(file_path, str(why)) from None
        except OSError as error:
            raise failed(file_path, error) from None
        except ToolError as error:
            if guarded.guard is not None and error.code == "FS_NOT_FOUND":
                _remember_absence(guarded.guard, ctx.session, root, file_path)
            raise
        return f"<path>{shown(file_path)}</path>\n<type>file</type>\n<content>\n{page}\n</content>"

    return read


def _remember_absence(guard: FileGuard, session: Session | None, root: Root, file_path: str) -> None:
    """Tell the guard of a file that is not there, if it is not. An offset past the end is not found either."""
    with suppress(ToolError, OSError, ValueError):  # then it is no path at which a file could be made
        target = root.aim(file_path)
        try:
            with suppress(FileNotFoundError), holder(target) as directory:
                if status_of(target, directory) is not None:
                    return
            guard.observed(session, target.path, None)
        finally:
            target.close()


def _check(file_path: str, offset: int, limit: int) -> None:
    problem = None
    if not file_path:
        problem = "file_path must be a non-empty string"
    elif offset < 1:
        problem = "offset must be greater than or equal to 1"
    elif limit < 1:
        problem = "limit must be greater than or equal to 1"
    elif limit > MAX_LINES:
        problem = f"limit must be less than or equal to {MAX_LINES}"
    if problem is not None:
        raise ToolError(problem, code="FS_INVALID_ARGUMENT")


def _page(lines: Lines, file_path: str, offset: int, limit: int) -> str:
    """The lines from `offset` on, at most `limit`, and the footer. Counts to the end unless the byte limit ends it."""
    page: list[str] = []
    size = 0
    total = lines.skip(offset - 1)
    while len(page) < limit and (taken := lines.take(keep=MAX_LINE_CHARS)) is not None:
        text, cut = taken
        total += 1
        line = text + CUT if cut else text
        size += len(line.encode()) + (1 if page else 0)
        if size > MAX_PAGE_BYTES:
            shown_lines = f"Showing lines {offset}-{total - 1}. Use offset={total} to continue."
            return "\n".join((*page, "", f"(Output capped. {shown_lines})"))
        page.append(f"{total}: {line}")
    total += lines.skip()
    last = offset + len(page) - 1
    if not page and (total or offset > 1):
        raise ToolError(
            f"{shown(file_path)} has no line {offset}: it has {total} lines. Use an offset from 1 to {max(1, total)}.",
            code="FS_NOT_FOUND",
        )
    if last < total:
        footer = f"(Showing lines {offset}-{last} of {total}. Use offset={last + 1} to continue.)"
    else:
        footer = f"(End of file - total {total} lines)"
    return "\n".join((*page, "", footer))
