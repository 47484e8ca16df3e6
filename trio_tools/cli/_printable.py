"""Text on its way to a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress

from trio_tools.values import one_line

# Characters of a message on one line. Enough for every path; a name in it can be as long as its input.
MESSAGE_LENGTH = 2_000

printable = one_line


def complain(message: str) -> None:
    """Tell the user on stderr, in one printable line. Never raises: there may be nobody there."""
    with suppress(OSError, ValueError, AttributeError):  # gone, closed, or none at all
        print(printable(f"trio-tools: {message}", limit=MESSAGE_LENGTH), file=sys.stderr, flush=True)
