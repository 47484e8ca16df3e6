"""How the live table looks: its columns, by the width of the terminal, and the words in them.

Names, ids, messages and codes are others' words. They are cut and go through `printable` before they are drawn.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
from rich.cells import cell_len
from rich.filesize import pick_unit_and_suffix
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from trio_tools import Progress
from trio_tools.cli._printable import printable
from trio_tools.cli._rows import REFRESH, WAITING, Row, Rows

if TYPE_CHECKING:
    from rich.console import RenderableType

# Seconds of a minute and of an hour, by which a time is told in longer units.
MINUTE, HOUR = 60, 3600
# What each thousand of a count is called.
THOUSANDS = ["", "k", "M", "G", "T", "P"]


@attrs.frozen(kw_only=True)
class Widths:
    """Columns of the terminal that parts of the table take at most (0: the part is left out), and the blanks between
    them. With `split`, what a call last said and what it waits for have a place each."""

    tool: int
    id: int
    state: int
    bar: int
    gap: int
    split: bool = False


NARROW = Widths(tool=16, id=0, state=8, bar=0, gap=1)
USUAL = Widths(tool=20, id=8, state=12, bar=8, gap=1)
WIDE = Widths(tool=32, id=32, state=24, bar=16, gap=2, split=True)
# Columns of the terminal from which on more is shown: an old one has 80, and two notes side by side need room.
USUAL_FROM, WIDE_FROM = 60, 120


def drawn(number: int, rows: Rows, *, width: int, height: int, now: float) -> Table:
    """The table of the turn on line `number`: less than `width` columns, and at most `height` lines or the three that
    it takes. `now` is in seconds on Trio's clock."""
    chosen = rows.chosen(max(1, height - 2))
    hidden = sum(1 for row in rows.all for _ in row.lines()) - len(chosen)
    title = f"turn {number}: {rows.summary()}" + (f", {hidden} not shown" if hidden else "")
    words = _Words(width, chosen, now)
    table = Table(
        box=None,
        padding=(0, words.widths.gap, 0, 0),
        pad_edge=False,
        # one column stays free: a character in the last one makes some terminals begin a new line
        width=max(1, width - 1),
        title=Text(title, style="bold", no_wrap=True, overflow="ellipsis"),
        title_justify="left",
        header_style="dim",
    )
    columns = list(words.columns(rows))
    for column in columns:
        table.add_column(
            column.head,
            justify="right" if column.right else "left",
            ratio=1 if column.rest else None,
            max_width=column.most,
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in chosen:
        style = "dim" if row.stage == WAITING else ""
        table.add_row(*(column.cell(row) for column in columns), style=style)
    return table


@attrs.frozen
class _Column:
    head: str
    cell: Callable[[Row], RenderableType]
    most: int | None = None  # columns of the terminal
    right: bool = False
    rest: bool = False  # takes what the others leave


class _Words:
    """What stands in each column, in a terminal of so many columns at so many seconds on Trio's clock."""

    def __init__(self, width: int, shown: Sequence[Row], now: float) -> None:
        self._width = width
        self._now = now
        self.widths = NARROW if width < USUAL_FROM else USUAL if width < WIDE_FROM else WIDE
        most = self.widths.id or USUAL.id
        # ids of one provider differ at their ends
        self._short = {row.id: f"\u2026{row.id[1 - most :]}" for row in shown if row.id and len(row.id) > most}

    def columns(self, rows: Rows) -> Iterator[_Column]:
        """Those that there is something for."""
        widths = self.widths
        yield _Column("tool", self._tool, widths.tool)
        if widths.id and any(line.id is not None for row in rows.all for line in row.lines()):
            yield _Column("id", self._id, widths.id)
        yield _Column("state", self._state, widths.state)
        yield _Column("time", self._time, right=True)
        if rows.budgets:
            yield _Column("left", self._left, right=True)
        if widths.bar and rows.bars:
            yield _Column("progress", self._bar)
        if widths.bar and (rows.bars or rows.counts):
            yield _Column("" if rows.bars else "done", self._count, right=True)
        if widths.split:
            yield _Column("last line of output", self._message, rest=True)
            yield _Column("waits for", self._waits_for, rest=True)
        else:
            yield _Column("now", self._message_or_wait, rest=True)

    def _shown(self, text: str) -> str:
        shown = printable(text, limit=self._width)  # what is still too long for its column ends in an ellipsis there
        if shown.isascii():
            return shown
        return "".join(one if _has_sure_width(one) else _escaped(one) for one in shown)

    def _tool(self, row: Row) -> Text:
        indent = "  " * (row.depth - 1) + "\u2514 " if row.depth else ""
        return Text(
            indent[-self.widths.tool // 2 :] + self._shown(row.tool), style="bold" if row.stage == "dispatch" else ""
        )

    def _id(self, row: Row) -> Text:
        own = row.id or ""
        return Text(self._shown(self._short.get(own, own)))

    def _state(self, row: Row) -> Text:
        if row.outcome is not None:
            return Text(self._shown(row.outcome), style="green" if row.outcome == "ok" else "red")
        if row.stopping:
            return Text("stopping", style="yellow")
        return Text("running" if row.stage == "dispatch" else row.stage)

    def _time(self, row: Row) -> Text:
        seconds = row.seconds(self._now)
        if seconds is None:
            return Text("" if row.outcome is None else f"<{REFRESH}s")
        return Text(told(seconds))

    def _left(self, row: Row) -> Text:
        return Text("" if row.left is None else told(row.left))

    def _bar(self, row: Row) -> RenderableType:
        part = None if row.progress is None else fraction(row.progress)
        return Text() if part is None else ProgressBar(1, part, width=self.widths.bar)

    def _count(self, row: Row) -> Text:
        progress = row.progress
        if progress is None:
            return Text()
        if progress.total is None:
            return Text(count(progress.done))
        if self.widths.split:
            return Text(f"{count(progress.done)}/{count(progress.total)}")
        return Text(f"{fraction(progress) or 0:.0%}")

    def _message(self, row: Row) -> Text:
        return Text(self._shown("" if row.progress is None else row.progress.message or ""))

    def _waits_for(self, row: Row) -> Text:
        words = row.waits_for or ""
        for long, short in self._short.items():
            words = words.replace(long, short)
        return Text(self._shown(words), style="italic")

    def _message_or_wait(self, row: Row) -> Text:
        message = self._message(row)
        return message if message or row.waits_for is None else Text("awaits ", style="italic") + self._waits_for(row)


def _has_sure_width(character: str) -> bool:
    """Whether every terminal gives it the width that rich counts with. Fillers, halves of flags and colours of skin
    are wide in one and nothing in the next, and would push a line over the edge."""
    if unicodedata.category(character).startswith("M"):  # a mark, on the character before it
        return True
    wide = unicodedata.east_asian_width(character) in {"W", "F"}
    return cell_len(character) >= 1 + wide and not "\U0001f1e6" <= character <= "\U0001f1ff"


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()


def told(seconds: float) -> str:
    """Seconds as a person reads them: `1.5s`, `2m05s`, `1h02m`."""
    if seconds < MINUTE:
        return f"{int(seconds * 10) / 10:.1f}s"
    whole = int(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE}m{whole % MINUTE:02}s"
    return f"{whole // HOUR}h{whole % HOUR // MINUTE:02}m"


def count(number: float) -> str:
    """A number in five characters or so: `17`, `0.5`, `12.3k`."""
    unit, suffix = pick_unit_and_suffix(int(abs(number)), THOUSANDS, 1000)
    return f"{number / unit:.3g}{suffix}"


def fraction(progress: Progress) -> float | None:
    """How much of the total is done, from 0 to 1; None where there is none."""
    if progress.total is None:
        return None
    if progress.done >= progress.total:
        return 1
    return progress.done / progress.total if progress.done > 0 else 0
