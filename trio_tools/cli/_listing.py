"""A table that a command prints for people: on a terminal as wide as that, in a pipe or a file as wide as it takes."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import attrs

from trio_tools.cli._column import column_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

# Characters of a name in a table. Usual ones fit; the others are cut.
NAME_LENGTH = 40
# Characters of the last column, which may be a sentence: on a line of a wide terminal.
SENTENCE_LENGTH = 100
# Columns of a table that goes into a pipe or a file: nothing is folded there.
PIPE_WIDTH = 250


@attrs.frozen
class Toned:
    """A text in a style of rich, such as `red`."""

    text: str
    style: str


@attrs.frozen(kw_only=True)
class Listing:
    """Heads, and rows of as many cells. What others wrote may stand in them as it came. Columns at these places, from
    0, are `numbers`, which stand to the right."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Toned]]
    numbers: frozenset[int] = frozenset()

    def drawn(self) -> str:
        """The table as text, without a line end."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for place, head in enumerate(self.heads):
            last = place == len(self.heads) - 1
            table.add_column(
                head,
                justify="right" if place in self.numbers else "left",
                overflow="fold" if last else overflow(),
                no_wrap=not last,
            )
        for *cells, last_cell in self.rows:
            shown = [_cell(cell, NAME_LENGTH) for cell in cells]
            table.add_row(*shown, _cell(last_cell, SENTENCE_LENGTH))
        return rendered(table)


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
    there is no colour where there is no terminal."""
    console = console_for_stdout()
    with console.capture() as captured:
        console.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def console_for_stdout() -> Console:
    """Standard output as rich sees it."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, markup=False, emoji=False, highlight=False)
