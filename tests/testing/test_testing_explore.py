"""Explorations: what they are given, what they refuse, what they say."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

import pytest
import trio

from trio_tools import Cause, ToolContext, tool
from trio_tools.testing import BrokenPromiseError, Mode, Report, Run, explore_cancellation
from trio_tools.testing._life import Life


async def two_naps(note: str = "x") -> str:
    """Sleeps twice."""
    await trio.sleep(1)
    await trio.sleep(1)
    return note


def broken(explore: Callable[[], object]) -> Report:
    with pytest.raises(BrokenPromiseError) as caught:
        explore()
    return caught.value.report


def test_every_step_is_ended_in_every_mode() -> None:
    seen: list[tuple[str, int]] = []

    def note(run: Run) -> None:
        if run.case is not None:
            seen.append((run.case.mode, run.case.step))

    report = explore_cancellation(two_naps, {"note": "y"}, check=note)
    assert report.cases == report.steps * len(Mode) == len(seen) == len(set(seen))
    assert report.runs == report.cases + 2  # two undisturbed: the first warms up
    assert (report.untried, report.failures, report.unproved) == (0, (), ())
    assert report.virtual
    assert [result.value for result in report.undisturbed] == ["y"]
    assert str(report).startswith(f"two_naps: {report.steps} steps, {report.runs} runs on the virtual clock in ")
    assert str(report).endswith(" s, none broken")


def test_a_tool_a_function_and_a_method_are_explored_and_arguments_may_be_json_text() -> None:
    class Counter:
        async def count(self, by: int) -> int:
            await trio.sleep(by)
            return by

    assert explore_cancellation(tool(two_naps)).name == "two_naps"
    assert explore_cancellation(Counter().count, '{"by": 2}').undisturbed[0].value == 2


def test_more_seeds_make_more_runs() -> None:
    one, three = (explore_cancellation(two_naps, seeds=seeds).cases for seeds in (1, 3))
    assert three == 3 * one


# --- what is refused --------------------------------------------------------------------------------------------------


async def test_inside_of_trio_it_is_refused() -> None:
    with pytest.raises(RuntimeError, match="an exploration runs Trio itself: call it from a plain function"):
        explore_cancellation(two_naps)


def test_a_name_that_no_plugin_brings_is_refused() -> None:
    with pytest.raises(ValueError, match=r'nothing to explore, the call cannot run: web_fetch: .*unknown tool "web_f'):
        explore_cancellation("web_fetch")


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r'the call cannot run: two_naps: .*invalid arguments: "note" must be a str'):
        explore_cancellation(two_naps, {"note": 3})


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a tool, a typed function or the name of a plugin's tool .* not 3"):
        explore_cancellation(3)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seeds", [0, -1, True, 1.5, "2"])
def test_seeds_are_a_positive_number(seeds: int) -> None:
    with pytest.raises(ValueError, match="seeds must be a positive whole number, not"):
        explore_cancellation(two_naps, seeds=seeds)


@pytest.mark.parametrize("number", [0, -1.0, float("inf"), float("nan")])
def test_bound_and_seconds_are_positive_and_finite(number: float) -> None:
    with pytest.raises(ValueError, match="bound"):
        explore_cancellation(two_naps, bound=number)
    with pytest.raises(ValueError, match="seconds"):
        explore_cancellation(two_naps, seconds=number)


# --- the check of one's own -------------------------------------------------------------------------------------------


def returns_false(run: Run) -> bool:
    return False


def returns_a_text(run: Run) -> str:
    return "a seat is lost"


def returns_no_text(run: Run) -> str:
    return ""


async def later_false(run: Run) -> bool:
    await trio.sleep(1)
    return False


def raises_value_error(run: Run) -> None:
    raise ValueError("no seat")


def asserts(run: Run) -> None:
    free = 2
    assert free == 3, f"{free} seats are free"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (returns_false, "it returned False"),
        (returns_a_text, "a seat is lost"),
        (returns_no_text, "it returned False"),
        (later_false, "it returned False"),
        (raises_value_error, "ValueError: no seat"),
        (asserts, "AssertionError: 2 seats are free"),
    ],
)
def test_a_check_objects_by_false_a_text_or_an_exception(check: Callable[[Run], object], words: str) -> None:
    report = broken(lambda: explore_cancellation(two_naps, check=check))
    (finding,) = report.failures[0].findings
    assert finding.check == "check"
    assert finding.words.startswith(f"the check of your own objects: {words}")


@pytest.mark.parametrize("answer", [None, True])
def test_a_check_that_gives_neither_is_content(answer: object) -> None:
    assert explore_cancellation(two_naps, check=lambda run: answer).failures == ()


def test_a_check_reads_the_case_the_result_and_what_happened() -> None:
    def check(run: Run) -> None:
        assert run.results == (run.result,)
        assert (run.result.code is None) == (run.case is None or run.lives[0].ended is None)
        assert run.happened == ()
        with pytest.raises(LookupError, match="no dict is among the services of this run"):
            run.service(dict)

    assert explore_cancellation(two_naps, check=check).failures == ()


def test_a_result_that_is_not_there_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="the call has no result"):
        _ = Run(None, [Life(0, "pay", int, set())]).result


# --- bounds -----------------------------------------------------------------------------------------------------------


async def cleans_up_for_long() -> str:
    """Takes 1 s, and 50 s to clean up."""
    try:
        await trio.sleep(20)
    except trio.Cancelled:
        with trio.move_on_after(90, shield=True):
            await trio.sleep(50)
        raise
    return "done"


def test_the_bound_says_how_long_a_call_may_take_to_settle() -> None:
    """20 s undisturbed: three times that is enough for 50 s of clean-up, twice is not."""
    assert explore_cancellation(cleans_up_for_long).failures == ()
    report = broken(lambda: explore_cancellation(cleans_up_for_long, bound=2))
    assert "the call does not settle: it goes on beyond its bound" in str(report)


def test_when_the_time_is_up_the_rest_is_said_to_be_untried() -> None:
    def check(run: Run) -> None:
        if run.case is not None:
            until = time.perf_counter() + 0.1
            while time.perf_counter() < until:
                pass

    report = explore_cancellation(two_naps, seconds=0.1, check=check)
    assert 0 < report.untried < report.cases
    assert report.unproved == (f"{report.untried} of {report.cases} cases were not tried: the time was up",)


def test_a_time_that_is_up_before_the_first_case_proves_nothing() -> None:
    with pytest.raises(ValueError, match="the time was up before the first of 30 cases was tried: give more seconds="):
        explore_cancellation(two_naps, seconds=1e-9)


def test_it_stops_after_five_cases_with_broken_promises_and_shows_one_of_each_kind() -> None:
    report = broken(lambda: explore_cancellation(two_naps, check=lambda run: run.case is None))
    assert len(report.failures) == 5
    assert str(report).count("again: ") == 1
    assert "... and 4 more cases" in str(report)
    assert f"stopped there: {report.untried} of {report.cases} cases were not tried" in str(report)
    assert ", 5 broken\n" in str(report)


def test_of_many_kinds_it_shows_three() -> None:
    report = broken(lambda: explore_cancellation(two_naps, check=lambda run: run.case is None or str(run.case)))
    assert len(report.failures) == 5
    assert str(report).count("again: ") == 3
    assert "... and 2 more cases" in str(report)


# --- what is allowed --------------------------------------------------------------------------------------------------


def test_a_check_that_is_allowed_to_fail_is_said_to_be_unproved() -> None:
    report = explore_cancellation(two_naps, check=returns_false, allow=["check"])
    assert (report.failures, report.unproved) == ((), ("check was not checked, as it is allowed",))


def test_what_is_no_check_cannot_be_allowed() -> None:
    with pytest.raises(ValueError, match="allow names 'leaks', and the checks are settles, truth, balanced, "):
        explore_cancellation(two_naps, allow=["leaks"])


class Noted:
    """What a tool wrote down."""

    def __init__(self) -> None:
        self.deadlines: list[float] = []  # seconds on Trio's clock


async def cleans_up_for_a_while(ctx: ToolContext) -> str:
    """Notes how much time it has, as often as it can."""
    try:
        await trio.sleep(1)
    finally:
        with trio.move_on_after(5, shield=True):
            for _ in range(3):
                await trio.lowlevel.checkpoint()
                ctx.require(Noted).deadlines.append(ctx.deadline)
    return "done"


def test_the_modes_of_two_events_have_both() -> None:
    causes: dict[Mode, set[Cause | None]] = {mode: set() for mode in Mode}
    least: dict[Mode, float] = dict.fromkeys(Mode, inf)

    def check(run: Run) -> None:
        state = run.lives[0].state
        if run.case is not None and state is not None:
            causes[run.case.mode].add(state.cause)
            least[run.case.mode] = min([least[run.case.mode], *run.service(Noted).deadlines])

    explore_cancellation(cleans_up_for_a_while, services=[Noted], check=check)
    assert causes[Mode.BUDGET] == {None}
    assert causes[Mode.BUDGET_FIRST] == {None, Cause.CALLER}
    assert least[Mode.BLOCKED] > least[Mode.CALLER_FIRST]
