"""What commands print for people on standard output, where writing may fail too."""

from __future__ import annotations

import errno
import os
import sys

from trio_tools.cli._status import FAILED, READER_GONE, Refused

# File descriptor of standard output.
STDOUT = 1


def say(text: str) -> None:
    """Print text and a line end, in what standard output can carry. Raises `Refused` if it cannot be written."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        raise unwritten(error) from None


def unwritten(error: OSError) -> Refused:
    """The refusal of an output that failed; nothing more is written to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)  # or Python writes again as it exits, and complains
    status = READER_GONE if error.errno == errno.EPIPE else FAILED
    return Refused(f"cannot write to standard output: {error.strerror}", status=status)
