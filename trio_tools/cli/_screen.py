"""What a person sees while a turn runs. This one shows nothing: the screen of a run that nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

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
