"""What a benchmark prints, and whether its bounds were kept."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import attrs

from benchmarks._rounds import ratio

# How many of the printed unit are in one of what was measured: seconds, or KiB.
_SCALES = {"us/call": 1e6, "ms": 1e3, "KiB/call": 1.0}


@attrs.frozen
class Row:
    """One figure: `floor` and `ours` in `unit`, and the bound on their ratio, if it has one."""

    name: str
    unit: str
    floor: float
    ours: float
    ratio: float
    bound: float | None = None

    @property
    def is_over(self) -> bool:
        return self.bound is not None and self.ratio > self.bound

    def cells(self) -> tuple[str, ...]:
        figures = (f"{figure:.2f}" for figure in (self.floor, self.ours, self.ratio))
        bound = "-" if self.bound is None else f"{self.bound:.2f}"
        return (self.name, self.unit, *figures, bound, _verdict(self))


@attrs.frozen
class LimitRow:
    """One figure whose bound is an amount, in `unit`, and not a ratio: where a floor's amount is about nothing."""

    name: str
    unit: str
    floor: float
    ours: float
    bound: float

    @property
    def is_over(self) -> bool:
        return self.ours >= self.bound

    def cells(self) -> tuple[str, ...]:
        amounts = (f"{self.floor:.0f}", f"{self.ours:.0f}")
        return (self.name, self.unit, *amounts, "-", f"<{self.bound:.0f}", _verdict(self))


def _verdict(row: Row | LimitRow) -> str:
    return "" if row.bound is None else "OVER" if row.is_over else "ok"


def row(name: str, unit: str, floor: Sequence[float], ours: Sequence[float], *, bound: float | None = None) -> Row:
    """A figure of paired samples, in seconds or KiB: their medians in `unit`, and the median ratio of the pairs."""
    scale = _SCALES[unit]
    return Row(name, unit, statistics.median(floor) * scale, statistics.median(ours) * scale, ratio(ours, floor), bound)


def report(title: str, rows: Sequence[Row | LimitRow], *, compared: tuple[str, str] = ("floor", "ours")) -> int:
    """Print the figures as a table; `compared` heads the two columns. Gives the exit status: 1 if a bound is
    exceeded, else 0."""
    headings = ("figure", "unit", *compared, "ratio", "bound", "")
    show(title, [headings, *(row.cells() for row in rows)], words=2)
    return int(any(row.is_over for row in rows))


def show(title: str, lines: Sequence[tuple[str, ...]], *, words: int) -> None:
    """Print these lines as a table. The first `words` columns and the last are words, those between are numbers."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    print(f"\n{title}")
    for line in lines:
        texts = [text.ljust(width) for text, width in zip(line[:words], widths[:words], strict=True)]
        numbers = [text.rjust(width) for text, width in zip(line[words:-1], widths[words:-1], strict=True)]
        print("  ".join(("", *texts, *numbers, line[-1])).rstrip(), flush=True)
