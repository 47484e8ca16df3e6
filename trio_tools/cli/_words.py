"""The words of the live table.

Names, ids, messages and codes are others' words. They are cut and go through `column_text` before they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from trio_tools import Progress
from trio_tools.cli._column import column_text, indent
from trio_tools.cli._rows import REFRESH, Row

# Seconds of a minute and of an hour, by which a time is told in longer units.
MINUTE, HOUR = 60, 3600
# What each thousand of a count is called.
THOUSANDS = ["", "k", "M", "G", "T", "P"]


@attrs.frozen
class Cell:
    """A text in a style, or a bar of which this part, from 0 to 1, is full."""

    text: str = ""
    style: str = ""
    bar: float | None = None


class Words:
    """What each row says, in a terminal of `width` columns, with ids of at most `longest_id` of them, at `now` seconds
    on Trio's clock."""

    def __init__(self, rows: Sequence[Row], *, width: int, longest_id: int, now: float) -> None:
        self._width = width
        self._now = now
        # ids of one provider differ at their ends
        self._short = {
            row.id: f"\u2026{row.id[1 - longest_id :]}" for row in rows if row.id and len(row.id) > longest_id
        }

    def tool(self, row: Row) -> Cell:
        return Cell(indent(row.depth) + self._shown(row.tool), "bold" if row.stage == "dispatch" else "")

    def id(self, row: Row) -> Cell:
        own = row.id or ""
        return Cell(self._shown(self._short.get(own, own)))

    def state(self, row: Row) -> Cell:
        if row.outcome is not None:
            return Cell(self._shown(row.outcome), "green" if row.outcome == "ok" else "red")
        if row.stopping:
            return Cell("stopping", "yellow")
        return Cell("running" if row.stage == "dispatch" else row.stage)

    def time(self, row: Row) -> Cell:
        seconds = row.seconds(self._now)
        if seconds is None:
            return Cell("" if row.outcome is None else f"<{REFRESH}s")
        return Cell(told(seconds))

    def left(self, row: Row) -> Cell:
        return Cell("" if row.left is None else told(row.left))

    def bar(self, row: Row) -> Cell:
        return Cell(bar=None if row.progress is None else fraction(row.progress))

    def percentage(self, row: Row) -> Cell:
        part = None if row.progress is None else fraction(row.progress)
        return self.amount(row) if part is None else Cell(f"{part:.0%}")

    def amount(self, row: Row) -> Cell:
        """How much is done, and of how much where that is known."""
        if row.progress is None:
            return Cell()
        done, total = row.progress.done, row.progress.total
        return Cell(count(done) if total is None else f"{count(done)}/{count(total)}")

    def message(self, row: Row) -> Cell:
        return Cell(self._shown("" if row.progress is None else row.progress.message or ""))

    def waits_for(self, row: Row) -> Cell:
        words = row.waits_for or ""
        for long, short in self._short.items():
            words = words.replace(long, short)
        return Cell(self._shown(words), "italic")

    def message_or_wait(self, row: Row) -> Cell:
        message = self.message(row)
        if message.text or row.waits_for is None:
            return message
        return Cell(f"awaits {self.waits_for(row).text}", "italic")

    def _shown(self, text: str) -> str:
        return column_text(text, limit=self._width)


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
    from rich.filesize import pick_unit_and_suffix

    unit, suffix = pick_unit_and_suffix(int(abs(number)), THOUSANDS, 1000)
    return f"{number / unit:.3g}{suffix}"


def fraction(progress: Progress) -> float | None:
    """How much of the total is done, from 0 to 1; None where there is none."""
    if progress.total is None:
        return None
    if progress.done >= progress.total:
        return 1
    return progress.done / progress.total if progress.done > 0 else 0
