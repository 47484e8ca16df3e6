"""What the table knows of its calls: each told from the others, those that tools make among them."""

import attrs
import pytest
from pending_calls import pending

from trio_tools import PendingCall, Progress, ToolCall, ToolResult
from trio_tools.cli._rows import MESSAGE_LENGTH, Rows
from trio_tools.values import ErrorInfo

OK = ToolResult("a", "x", ())
BAD = ToolResult("a", "x", (), error=ErrorInfo("ToolError", "NOT_GOOD", "x"))


def moved(call: PendingCall, stage: str, seconds: float = 0) -> PendingCall:
    """The same call, later."""
    return attrs.evolve(call, stage=stage, seconds_in_stage=seconds)


def test_rows_follow_the_calls() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b", id="i"), ToolCall("c")])
    a, b, c = pending("a", seconds=2), pending("b", "i", "gate", seconds=1), pending("c", stage="queued")
    rows.look([a, b, c], 10)
    assert [(row.stage, row.seconds(11)) for row in rows.all] == [("dispatch", 3), ("gate", 2), ("queued", None)]
    assert rows.summary() == "0 of 3 calls done, 2 running, 1 waiting"
    rows.settled(1, BAD, 12)
    rows.look([moved(a, "post"), c], 13)
    assert [(row.stage, row.seconds(14), row.outcome) for row in rows.all] == [
        ("post", 6, None),
        ("done", 3, "NOT_GOOD"),
        ("queued", None, None),
    ]
    rows.settled(0, OK, 14)
    rows.settled(2, OK, 14)  # began and ended between two looks
    assert rows.all[2].seconds(14) is None
    assert rows.summary() == "3 of 3 calls done"


def test_calls_of_one_name_and_no_id_are_told_apart() -> None:
    rows = Rows([ToolCall("a")] * 3)
    calls = [pending("a", seconds=seconds) for seconds in (1, 2, 3)]
    rows.look(calls, 10)
    rows.settled(0, OK, 11)
    rows.look([moved(calls[2], "post"), moved(calls[1], "dispatch", 3)], 11)
    assert [row.stage for row in rows.all] == ["done", "dispatch", "post"]
    assert [row.seconds(11) for row in rows.all] == [2, 3, 4]


def test_calls_of_other_turns_are_passed_over() -> None:
    """Work that a tool has begun elsewhere, and a call that has its result while others still listen to it."""
    rows = Rows([ToolCall("a"), ToolCall("a"), ToolCall("b")])
    rows.settled(0, OK, 9)
    other = pending("job", stage="around")
    listened = pending("a", stage="settle")
    rows.look([other, listened, pending("a", stage="gate"), pending("b"), pending("x", parent=other)], 10)
    assert [row.stage for row in rows.all] == ["done", "gate", "dispatch"]
    assert len(rows.chosen(10)) == 3


def test_calls_that_tools_make_stand_below_them_as_long_as_they_run() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b")])
    a, b = pending("a"), pending("b")
    c, d = pending("c", parent=b), pending("d", parent=a)
    e = pending("e", parent=c)
    rows.look([a, b, c, d, e], 10)
    assert [(row.depth, row.tool) for row in rows.chosen(10)] == [(0, "a"), (1, "d"), (0, "b"), (1, "c"), (2, "e")]
    rows.look([a, b, c, moved(e, "post", 2)], 15)
    assert [(row.tool, row.seconds(16)) for row in rows.chosen(10)] == [("a", 9), ("b", 9), ("c", 9), ("e", 9)]
    rows.settled(1, OK, 16)
    assert [row.tool for row in rows.chosen(10)] == ["a", "b"]
    rows.look([a, b, c], 17)  # it has its result, and somebody still listens
    assert [row.tool for row in rows.chosen(10)] == ["a", "b"]


def test_of_many_rows_those_that_run_are_chosen_then_the_latest_then_the_next() -> None:
    rows = Rows([ToolCall(str(number)) for number in range(10)])
    for position, at in ((0, 1), (1, 5), (2, 3)):
        rows.settled(position, OK, at)
    rows.look([pending(str(number), stage="dispatch" if number == 8 else "queued") for number in range(3, 10)], 10)
    assert [row.tool for row in rows.chosen(1)] == ["8"]
    assert [row.tool for row in rows.chosen(3)] == ["1", "2", "8"]
    assert [row.tool for row in rows.chosen(5)] == ["0", "1", "2", "3", "8"]
    assert len(rows.chosen(10)) == 10


def test_very_many_nested_calls_do_not_push_out_the_turn_s_own() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b")])
    a, b = pending("a"), pending("b")
    rows.look([a, b, *(pending("n", parent=a) for _ in range(1000))], 10)
    assert [row.tool for row in rows.chosen(4)] == ["a", "n", "n", "b"]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (None, None),
        ("", None),
        ("one\ntwo\n", "two"),
        ("one\rtwo", "two"),
        ("x" * 10_000_000, "x" * MESSAGE_LENGTH),
        ("\n" * 10_000_000, None),
    ],
)
def test_of_a_message_its_last_line_is_kept(message: str | None, line: str | None) -> None:
    rows = Rows([ToolCall("a")])
    call = pending("a")
    rows.progressed(call.token, Progress(1, 2, message))
    rows.look([call], 10)
    assert rows.all[0].progress == Progress(1, 2, line)


def test_progress_of_calls_that_are_over_is_forgotten() -> None:
    rows = Rows([ToolCall("a")])
    call = pending("a")
    rows.progressed(call.token, Progress(1))
    rows.look([call], 10)
    assert rows._progress
    rows.look([], 11)
    assert not rows._progress


def test_a_column_that_was_needed_once_stays() -> None:
    rows = Rows([ToolCall("a"), ToolCall("b")])
    a, b = pending("a", left=3), pending("b")
    assert (rows.budgets, rows.bars, rows.counts) == (False, False, False)
    rows.progressed(a.token, Progress(1, 2))
    rows.look([a, b], 10)
    assert (rows.budgets, rows.bars, rows.counts) == (True, True, False)
    rows.settled(0, OK, 11)
    rows.progressed(b.token, Progress(1))
    rows.look([b], 12)
    assert (rows.budgets, rows.bars, rows.counts) == (True, True, True)
