"""What is known of each call of the turn in hand, for the table."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from trio_tools import PendingCall, ToolCall, ToolResult

WAITING = "queued"


@attrs.define
class Row:
    """A call: where it is, since when it runs, and once it has settled its `outcome` and how long that took.

    `started` and `ended` are in seconds on Trio's clock. A call that began and ended between two looks has only the
    second.
    """

    tool: str
    id: str | None
    stage: str = WAITING
    started: float | None = None
    ended: float | None = None
    outcome: str | None = None

    def seconds(self, now: float) -> float | None:
        """How long it has run, or ran; None if it was never seen to. `now` is in seconds on Trio's clock."""
        if self.started is None:
            return None
        return (now if self.ended is None else self.ended) - self.started


class Rows:
    """The rows of a turn, in call order."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.all = [Row(call.name, call.id) for call in calls]

    def settled(self, position: int, result: ToolResult, now: float) -> None:
        """Note an outcome. `now` is in seconds on Trio's clock."""
        row = self.all[position]
        row.stage, row.ended, row.outcome = "done", now, result.code or "ok"

    def look(self, pending: Sequence[PendingCall], now: float) -> None:
        """Note the stages of the calls that are pending. `now` is in seconds on Trio's clock.

        Those are told by their order, the one in which they came. If there are others, which tools have made, their
        places are not known, and nothing is noted.
        """
        unsettled = [row for row in self.all if row.outcome is None]
        if len(unsettled) != len(pending):
            return
        for row, call in zip(unsettled, pending, strict=True):
            row.stage = call.stage
            if call.stage != WAITING and row.started is None:
                row.started = now - call.seconds_in_stage

    def chosen(self, most: int) -> list[Row]:
        """At most so many rows, in call order: those that run, then those that ended last, then those that wait."""
        if len(self.all) <= most:
            return self.all
        order = sorted(enumerate(self.all), key=lambda one: _interest(one[1]))
        return [row for _, row in sorted(order[:most], key=lambda one: one[0])]

    def summary(self) -> str:
        """How many calls there are, and how many of them are done."""
        done = sum(row.outcome is not None for row in self.all)
        return f"{done} of {len(self.all)} calls done"


def _interest(row: Row) -> tuple[int, float]:
    if row.ended is not None:
        return 1, -row.ended
    return (2 if row.stage == WAITING else 0), 0
