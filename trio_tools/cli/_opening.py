"""The registry of a command, open for as long as its block; what plugins do wrong is told in a line."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, redirect_stdout

from trio_tools import ErrorCode, Registry, open_registry
from trio_tools.cli._status import FAILED, MISUSE, Refused
from trio_tools.config import Config
from trio_tools.values import exception_error, printable

# How a plugin's failure is marked by the registry, in a note on the exception.
_IN_A_PLUGIN = "in plugin "


@asynccontextmanager
async def opened(config: Config) -> AsyncGenerator[Registry]:
    """A registry with what the config says.

    Raises `Refused` for a plugin that fails: with status 2 if it cannot be opened, with status 1 if it fails later.

    **Cancellation**: as for `open_registry`.
    """
    entered = False
    try:
        with redirect_stdout(sys.stderr):  # what plugins and tools print is no result
            async with open_registry(config) as registry:
                entered = True
                yield registry
    except BaseException as thrown:  # a plugin may try to exit, too
        where = next((note for note in getattr(thrown, "__notes__", ()) if note.startswith(_IN_A_PLUGIN)), None)
        if where is None or isinstance(thrown, KeyboardInterrupt):
            raise
        raise Refused(f"{where}: {_words(thrown)}", status=FAILED if entered else MISUSE) from None


def _words(thrown: BaseException) -> str:
    """What a plugin says, in its own words if it has chosen them for people."""
    if isinstance(thrown, SystemExit):
        return f"its code tried to exit the process, with code {printable(thrown) or '0'}"
    if isinstance(thrown, OSError) and thrown.strerror:
        of = "" if thrown.filename is None else f': "{thrown.filename}"'
        return f"{thrown.strerror}{of}"
    from trio_tools.journal import JournalError

    if isinstance(thrown, (OSError, RuntimeError, ValueError, JournalError)) or type(thrown) is LookupError:
        return printable(thrown) or type(thrown).__name__
    return exception_error(thrown, ErrorCode.TOOL_FAILED).message
