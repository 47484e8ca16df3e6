"""Standard input, where there is one."""

from __future__ import annotations

import sys
from typing import TextIO

from trio_tools.cli._status import Refused


def open_stdin() -> TextIO:
    """The stream. Raises `Refused` if it is closed."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is when started with 0 closed
        raise Refused("cannot read standard input: it is closed")
    return sys.stdin


def standard_input() -> str:
    """All that stands on it, for commands that take one text from it. Raises `Refused` if it cannot be read."""
    try:
        return open_stdin().read()
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read standard input: {error}") from None
