"""The command line from its arguments to its exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trio_tools.cli._app import parse
from trio_tools.cli._printable import complain
from trio_tools.cli._status import INTERRUPTED, OK, READER_GONE, Refused
from trio_tools.cli._stdout import unwritten


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments (those of the process, unless given) ask for, and return the exit status.

    What a user got wrong is told on stderr, a line for each thing, with status 2.
    """
    try:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so it is when started with 1 closed
            raise Refused("standard output is closed")
        try:
            asked = parse(sys.argv[1:] if arguments is None else arguments)
            sys.stdout.flush()  # help, which the parser prints
        except OSError as error:
            raise unwritten(error) from None
        return OK if asked is None else asked.answer()
    except Refused as refusal:
        if refusal.status != READER_GONE:  # nobody reads what is written, and nobody minds
            for line in refusal.lines:
                complain(line)
        return refusal.status
    except KeyboardInterrupt:  # before a run takes signals itself
        return INTERRUPTED
