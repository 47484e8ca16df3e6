"""What happened when: each call of a turn on a time axis that is the turn's own.

A session may last days, most of which nothing runs in; so every turn has an axis, and the calls that its calls made are
on it too. The end of a call that nobody saw is not made up: what is behind the last thing known of it is `UNSEEN`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

import attrs

from trio_tools.cli.log._outcome import cause_of, lasting
from trio_tools.journal import CallRecord, EffectRecord
from trio_tools.values import Cause, EffectState

# Part of an axis by which it is made longer for calls whose end nobody saw, so that there is something to see of that.
UNSEEN_PART = 0.1
# Seconds of an axis at least: of calls that came and went within one tick of the clock.
SHORTEST = 0.001


class Span(Enum):
    """What a call does for a part of the axis."""

    WAITS = auto()  # for its turn, for policies, for a thread, for the journal
    RUNS = auto()  # its body does
    UNSEEN = auto()  # nobody knows: it has no result yet, or the process ended first


class Mark(Enum):
    """What happens to a call at one moment."""

    AGAIN = auto()  # its body is entered anew, by a retry
    COMMITTED = auto()  # an effect went through
    FAILED = auto()  # an effect did not
    UNKNOWN = auto()  # an effect began, and nobody knows
    CANCELLED = auto()  # it was given up


@attrs.frozen
class Stretch:
    """A span from `start` to `end`, in seconds on the axis."""

    span: Span
    start: float
    end: float


@attrs.frozen
class Point:
    """A mark at `at`, in seconds on the axis; of an effect `since` its beginning, and what the effect is."""

    mark: Mark
    at: float
    since: float
    effect: EffectRecord | None = None


@attrs.frozen(kw_only=True)
class Line:
    """One call: its `number` in the session from 1, and `depth`, how many calls are around it."""

    number: int
    depth: int
    call: CallRecord
    stretches: tuple[Stretch, ...]
    points: tuple[Point, ...]

    @property
    def lasted(self) -> str:
        """How long it took, or at least if nobody saw its end."""
        first, last = self.stretches[0], self.stretches[-1]
        if last.span is Span.UNSEEN:
            return f">{lasting(last.start - first.start)}"
        return lasting(last.end - first.start)


@attrs.frozen(kw_only=True)
class Chart:
    """A turn: `number` from 1, Unix seconds at which its axis begins, the axis's length in seconds, and its calls."""

    number: int
    began: float
    seconds: float
    lines: tuple[Line, ...]


def charts(calls: Sequence[CallRecord]) -> tuple[Chart, ...]:
    """The turns of a session, given its calls in call order; those that a call made come right behind it."""
    made: list[Chart] = []
    number = 0
    for turn, members in enumerate(_turns(calls), 1):
        made.append(_chart(turn, number, members))
        number += len(members)
    return tuple(made)


def _turns(calls: Sequence[CallRecord]) -> Iterator[list[tuple[int, CallRecord]]]:
    """The calls of each turn with their depths. One whose maker is not there any more stands by itself."""
    present = {_name(one) for one in calls}
    inner: dict[str, list[CallRecord]] = {}
    for one in calls:
        inner.setdefault(one.ref.parent or "", []).append(one)
    outer = [one for one in calls if one.ref.parent not in present]
    turns = {one.ref.turn: list[tuple[int, CallRecord]]() for one in outer}
    for one in outer:
        turns[one.ref.turn] += _with_inner(one, inner)
    yield from turns.values()


def _with_inner(outer: CallRecord, inner: Mapping[str, Sequence[CallRecord]]) -> Iterator[tuple[int, CallRecord]]:
    """A call, and behind it those that it made, each with its depth."""
    left = [(0, outer)]
    while left:
        depth, one = left.pop()
        yield depth, one
        left += [(depth + 1, call) for call in reversed(inner.get(_name(one), ()))]


def _name(call: CallRecord) -> str:
    return f"{call.ref.turn}/{call.ref.position}"


def _chart(turn: int, before: int, members: Sequence[tuple[int, CallRecord]]) -> Chart:
    calls = [call for _, call in members]
    began = min(call.accepted for call in calls)
    seconds = max(max(_last_seen(call) for call in calls) - began, SHORTEST)
    if not all(_end_was_seen(call) for call in calls):
        seconds *= 1 + UNSEEN_PART
    lines = [
        Line(
            number=number,
            depth=depth,
            call=call,
            stretches=tuple(_stretches(call, began, seconds)),
            points=tuple(sorted(_points(call, began), key=lambda point: point.at)),
        )
        for number, (depth, call) in enumerate(members, before + 1)
    ]
    return Chart(number=turn, began=began, seconds=seconds, lines=tuple(lines))


def _end_was_seen(call: CallRecord) -> bool:
    """Whether it settled while somebody looked; the books of a crash are closed at some later time."""
    return call.settled is not None and cause_of(call) is not Cause.CRASH


def _last_seen(call: CallRecord) -> float:
    """Unix seconds of the last thing that is known of it."""
    known = [call.accepted, *call.dispatched]
    known += [time for time in (call.decided, call.cancelled) if time is not None]
    known += [effect.begun if effect.ended is None else effect.ended for effect in call.effects]
    if call.settled is not None and _end_was_seen(call):
        known.append(call.settled)
    return max(known)


def _stretches(call: CallRecord, began: float, seconds: float) -> Iterator[Stretch]:
    start, last = call.accepted - began, _last_seen(call) - began
    runs_from = max(start, min(call.dispatched) - began) if call.dispatched else last
    if runs_from > start or not call.dispatched:
        yield Stretch(Span.WAITS, start, runs_from)
    if call.dispatched:
        yield Stretch(Span.RUNS, runs_from, last)
    if not _end_was_seen(call):
        yield Stretch(Span.UNSEEN, last, seconds)


_MARKS = {
    EffectState.BEGUN: Mark.UNKNOWN,
    EffectState.COMMITTED: Mark.COMMITTED,
    EffectState.FAILED: Mark.FAILED,
    EffectState.UNKNOWN: Mark.UNKNOWN,
}


def _points(call: CallRecord, began: float) -> Iterator[Point]:
    for again in sorted(call.dispatched)[1:]:
        yield Point(Mark.AGAIN, again - began, again - began)
    for one in call.effects:
        since = one.begun - began
        at = since if one.ended is None else max(since, one.ended - began)
        yield Point(_MARKS[one.effect.state], at, since, one)
    if call.cancelled is not None:
        yield Point(Mark.CANCELLED, call.cancelled - began, call.cancelled - began)
