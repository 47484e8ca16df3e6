"""What is known of each call of the turn in hand, and of the calls that its tools have made, for the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from trio_tools import CallToken, PendingCall, Progress, ToolCall, ToolResult
from trio_tools.values import safe

# Seconds between two looks, each of which is drawn: a person sees it move, and it costs next to nothing.
REFRESH = 0.2
WAITING = "queued"
# Characters of a progress message that are kept: more than a terminal has columns, whatever a tool says.
MESSAGE_LENGTH = 500


@attrs.define(eq=False)
class Row:
    """A call: where it is, since when it runs, what it last said, and once it has settled its `outcome` and how long
    that took.

    `started` and `ended` are in seconds on Trio's clock, `left` in seconds from the last look. A call that began and
    ended between two looks has no `started`. `depth` counts the calls round it.
    """

    tool: str
    id: str | None
    depth: int = 0
    token: CallToken | None = None
    stage: str = WAITING
    stopping: bool = False
    started: float | None = None
    ended: float | None = None
    left: float | None = None
    outcome: str | None = None
    progress: Progress | None = None
    waits_for: str | None = None
    nested: list[Row] = attrs.Factory(list["Row"])

    def seconds(self, now: float) -> float | None:
        """How long it has run, or ran; None if it was never seen to. `now` is in seconds on Trio's clock."""
        if self.started is None:
            return None
        return (now if self.ended is None else self.ended) - self.started

    def look(self, call: PendingCall, progress: Progress | None, now: float) -> None:
        """Note where it is. `now` is in seconds on Trio's clock."""
        self.stage, self.left, self.waits_for, self.progress = call.stage, call.seconds_left, call.waits_for, progress
        self.stopping = call.seconds_since_cancel is not None
        if call.stage != WAITING and self.started is None:
            self.started = now - call.seconds_in_stage

    def settle(self, outcome: str, now: float) -> None:
        """Note what came of it, which is all that counts from then on. `now` is in seconds on Trio's clock."""
        self.stage, self.ended, self.outcome = "done", now, outcome
        self.left = self.progress = self.waits_for = None

    def lines(self) -> Iterator[Row]:
        """This row, and below it those of the calls that it made, until it has its result."""
        yield self
        if self.outcome is None:
            for row in self.nested:
                yield from row.lines()


class Rows:
    """The rows of a turn, in call order.

    `ids`, `budgets`, `bars` and `counts` say whether a call has had an id, time left, or progress with or without a
    total: a column that was needed once stays, or the others would jump.
    """

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.all = [Row(call.name, call.id) for call in calls]
        self.ids = any(call.id is not None for call in calls)
        self.budgets = self.bars = self.counts = False
        self._known: dict[CallToken, Row] = {}
        self._progress: dict[CallToken, Progress] = {}

    def settled(self, position: int, result: ToolResult, now: float) -> None:
        """Note an outcome. `now` is in seconds on Trio's clock."""
        self.all[position].settle(result.code or "ok", now)

    def progressed(self, token: CallToken, progress: Progress) -> None:
        """Note the progress of a call: plain numbers, and the last line of the message, as much as can be shown."""
        total = None if progress.total is None else float(progress.total)
        lines = (progress.message or "")[-MESSAGE_LENGTH:].strip().splitlines()
        self._progress[token] = Progress(float(progress.done), total, lines[-1] if lines else None)

    def look(self, pending: Sequence[PendingCall], now: float) -> None:
        """Note where the pending calls are, and which calls they have made. `now` is in seconds on Trio's clock."""
        self._recognise(pending)
        tokens = {call.token for call in pending}
        self._known = {token: row for token, row in self._known.items() if token in tokens}
        self._progress = {token: one for token, one in self._progress.items() if token in tokens}
        for known in self._known.values():
            known.nested = []
        for call in pending:  # a call comes after the one that made it
            row = self._row_of(call)
            if row is None or row.outcome is not None:
                continue
            row.look(call, self._progress.get(call.token), now)
            if row.depth:
                self._parent(call).nested.append(row)
            self._note_columns(row)

    def _recognise(self, pending: Sequence[PendingCall]) -> None:
        """Find the calls of the turn among those that are pending: by tool and id, in call order, once. Those of other
        turns, which tools may have begun, are passed over."""
        fresh = [row for row in self.all if row.token is None and row.outcome is None]
        place = 0
        for call in pending:
            if place == len(fresh):
                break
            if call.parent is not None or call.token in self._known or call.stage == "settle":
                continue
            names = (call.tool, call.id)
            found = next((at for at in range(place, len(fresh)) if _names(fresh[at]) == names), None)
            if found is not None:
                fresh[found].token, self._known[call.token] = call.token, fresh[found]
                place = found + 1

    def _row_of(self, call: PendingCall) -> Row | None:
        """The row of a call, a new one if a call of this turn has made it; None if it is of another turn."""
        if call.token in self._known:
            return self._known[call.token]
        around = None if call.parent is None else self._known.get(call.parent)
        if around is None or around.outcome is not None:
            return None
        row = self._known[call.token] = Row(call.tool, call.id, around.depth + 1, call.token)
        return row

    def _parent(self, call: PendingCall) -> Row:
        assert call.parent is not None
        return self._known[call.parent]

    def _note_columns(self, row: Row) -> None:
        self.ids = self.ids or row.id is not None
        self.budgets = self.budgets or row.left is not None
        if row.progress is not None:
            self.bars = self.bars or row.progress.total is not None
            self.counts = self.counts or row.progress.total is None

    def chosen(self, most: int) -> list[Row]:
        """At most so many rows, in call order, each with the calls that it made below it: those that run, then those
        that ended last, then those that wait."""
        lines = [line for row in self.all for line in row.lines()]
        if len(lines) <= most:
            return lines
        order = sorted(enumerate(lines), key=lambda one: _interest(one[1]))
        return [row for _, row in sorted(order[:most], key=lambda one: one[0])]

    def count(self) -> int:
        """How many rows there are, those of calls that calls have made among them."""
        return sum(1 for row in self.all for _ in row.lines())

    def summary(self) -> str:
        """How many calls the turn has, and how many of them are done, run and wait."""
        done = sum(row.outcome is not None for row in self.all)
        waiting = sum(row.stage == WAITING for row in self.all)
        running = len(self.all) - done - waiting
        more = [f"{count} {what}" for count, what in ((running, "running"), (waiting, "waiting")) if count]
        return ", ".join([f"{done} of {len(self.all)} calls done", *more])


def _names(row: Row) -> tuple[str, str | None]:
    return safe(row.tool), row.id


def _interest(row: Row) -> tuple[int, float]:
    if row.ended is not None:
        return 1, -row.ended
    return (2 if row.stage == WAITING else 0), row.depth
