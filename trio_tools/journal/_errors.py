"""What can go wrong with a journal, in words for whoever runs it."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be opened, read or written. The message says what happened, to which file, and what to do."""


class BytesLeftError(JournalError):
    """What was purged is gone, but its bytes are still in one of the files."""


def under_way(calls: int) -> JournalError:
    """Why a session is not purged: so many calls of it have no result yet."""
    are = "1 call of this session is" if calls == 1 else f"{calls} calls of this session are"
    return JournalError(f"{are} under way: wait for the end, or cancel, and purge then")
