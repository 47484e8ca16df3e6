"""What a person sees while a turn runs: nothing where nobody watches, and else the live table."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TextIO

from trio_tools import CallView, PendingCall, Progress, ToolCall, ToolResult


class Screen:
    """Told of all that a run does; shows none of it."""

    def begin(self, number: int, calls: Sequence[ToolCall]) -> None:
        """A turn, of line `number`, begins."""

    def progressed(self, call: CallView, progress: Progress) -> None:
        """A call, of the turn or made by one of it, has come further."""

    def settled(self, position: int, result: ToolResult) -> None:
        """A call of the turn has its result."""

    def end(self) -> None:
        """The turn has ended."""

    @contextmanager
    def aside(self) -> Generator[None]:
        """Out of the way while something else writes to the terminal."""
        yield

    async def run(self, pending: Callable[[], Sequence[PendingCall]]) -> None:
        """Keep what is shown up to date, with what is pending.

        **Cancellation**: nothing more is shown.
        """


def screen_for(stream: TextIO | None) -> Screen:
    """The live table if this stream is a terminal that can show it, else a screen that shows nothing."""
    if stream is None or not stream.isatty():
        return Screen()
    dumb = os.environ.get("TERM", "") in {"", "dumb", "unknown"}
    unicode = codecs.lookup(stream.encoding or "utf-8").name == "utf-8"  # its bars and its cuts are no ASCII
    if dumb or not unicode:
        return Screen()
    from trio_tools.cli._table import LiveTable

    return LiveTable(stream)
