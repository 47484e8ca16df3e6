"""What is drawn of a call, in words: the same below a chart in a terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from trio_tools.cli.log._axis import Chart, Mark, Span

MEANINGS: Mapping[Span | Mark, str] = MappingProxyType(
    {
        Span.WAITS: "waits",
        Span.RUNS: "runs",
        Span.UNSEEN: "end not seen",
        Mark.AGAIN: "tried again",
        Mark.COMMITTED: "effect committed",
        Mark.FAILED: "effect failed",
        Mark.UNKNOWN: "effect unknown",
        Mark.CANCELLED: "cancelled",
    }
)


def shown_in(charts: Iterable[Chart]) -> list[Span | Mark]:
    """What there is to be explained, in the order of the meanings."""
    seen = set(_shown(charts))
    return [one for one in MEANINGS if one in seen]


def _shown(charts: Iterable[Chart]) -> Iterator[Span | Mark]:
    for chart in charts:
        for line in chart.lines:
            yield from (stretch.span for stretch in line.stretches)
            yield from (point.mark for point in line.points)
