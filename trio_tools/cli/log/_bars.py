"""A chart as text: a bar for each call, in glyphs that say without colour what they are."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from trio_tools.cli._column import column_text, indent
from trio_tools.cli._listing import console_for_stdout, is_plain, overflow, rendered
from trio_tools.cli.log._axis import Chart, Line, Mark, Span
from trio_tools.cli.log._meanings import MEANINGS, shown_in
from trio_tools.cli.log._moment import moment
from trio_tools.cli.log._outcome import lasting, tone_of, word_of

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

# Columns of a chart where no terminal says how many there are: those of an old one.
PIPE_WIDTH = 80
# Columns of a bar at least: in a terminal that is narrower than it and the names, these are cut.
MIN_BAR = 10
# Columns that names and outcomes take at most: `ABORTED_BEFORE_DISPATCH` is cut in an old terminal, and whole in the
# table above.
TOOL_WIDTH, OUTCOME_WIDTH = 18, 16
# Columns of a number, of a time such as `>59m59s`, and of the blanks between five columns.
NUMBER_WIDTH, TIME_WIDTH, GAPS = 4, 7, 4

_SPANS = {Span.WAITS: ("\u00b7", "."), Span.RUNS: ("\u2501", "="), Span.UNSEEN: ("\u254c", "~")}
_MARKS = {
    Mark.AGAIN: ("\u2503", "|"),
    Mark.COMMITTED: ("\u25c6", "*"),
    Mark.FAILED: ("\u25c7", "!"),
    Mark.UNKNOWN: ("?", "?"),
    Mark.CANCELLED: ("\u00d7", "x"),
}


def drawn(charts: Sequence[Chart]) -> str:
    """The charts one below the other, and what the glyphs mean."""
    from rich.console import Group
    from rich.text import Text

    width = console_width()
    parts = [part for chart in charts for part in (Text(_title(chart)), _table(chart, width), Text())]
    return rendered(Group(*parts, Text(_legend(charts, width))))


def console_width() -> int:
    """Columns for a chart on standard output."""
    console = console_for_stdout()
    return console.width if console.is_terminal else PIPE_WIDTH


def _title(chart: Chart) -> str:
    calls = len(chart.lines)
    return (
        f"turn {chart.number}: {moment(chart.began)}, {calls} call{'s' if calls > 1 else ''}, {lasting(chart.seconds)}"
    )


def _table(chart: Chart, width: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    words = max(2, width - NUMBER_WIDTH - MIN_BAR - TIME_WIDTH - GAPS - 1)  # what is left for them beside a bar
    tool = min(TOOL_WIDTH, words // 2)
    outcome = min(OUTCOME_WIDTH, words - tool)
    columns = MIN_BAR + words - tool - outcome
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    ends = "0", lasting(chart.seconds)
    table.add_column("", justify="right", width=NUMBER_WIDTH, no_wrap=True)
    table.add_column("", width=tool, no_wrap=True, overflow=overflow())
    table.add_column(ends[0] + ends[1].rjust(columns - len(ends[0])), width=columns, no_wrap=True)
    table.add_column("", width=outcome, no_wrap=True, overflow=overflow())
    table.add_column("", justify="right", width=TIME_WIDTH, no_wrap=True)
    for line in chart.lines:
        colour = tone_of(line.call).value
        table.add_row(
            str(line.number),
            Text(indented(line)),
            _bar(line, chart.seconds, columns),
            Text(column_text(word_of(line.call), limit=width, plain=is_plain()), style=colour),
            line.lasted,
        )
    return table


def indented(line: Line) -> str:
    """The name of its tool, below that of the call that made it."""
    return indent(line.depth, plain=is_plain()) + column_text(line.call.ref.tool, limit=PIPE_WIDTH, plain=is_plain())


def _bar(line: Line, seconds: float, columns: int) -> Text:
    """One glyph for each column: what it does there, over which stand the marks."""
    from rich.text import Text

    def place(at: float) -> int:
        return min(columns - 1, max(0, int(at / seconds * columns)))

    cells = [(" ", "")] * columns
    colour = tone_of(line.call).value
    for stretch in line.stretches:
        style = "dim" if stretch.span is Span.WAITS else colour
        first, last = place(stretch.start), place(stretch.end)
        for column in range(first, max(first + 1, last + (stretch.end >= seconds))):
            cells[column] = (_glyph(stretch.span), style)
    taken: set[int] = set()
    for point in line.points:
        column = place(point.at)
        while column in taken and column < columns - 1:  # each mark is seen, a little late if need be
            column += 1
        taken.add(column)
        cells[column] = (_glyph(point.mark), "bold")
    runs = ((style, "".join(glyph for glyph, _ in run)) for style, run in groupby(cells, key=itemgetter(1)))
    return Text.assemble(*((glyphs, style) for style, glyphs in runs))


def _glyph(of: Span | Mark) -> str:
    unicode, ascii_only = _SPANS[of] if isinstance(of, Span) else _MARKS[of]
    return ascii_only if is_plain() else unicode


def _legend(charts: Sequence[Chart], width: int) -> str:
    """What the glyphs mean, those that there are; a meaning stays on one line."""
    unbroken = [f"{_glyph(of)} {MEANINGS[of]}".replace(" ", "\u00a0") for of in shown_in(charts)]
    return textwrap.fill("   ".join(unbroken), width).replace("\u00a0", " ")
