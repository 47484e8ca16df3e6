"""The command line from its arguments to its exit status."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import trio

from trio_tools.cli._app import parse
from trio_tools.cli._options import Options
from trio_tools.cli._printable import complain
from trio_tools.cli._run import STDOUT, run
from trio_tools.cli._schema import SchemaQuestion, show_schema
from trio_tools.cli._status import FAILED, INTERRUPTED, OK, READER_GONE, Refused


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments (those of the process, unless given) ask for, and return the exit status.

    What a user got wrong is told in one line on stderr, with status 2.
    """
    try:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is when started with 1 closed
            raise Refused("standard output is closed")
        asked = _parsed(sys.argv[1:] if arguments is None else arguments)
        if isinstance(asked, SchemaQuestion):
            return _answered(asked)
        return OK if asked is None else trio.run(run, asked)
    except Refused as refusal:
        if refusal.status != READER_GONE:  # nobody reads what is written, and nobody minds
            complain(str(refusal))
        return refusal.status
    except KeyboardInterrupt:  # before the run takes signals itself
        return INTERRUPTED


def _parsed(arguments: Sequence[str]) -> Options | SchemaQuestion | None:
    """As `parse`, which prints the help. Raises `Refused` also when that cannot be written."""
    try:
        asked = parse(arguments)
        sys.stdout.flush()
    except OSError as error:
        raise _unwritten(error) from None
    return asked


def _answered(question: SchemaQuestion) -> int:
    """As `show_schema`. Raises `Refused` also when it cannot be written."""
    try:
        status = show_schema(question)
        sys.stdout.flush()
    except OSError as error:
        raise _unwritten(error) from None
    return status


def _unwritten(error: OSError) -> Refused:
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)  # or Python writes again as it exits, and complains
    status = READER_GONE if error.errno == errno.EPIPE else FAILED
    return Refused(f"cannot write to standard output: {error.strerror}", status=status)
