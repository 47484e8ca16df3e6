"""Who ends a run, and what each signal is good for."""

import signal

import pytest
import trio
from trio.testing import MockClock

from trio_tools import CallToken, PendingCall, ToolCall, ToolResult
from trio_tools.cli._rows import Rows
from trio_tools.cli._status import FAILED, READER_GONE
from trio_tools.cli._stop import Step, Stop
from trio_tools.cli._stuck import MAX_CALLS, stuck
from trio_tools.values import ErrorInfo

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


@pytest.mark.parametrize(
    ("signals", "steps", "status"),
    [
        ([INT], [Step.CANCEL], 130),
        ([INT, INT, INT, INT], [Step.CANCEL, Step.SHOW, Step.LEAVE, Step.LEAVE], 130),
        ([TERM], [Step.CANCEL], 143),
        ([HUP], [Step.CANCEL], 129),
        ([TERM, TERM, TERM, TERM], [Step.CANCEL, Step.NOTHING, Step.NOTHING, Step.NOTHING], 143),
        ([TERM, INT, INT], [Step.CANCEL, Step.SHOW, Step.LEAVE], 143),
        ([INT, TERM, INT, HUP, INT], [Step.CANCEL, Step.NOTHING, Step.SHOW, Step.NOTHING, Step.LEAVE], 130),
    ],
)
def test_each_signal_has_its_step(signals: list[int], steps: list[Step], status: int) -> None:
    """D19: cancel, show, leave; only Ctrl-C goes further."""
    stop = Stop(deadline=float("inf"))
    assert [stop.signalled(one) for one in signals] == steps
    assert stop.status == status


async def test_the_first_end_cancels_what_is_in_hand_and_keeps_its_status() -> None:
    stop = Stop(deadline=float("inf"))
    earlier, scope = stop.take_in_hand(), stop.take_in_hand()
    stop.end(READER_GONE, "")
    stop.end(FAILED, "")
    assert stop.signalled(INT) is Step.CANCEL
    assert stop.status == READER_GONE
    assert scope.cancel_called
    assert not earlier.cancel_called
    assert stop.take_in_hand().cancel_called


async def test_what_is_timed_ends_with_the_time(mock_clock: MockClock) -> None:
    stop = Stop(deadline=trio.current_time() + 5)
    assert stop.take_in_hand().deadline == trio.current_time() + 5
    assert stop.take_in_hand(timed=False).deadline == float("inf")
    mock_clock.jump(5)
    assert stop.take_in_hand().cancel_called
    assert stop.status is None


def pending(tool: str = "bash", own_id: str | None = "a", stage: str = "dispatch", seconds: float = 3) -> PendingCall:
    return PendingCall(
        token=CallToken(),
        id=own_id,
        tool=tool,
        session=None,
        stage=stage,
        seconds_in_stage=seconds,
        seconds_since_cancel=1.5,
        where=("x.py:1 f", "  y.py:2 g"),
    )


def test_it_is_told_where_each_call_is_stuck() -> None:
    """D19."""
    assert list(stuck([pending(), pending(own_id=None)], unwritten=2)) == [
        "lines that nobody has read from standard output yet: 2",
        "pending: bash a, in dispatch for 3.0 s, cancelled 1.5 s ago",
        "  x.py:1 f",
        "    y.py:2 g",
        "pending: bash, in dispatch for 3.0 s, cancelled 1.5 s ago",
        "  x.py:1 f",
        "    y.py:2 g",
        "press Ctrl-C again to leave at once, without cleaning up",
    ]
    assert next(stuck([], unwritten=0)) == "no call is pending"


def test_of_very_many_the_first_are_told() -> None:
    told = list(stuck([pending() for _ in range(1000)], unwritten=0))
    assert sum(line.startswith("pending") for line in told) == MAX_CALLS
    assert told[-2] == "and 980 more"


OK = ToolResult("a", "x", ())
BAD = ToolResult("a", "x", (), error=ErrorInfo("ToolError", "NOT_GOOD", "x"))


def test_rows_follow_the_calls() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b", id="i"), ToolCall("c")])
    rows.look([pending(stage="dispatch", seconds=2), pending(stage="gate", seconds=1), pending(stage="queued")], 10)
    assert [(row.stage, row.seconds(11)) for row in rows.all] == [("dispatch", 3), ("gate", 2), ("queued", None)]
    rows.settled(1, BAD, 12)
    rows.look([pending(stage="post", seconds=0), pending(stage="queued")], 13)
    assert [(row.stage, row.seconds(14), row.outcome) for row in rows.all] == [
        ("post", 6, None),
        ("done", 3, "NOT_GOOD"),
        ("queued", None, None),
    ]
    rows.settled(2, OK, 14)  # began and ended between two looks
    assert rows.all[2].seconds(14) is None
    assert rows.summary() == "2 of 3 calls done"


def test_rows_guess_nothing_when_tools_make_calls_of_their_own() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b")])
    rows.look([pending(), pending(), pending()], 10)
    assert [row.stage for row in rows.all] == ["queued", "queued"]


def test_of_many_rows_those_that_run_are_chosen_then_the_latest_then_the_next() -> None:
    rows = Rows([ToolCall(str(number)) for number in range(10)])
    for position, at in ((0, 1), (1, 5), (2, 3)):
        rows.settled(position, OK, at)
    rows.look([pending(stage="dispatch" if number == 8 else "queued") for number in range(3, 10)], 10)
    assert [row.tool for row in rows.chosen(1)] == ["8"]
    assert [row.tool for row in rows.chosen(3)] == ["1", "2", "8"]
    assert [row.tool for row in rows.chosen(5)] == ["0", "1", "2", "3", "8"]
    assert len(rows.chosen(10)) == 10
