"""When what happened: turns on axes of their own, and nothing made up where nobody looked."""

from __future__ import annotations

import pytest
from journal_records import BEGAN, CALLS, effect, record

from trio_tools.cli.log._axis import SHORTEST, Chart, Line, Mark, Point, Span, Stretch, charts
from trio_tools.cli.log._outcome import Tone, tone_of, word_of
from trio_tools.journal import CallRecord
from trio_tools.values import Cause, EffectState


def line_of(call: CallRecord) -> tuple[Chart, Line]:
    (chart,) = charts([call])
    (line,) = chart.lines
    return chart, line


def spans(call: CallRecord) -> list[tuple[Span, float, float]]:
    return [(one.span, round(one.start, 3), round(one.end, 3)) for one in line_of(call)[1].stretches]


def marks(call: CallRecord) -> list[tuple[Mark, float]]:
    return [(one.mark, round(one.at, 3)) for one in line_of(call)[1].points]


def test_each_turn_has_an_axis_that_begins_with_its_first_call() -> None:
    found = charts(CALLS)
    assert [(chart.number, chart.began - BEGAN) for chart in found] == [(1, 0), (2, 60), (3, 3600)]
    assert [round(chart.seconds, 3) for chart in found] == [3.1, 4.0, 1.1]


def test_calls_are_numbered_through_the_session_and_inner_ones_stand_below_their_makers() -> None:
    lines = [line for chart in charts(CALLS) for line in chart.lines]
    assert [line.number for line in lines] == list(range(1, 10))
    assert [line.depth for line in lines] == [0, 0, 0, 0, 0, 1, 1, 0, 0]


def test_inner_calls_stand_right_behind_their_maker_in_whatever_order_they_come() -> None:
    calls = [
        record("a/0"),
        record("a/1"),
        record("c/0", "innermost", parent="b/0"),
        record("b/0", "inner", parent="a/0"),
    ]
    (chart,) = charts(calls)
    assert [(line.call.ref.tool, line.depth) for line in chart.lines] == [
        ("read", 0),
        ("inner", 1),
        ("innermost", 2),
        ("read", 0),
    ]


def test_a_call_whose_maker_is_gone_is_told_of_by_itself() -> None:
    found = charts([record("a/0"), record("b/0", parent="gone/3")])
    assert [[line.depth for line in chart.lines] for chart in found] == [[0], [0]]


def test_it_waits_until_its_body_is_entered_and_runs_until_it_settles() -> None:
    assert spans(record("t/0", dispatched=[0.5], settled=2)) == [(Span.WAITS, 0, 0.5), (Span.RUNS, 0.5, 2)]


def test_one_that_never_ran_only_waits() -> None:
    assert spans(record("t/0", settled=2, code="DENIED")) == [(Span.WAITS, 0, 2)]


def test_one_without_a_result_is_unseen_from_the_last_thing_known_of_it() -> None:
    assert spans(record("t/0", dispatched=[1])) == [
        (Span.WAITS, 0, 1),
        (Span.RUNS, 1, 1),
        (Span.UNSEEN, 1, 1.1),
    ]


@pytest.mark.parametrize("dispatched", [[1.0], []])
def test_that_the_books_of_a_crash_were_closed_a_day_later_makes_no_call_a_day_long(dispatched: list[float]) -> None:
    call = record("t/0", dispatched=dispatched, settled=86_400, code="ABORTED", cause=Cause.CRASH)
    chart, line = line_of(call)
    assert chart.seconds < 2
    assert line.stretches[-1].span is Span.UNSEEN
    assert line.lasted == (">1.0s" if dispatched else ">0ms")


def test_effects_retries_and_cancels_are_marked_when_they_happen() -> None:
    call = record(
        "t/0",
        dispatched=[0.1, 1.0],
        effects=[
            effect("a", EffectState.COMMITTED, 1.1, 1.5),
            effect("b", EffectState.FAILED, 1.6, 1.7),
            effect("c", EffectState.BEGUN, 1.8),
        ],
        cancelled=1.9,
        settled=2,
        code="ABORTED",
        cause=Cause.CALLER,
    )
    assert marks(call) == [
        (Mark.AGAIN, 1.0),
        (Mark.COMMITTED, 1.5),
        (Mark.FAILED, 1.7),
        (Mark.UNKNOWN, 1.8),
        (Mark.CANCELLED, 1.9),
    ]


def test_an_effect_has_lasted_since_it_began() -> None:
    _, line = line_of(record("t/0", dispatched=[0], settled=2, effects=[effect("a", EffectState.COMMITTED, 0.5, 1)]))
    (point,) = line.points
    assert (point.since, point.at) == (0.5, 1.0)


def test_what_came_and_went_in_one_tick_has_an_axis_all_the_same() -> None:
    chart, line = line_of(record("t/0", dispatched=[0], settled=0))
    assert chart.seconds == SHORTEST
    assert line.stretches == (Stretch(Span.RUNS, 0, 0),)


def test_times_that_a_damaged_file_gives_in_the_wrong_order_break_nothing() -> None:
    call = record("t/0", accepted=5, dispatched=[1], settled=0, effects=[effect("a", EffectState.COMMITTED, 4, 2)])
    chart, line = line_of(call)
    assert chart.seconds == SHORTEST
    assert line.points == (Point(Mark.COMMITTED, -1.0, -1.0, call.effects[0]),)
    assert line.lasted == "0ms"


@pytest.mark.parametrize(
    ("call", "word", "tone"),
    [
        (record("t/0", settled=1), "ok", Tone.GOOD),
        (record("t/0", settled=1, code="NO_MATCHES"), "NO_MATCHES", Tone.BAD),
        (record("t/0", settled=1, code="TOOL_TIMEOUT", cause=Cause.DEADLINE), "TOOL_TIMEOUT", Tone.STOPPED),
        (record("t/0"), "unsettled", Tone.OPEN),
        (record("t/0", settled=1, effects=[effect("a", EffectState.UNKNOWN, 0)]), "ok", Tone.OPEN),
    ],
)
def test_an_outcome_has_a_word_and_a_colour(call: CallRecord, word: str, tone: Tone) -> None:
    assert (word_of(call), tone_of(call)) == (word, tone)
