"""The live table on a terminal's stderr.

It is drawn in Trio's own task, never by a thread, and goes away while anything else writes: so the lines of results
stay whole when standard output is the same terminal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

import trio

from trio_tools import CallView, PendingCall, Progress, ToolCall, ToolResult
from trio_tools.cli._drawing import drawn
from trio_tools.cli._rows import REFRESH, Rows
from trio_tools.cli._screen import Screen

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

# How many times as long as a drawing took the next one is put off at least: it costs a tenth of a thread at most.
REST = 10
# Lines of the terminal that are left alone: the one above, so that it is seen what the table belongs to, and the one
# below, where the cursor stands when it goes.
SPARE_LINES = 2


class LiveTable(Screen):
    """One row per call of the turn in hand, and per call that those make. `NO_COLOR` is respected."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._stream = stream
        self._console: Console = Console(file=stream, markup=False, emoji=False, highlight=False)
        self._number = 0
        self._rows: Rows | None = None
        self._live: Live | None = None
        self._aside = 0  # how many write to the terminal now
        self._gone = False  # the terminal, and the run goes on

    def begin(self, number: int, calls: Sequence[ToolCall]) -> None:
        self._number, self._rows = number, Rows(calls)

    def progressed(self, call: CallView, progress: Progress) -> None:
        if self._rows is not None:
            self._rows.progressed(call.token, progress)

    def settled(self, position: int, result: ToolResult) -> None:
        if self._rows is not None:
            self._rows.settled(position, result, trio.current_time())

    def end(self) -> None:
        self._rows = None
        self._hide()

    @contextmanager
    def aside(self) -> Generator[None]:
        self._aside += 1
        self._hide()
        try:
            yield
        finally:
            self._aside -= 1

    async def run(self, pending: Callable[[], Sequence[PendingCall]]) -> None:
        pause = REFRESH
        while True:
            await trio.sleep(pause)
            began = trio.current_time()
            if self._rows is not None and not self._aside and not self._gone:
                self._rows.look(pending(), trio.current_time())
                with self._while_there():
                    self._show(self._rows)
            # Trio's own thread draws: a large table is drawn less often, so that tools have the thread for their work
            pause = max(REFRESH, (trio.current_time() - began) * REST)

    def _show(self, rows: Rows) -> None:
        from rich.console import Group

        self._measure()
        if self._live is None:
            from rich.live import Live

            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
                vertical_overflow="crop",
            )
            self._live.start()
        width, height = self._console.size
        table = drawn(self._number, rows, width=width, height=height - SPARE_LINES, now=trio.current_time())
        # the cursor stands on an empty line of its own, so that what is typed, ^C for one, wraps none of the table's
        self._live.update(Group(table, ""), refresh=True)

    def _measure(self) -> None:
        """Follow the size of this very terminal, whatever the environment says of it."""
        with suppress(OSError, ValueError):
            size = os.get_terminal_size(self._stream.fileno())
            if min(size) > 0:  # one that nobody has told its size has none
                self._console.size = size

    def _hide(self) -> None:
        live, self._live = self._live, None
        if live is not None and not self._gone:
            with self._while_there():
                live.stop()

    @contextmanager
    def _while_there(self) -> Generator[None]:
        """A terminal that is closed takes nothing any more. The results may well go elsewhere, and must not be lost."""
        try:
            yield
        except OSError:
            self._gone = True
