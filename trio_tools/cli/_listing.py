"""A table that a command prints for people: on a terminal as wide as that, in a pipe or a file as wide as it takes."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from trio_tools.cli._column import column_text
from trio_tools.cli._stdout import unwritten

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

# Characters of a name in a table. Usual ones fit; the others are cut.
NAME_LENGTH = 40
# Characters of the last column, which may be a sentence, and of what is typed again: on a line of a wide terminal.
SENTENCE_LENGTH = 100
# Columns of the terminal that a column of texts keeps where there is no room for all of them.
MIN_TEXT_WIDTH = 6
# Blanks between two columns.
GAP = 2
# Columns of a table that goes into a pipe or a file: more than any has need of, so nothing is folded there.
PIPE_WIDTH = 1000


@attrs.frozen
class Toned:
    """A text in a style of rich, such as `red`."""

    text: str
    style: str


@attrs.frozen(kw_only=True)
class Listing:
    """Heads, and rows of as many cells. What others wrote may stand in them as it came. Columns at these places, from
    0, are `numbers`, which stand to the right, or `typed`, which somebody types again and needs whole."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Toned]]
    numbers: frozenset[int] = frozenset()
    typed: frozenset[int] = frozenset()

    def drawn(self) -> str:
        """The table as text, without a line end. Where it is too wide its longest texts are cut, and no number; in the
        last column, and in those that are `typed`, they go on below."""
        from rich.table import Table

        long = {len(self.heads) - 1, *self.typed}
        rows = [
            [_cell(cell, SENTENCE_LENGTH if place in long else NAME_LENGTH) for place, cell in enumerate(row)]
            for row in self.rows
        ]
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
        for place, (head, width) in enumerate(zip(self.heads, self._widths(rows), strict=True)):
            folds = place in long and place not in self.numbers
            table.add_column(
                head,
                justify="right" if place in self.numbers else "left",
                overflow="fold" if folds else overflow(),
                no_wrap=not folds,
                max_width=width,
            )
        for row in rows:
            table.add_row(*row)
        return rendered(table)

    def _widths(self, rows: Sequence[Sequence[Text]]) -> list[int]:
        """Columns of the terminal for each of the table's: what it needs, or less if all of it is too wide."""
        columns = range(len(self.heads))
        widths = [max([len(self.heads[one]), *(row[one].cell_len for row in rows)]) for one in columns]
        texts = [one for one in columns if one not in self.numbers]
        excess = sum(widths) + GAP * (len(widths) - 1) - console_for_stdout().width
        while excess > 0 and max(widths[one] for one in texts) > MIN_TEXT_WIDTH:
            widths[max(texts, key=lambda one: widths[one])] -= 1
            excess -= 1
        return widths


def _cell(cell: str | Toned, limit: int) -> Text:
    from rich.text import Text

    toned = Toned(cell, "") if isinstance(cell, str) else cell
    return Text(column_text(toned.text, limit=limit, plain=is_plain()), style=toned.style)


def is_plain() -> bool:
    """Whether standard output can only be trusted with ASCII: by its encoding, or since its terminal is dumb."""
    if codecs.lookup(sys.stdout.encoding or "ascii").name != "utf-8":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM", "") in {"", "dumb", "unknown"}


def overflow() -> Literal["crop", "ellipsis"]:
    """What is to become of a cell that is too long: rich's ellipsis is no ASCII."""
    return "crop" if is_plain() else "ellipsis"


def rendered(shown: RenderableType) -> str:
    """What rich makes of it for standard output, without blanks at the ends of lines. `NO_COLOR` is respected, and
    there is no colour where there is no terminal. Raises `Refused` if that cannot be written to."""
    console = console_for_stdout()
    try:
        with console.capture() as captured:
            console.print(shown)
    except OSError as error:  # rich writes to it also what is captured, if only nothing
        raise unwritten(error) from None
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def console_for_stdout() -> Console:
    """Standard output as rich sees it."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, emoji=False, highlight=False)
