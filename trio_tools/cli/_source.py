"""Where turns come from: a file, or standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import trio

from trio_tools.cli._given import STDIN
from trio_tools.cli._lines import Lines
from trio_tools.cli._printable import named
from trio_tools.cli._standard_input import open_stdin
from trio_tools.cli._status import Refused

# File descriptor of standard input, read without Python's buffer.
STDIN_DESCRIPTOR = 0


@asynccontextmanager
async def open_source(file: str, scope: trio.CancelScope) -> AsyncGenerator[Lines | None]:
    """The lines of a file, or of standard input for `STDIN`; None if `scope` was cancelled while it was opened.

    Raises `Refused` for what cannot be read. **Cancellation**: opening may wait, for the writer of a named pipe; that
    wait is in `scope`.
    """
    if file == STDIN:
        open_stdin()
        yield Lines(STDIN_DESCRIPTOR)
        return
    descriptor: int | None = None
    opening = partial(os.open, file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    with scope:
        try:
            descriptor = await trio.to_thread.run_sync(opening, abandon_on_cancel=True)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise cannot_read(file, error) from None
    if descriptor is None:
        yield None
        return
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise Refused(f'cannot read "{named(file)}": it is a folder')
        yield Lines(descriptor)
    finally:
        os.close(descriptor)


def cannot_read(file: str, error: Exception) -> Refused:
    """The refusal of an input that failed."""
    name = "standard input" if file == STDIN else f'"{named(file)}"'
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Refused(f"cannot read {name}: {reason}")
