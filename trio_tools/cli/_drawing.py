"""How the live table looks: its columns, by the width of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs

from trio_tools.cli._rows import WAITING, Row, Rows
from trio_tools.cli._words import Cell, Words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


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


@attrs.frozen
class _Column:
    head: str
    cell: Callable[[Row], Cell]
    most: int | None = None  # columns of the terminal
    right: bool = False
    rest: bool = False  # takes what the others leave


def drawn(number: int, rows: Rows, *, width: int, height: int, now: float) -> Table:
    """The table of the turn on line `number`: less than `width` columns, and at most `height` lines or the three that
    it takes. `now` is in seconds on Trio's clock."""
    from rich.table import Table
    from rich.text import Text

    widths = NARROW if width < USUAL_FROM else USUAL if width < WIDE_FROM else WIDE
    chosen = rows.chosen(max(1, height - 2))
    hidden = rows.count() - len(chosen)
    title = f"turn {number}: {rows.summary()}" + (f", {hidden} not shown" if hidden else "")
    table = Table(
        box=None,
        padding=(0, widths.gap, 0, 0),
        pad_edge=False,
        # one column stays free: a character in the last one makes some terminals begin a new line
        width=max(1, width - 1),
        title=Text(title, style="bold", no_wrap=True, overflow="ellipsis"),
        title_justify="left",
        header_style="dim",
    )
    words = Words(chosen, width=width, longest_id=widths.id or USUAL.id, now=now)
    columns = list(_columns(words, widths, rows))
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
        table.add_row(*(_rendered(column.cell(row), widths) for column in columns), style=style)
    return table


def _columns(words: Words, widths: Widths, rows: Rows) -> Iterator[_Column]:
    """Those that there is something for."""
    yield _Column("tool", words.tool, widths.tool)
    if widths.id and rows.ids:
        yield _Column("id", words.id, widths.id)
    yield _Column("state", words.state, widths.state)
    yield _Column("time", words.time, right=True)
    if rows.budgets:
        yield _Column("left", words.left, right=True)
    if widths.bar and rows.bars:
        yield _Column("progress", words.bar)
        yield _Column("", words.amount if widths.split else words.percentage, right=True)
    elif widths.bar and rows.counts:
        yield _Column("done", words.amount, right=True)
    if widths.split:
        yield _Column("last line of output", words.message, rest=True)
        yield _Column("waits for", words.waits_for, rest=True)
    else:
        yield _Column("now", words.message_or_wait, rest=True)


def _rendered(cell: Cell, widths: Widths) -> RenderableType:
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    return Text(cell.text, style=cell.style) if cell.bar is None else ProgressBar(1, cell.bar, width=widths.bar)
