"""The command line from its arguments to its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import trio

from trio_tools.cli._app import parse
from trio_tools.cli._options import Options
from trio_tools.cli._printable import complain
from trio_tools.cli._run import STDOUT, run
from trio_tools.cli._status import FAILED, INTERRUPTED, OK, Refused


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments (those of the process, unless given) ask for, and return the exit status.

    What a user got wrong is told in one line on stderr, with status 2.
    """
    try:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is when started with 1 closed
            raise Refused("standard output is closed")
        options = _parsed(sys.argv[1:] if arguments is None else arguments)
        return OK if options is None else trio.run(run, options)
    except Refused as refusal:
        complain(str(refusal))
        return refusal.status
    except KeyboardInterrupt:  # before the run takes signals itself
        return INTERRUPTED


def _parsed(arguments: Sequence[str]) -> Options | None:
    """As `parse`, which prints the help. Raises `Refused` also when that cannot be written."""
    try:
        options = parse(arguments)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)  # or Python writes again as it exits, and complains
        raise Refused(f"cannot write to standard output: {error.strerror}", status=FAILED) from None
    return options
