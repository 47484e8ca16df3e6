"""A call's bar on the page: a drawing whose places are parts of its width, so that it fits every screen."""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.cli.log._axis import Line, Mark, Point, Span, Stretch
from trio_tools.cli.log._html import Html, element
from trio_tools.cli.log._meanings import MEANINGS
from trio_tools.cli.log._outcome import lasting, tone_of

# Pixels of a bar's height, and of its middle.
HEIGHT, MIDDLE = 20, 10
# Pixels above the middle at which what it waits and what it runs begin: thin, and thick.
WAITS_ABOVE, RUNS_ABOVE = 2, 5
# Characters of an effect's name in the words of a mark.
NAME_LENGTH = 60

_SHAPES = {
    Mark.AGAIN: "M0-9V9",
    Mark.COMMITTED: "M0-7 7 0 0 7-7 0z",
    Mark.FAILED: "M0-7 7 0 0 7-7 0z",
    Mark.UNKNOWN: "M-8 0a8 8 0 0 1 16 0a8 8 0 0 1-16 0z",
    Mark.CANCELLED: "M-5-5 5 5M5-5-5 5",
}


def bar(line: Line, seconds: float) -> Html:
    """The bar of a call, on an axis of so many seconds."""
    parts = [*(stretch(one, seconds) for one in line.stretches), *_points(line, seconds)]
    colour = tone_of(line.call).name.lower()
    return element("svg", parts, class_=f"bar {colour}", role="img", aria_label="; ".join(words(line)))


def words(line: Line) -> Iterator[str]:
    """The same in words."""
    for one in line.stretches:
        meaning = MEANINGS[one.span]
        yield meaning if one.span is Span.UNSEEN else f"{meaning} {lasting(one.end - one.start)}"
    yield from map(point_words, line.points)


def point_words(point: Point) -> str:
    """What a mark says."""
    of = "" if point.effect is None else f": {point.effect.effect.name[:NAME_LENGTH]}"
    return f"{MEANINGS[point.mark]} at {lasting(point.at)}{of}"


def stretch(one: Stretch, seconds: float) -> Html:
    """What it does for a part of an axis of so many seconds."""
    if one.span is Span.UNSEEN:
        return _rule(one.start, one.end, seconds, "unseen")
    above = RUNS_ABOVE if one.span is Span.RUNS else WAITS_ABOVE
    return element(
        "rect",
        class_=one.span.name.lower(),
        x=_part(one.start, seconds),
        width=_part(one.end - one.start, seconds),
        y=str(MIDDLE - above),
        height=str(2 * above),
    )


def _rule(start: float, end: float, seconds: float, name: str) -> Html:
    middle = str(MIDDLE)
    return element("line", class_=name, x1=_part(start, seconds), x2=_part(end, seconds), y1=middle, y2=middle)


def _points(line: Line, seconds: float) -> Iterator[Html]:
    for point in line.points:
        if point.at > point.since:
            yield _rule(point.since, point.at, seconds, "during")
    for point in line.points:
        yield mark(point.mark, _part(point.at, seconds), point_words(point))


def mark(kind: Mark, x: str, title: str) -> Html:
    """A mark at `x`, with what it says when it is pointed at."""
    drawn = [element("path", d=_SHAPES[kind])]
    if kind is Mark.UNKNOWN:
        drawn.append(element("text", "?", y="5"))
    names = "mark full" if kind is Mark.COMMITTED else "mark"
    return element("svg", element("title", title), drawn, class_=names, x=x, y=str(MIDDLE))


def _part(seconds: float, of: float) -> str:
    return f"{min(1.0, max(0.0, seconds / of)) * 100:.3f}%"
