"""`edit`: a piece of a text file is replaced, and every other byte stays."""

from __future__ import annotations

import os
from collections.abc import Callable

import attrs
import trio

from trio_tools.tool import Declaration, Tool, ToolContext
from trio_tools.toolkits.files._failures import absent, bad_argument, not_observed, not_text, stale
from trio_tools.toolkits.files._publish import holder, status_of
from trio_tools.toolkits.files._replace import NotFoundOnce, TooLong, replaced
from trio_tools.toolkits.files._root import Target
from trio_tools.toolkits.files._shown import shown
from trio_tools.toolkits.files._text import CHUNK_BYTES, SNIFFED_BYTES, regular_file
from trio_tools.toolkits.files._version import Expected, FileVersion, Seen, Unread
from trio_tools.toolkits.files._writing import MAX_FILE_BYTES, Writing, encoded
from trio_tools.values import ToolError

_EDIT = Declaration()


def edit_tool(writing: Writing) -> Tool:
    """The tool `edit`, for the files below a root. It has no time limit of its own (F007).

    **Cancellation** of a call: raised while nothing has changed; the file is replaced in one step, which is not cut.
    """

    @_EDIT.tool(destructive=True)
    async def edit(
        file_path: str, old_string: str, new_string: str, replace_all: bool = False, *, ctx: ToolContext
    ) -> str:
        """Replace a piece of a text file. Give the piece exactly as it stands there, without read's line numbers.

        Args:
            file_path: The file, relative to the root directory, or absolute inside it.
            old_string: The text to replace. It must be in one place only, or replace_all be set.
            new_string: What to put in its place.
            replace_all: Whether to replace it in every place.
        """
        change = _change(old_string, new_string, replace_all)
        async with writing.turn(file_path) as target:
            expected = writing.expects(ctx.session, target)
            step = trio.from_thread.check_cancelled
            data, version = await writing.in_thread(_read, target, expected, step)
            changed = await writing.in_thread(_edited, target, data, change, step)
            await writing.publish(ctx, "file.edit", target, changed, version)
        if replace_all:
            return f"The file {shown(file_path)} has been updated. All occurrences were successfully replaced."
        return f"The file {shown(file_path)} has been updated successfully."

    return edit


@attrs.frozen
class _Change:
    """What is to become of the text: `old` is replaced by `new`, where it stands alone or `everywhere`."""

    old: bytes
    new: bytes
    everywhere: bool


def _change(old_string: str, new_string: str, everywhere: bool) -> _Change:
    if not old_string:
        raise bad_argument("old_string must be a non-empty string. To create a file or replace all of it, use write")
    if old_string == new_string:
        raise bad_argument("old_string and new_string must differ")
    return _Change(encoded("old_string", old_string), encoded("new_string", new_string), everywhere)


def _read(target: Target, expected: Expected, step: Callable[[], None]) -> tuple[bytes, FileVersion]:
    """The bytes of the file, and their version, if it is the one that may be edited."""
    if expected in (Unread.NEVER, Unread.NO_SESSION):
        raise not_observed(target.given, in_session=expected is Unread.NEVER)
    try:
        with holder(target) as directory:
            if status_of(target, directory) is None:
                raise FileNotFoundError(target.given)
            if expected is Unread.ABSENT:
                raise stale(target.given)
            with regular_file(directory, target.below[-1], path=target.given) as descriptor:
                return _seen(target, descriptor, expected, step)
    except FileNotFoundError:
        raise stale(target.given) if isinstance(expected, FileVersion) else absent(target.given) from None


def _seen(target: Target, descriptor: int, expected: Expected, step: Callable[[], None]) -> tuple[bytes, FileVersion]:
    seen = Seen(descriptor)
    if isinstance(expected, FileVersion) and not expected.fits(descriptor, step):
        raise stale(target.given)
    data = bytearray()
    while piece := os.read(descriptor, CHUNK_BYTES):
        step()
        seen.feed(piece)
        data += piece
        if len(data) > MAX_FILE_BYTES:
            raise ToolError(
                f"{shown(target.given)} is larger than the {MAX_FILE_BYTES:,} bytes that can be edited. Use another "
                "tool, or split the file.",
                code="FS_TOO_LARGE",
            )
    return bytes(data), seen.version()


def _edited(target: Target, data: bytes, change: _Change, step: Callable[[], None]) -> bytes:
    """The bytes as they are to be."""
    if b"\0" in data[:SNIFFED_BYTES]:
        why = f"there is a NUL byte in its first {SNIFFED_BYTES:,} bytes, as in a binary file"
        raise not_text(target.given, why)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise not_text(target.given, f"byte {error.start:,} does not belong there") from None
    try:
        changed = replaced(
            data, change.old, change.new, everywhere=change.everywhere, longest=MAX_FILE_BYTES, step=step
        )
    except NotFoundOnce as problem:
        if problem.several:
            raise ToolError(
                f"old_string is in {shown(target.given)} more than once. Give more of the text around it, or set "
                "replace_all.",
                code="FS_AMBIGUOUS_EDIT",
            ) from None
        raise ToolError(
            f"old_string is not in {shown(target.given)}. Read the file, and give the text exactly as it stands there: "
            "indentation and blanks included, line numbers not.",
            code="FS_EDIT_NOT_FOUND",
        ) from None
    except TooLong:
        raise bad_argument(
            f"{shown(target.given)} would be larger than the {MAX_FILE_BYTES:,} bytes that can be written"
        ) from None
    if changed == data:
        raise bad_argument("old_string and new_string must differ in more than their line ends")
    return changed
