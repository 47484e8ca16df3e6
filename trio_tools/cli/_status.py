"""Exit statuses, and the one exception that is a user's mistake."""

from __future__ import annotations

import signal

OK = 0  # status: every line was a turn, whatever its results say
FAILED = 1  # status: results could not be written, on a full disk for one; not the user's mistake
REFUSED_ARGUMENTS = 1  # status of `schema`: a call with the arguments given would be refused
UNBALANCED = 1  # status of `repair --check`: something would be changed
UNSUCCESSFUL = 1  # status of `call`: the result is an error
MISUSE = 2  # status: a line that is no turn, an option or a file that cannot be used; what shells and parsers use

# What a shell shows for a process that a signal ended.
_SIGNALLED = 128  # added to the number of the signal, as shells do

READER_GONE = _SIGNALLED + signal.SIGPIPE
INTERRUPTED = _SIGNALLED + signal.SIGINT


def after_signal(number: int) -> int:
    """The status of a run that this signal ended."""
    return _SIGNALLED + number


class Refused(Exception):  # noqa: N818 - what happened to the user, not to the program
    """Something the user gave cannot be used. `lines` say so, one for each thing that is wrong; `status` is the exit
    status."""

    def __init__(self, *lines: str, status: int = MISUSE) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        self.status = status
