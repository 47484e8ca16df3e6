"""What can go wrong with a journal, in words for whoever runs it."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be opened, read or written. The message says what happened, to which file, and what to do."""
