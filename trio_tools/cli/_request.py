"""What every command is asked with."""

from __future__ import annotations

from typing import Protocol


class Request(Protocol):
    """What was asked for."""

    def answer(self) -> int:
        """Do it and return the exit status. Raises `Refused`."""
        ...
