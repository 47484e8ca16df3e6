"""All of standard input, for commands that take one text from it."""

from __future__ import annotations

import sys

from trio_tools.cli._status import Refused


def standard_input() -> str:
    """What stands on it. Raises `Refused` if it cannot be read."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is when started with 0 closed
        raise Refused("cannot read standard input: it is closed")
    try:
        return sys.stdin.read()
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read standard input: {error}") from None
