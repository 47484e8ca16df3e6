"""The live table on a terminal's stderr.

It is drawn in Trio's own task, never by a thread, and goes away while anything else writes: so the lines of results
stay whole when standard output is the same terminal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import trio

from trio_tools import PendingCall, ToolCall, ToolResult
from trio_tools.cli._printable import printable
from trio_tools.cli._rows import Row, Rows
from trio_tools.cli._screen import Screen

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

# Seconds between two drawings: a person sees it move, and drawing costs next to nothing.
REFRESH = 0.2
# Characters of a tool's name, and of an id. Usual ones fit; the others are cut.
NAME_LENGTH = 32
# Lines of the terminal that are left alone: title, heads, and the one that is being typed on.
SPARE_LINES = 4


def screen_for(stream: TextIO | None) -> Screen:
    """The live table if this stream is a terminal that can show it, else a screen that shows nothing."""
    capable = os.environ.get("TERM", "") not in {"", "dumb", "unknown"}
    return LiveTable(stream) if stream is not None and capable and stream.isatty() else Screen()


class LiveTable(Screen):
    """One row per call of the turn in hand. `NO_COLOR` is respected."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self._console: Console = Console(file=stream, markup=False, emoji=False, highlight=False)
        self._number = 0
        self._rows: Rows | None = None
        self._live: Live | None = None
        self._aside = 0  # how many write to the terminal now

    def begin(self, number: int, calls: Sequence[ToolCall]) -> None:
        self._number, self._rows = number, Rows(calls)

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
        while True:
            await trio.sleep(REFRESH)
            if self._rows is not None and not self._aside:
                self._rows.look(pending(), trio.current_time())
                self._show(self._rows)

    def _show(self, rows: Rows) -> None:
        if self._live is None:
            from rich.live import Live

            self._live = Live(
                console=self._console,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        height = max(1, self._console.height - SPARE_LINES)
        self._live.update(drawn(self._number, rows, height, trio.current_time()), refresh=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def drawn(number: int, rows: Rows, height: int, now: float) -> Table:
    """The table of a turn, in at most `height` rows. `now` is in seconds on Trio's clock."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, title=Text(f"turn {number}: {rows.summary()}"), title_justify="left")
    for head in ("tool", "id", "stage"):
        table.add_column(head, no_wrap=True, overflow="ellipsis")
    table.add_column("seconds", no_wrap=True, justify="right")
    table.add_column("outcome", no_wrap=True, overflow="ellipsis")
    for row in rows.chosen(height):
        name, own_id = printable(row.tool, limit=NAME_LENGTH), printable(row.id or "", limit=NAME_LENGTH)
        outcome = Text(printable(row.outcome or "", limit=NAME_LENGTH), style=_style(row))
        table.add_row(Text(name), Text(own_id), Text(row.stage), Text(_seconds(row, now)), outcome)
    return table


def _seconds(row: Row, now: float) -> str:
    seconds = row.seconds(now)
    if seconds is None:
        return "" if row.outcome is None else f"< {REFRESH}"
    return f"{seconds:.1f}"


def _style(row: Row) -> str:
    if row.outcome is None:
        return ""
    return "green" if row.outcome == "ok" else "red"
