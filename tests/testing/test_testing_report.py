"""Reports: what was found, the line that replays it, and what a replay shows and refuses."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from trio_tools.testing import BrokenPromiseError, Case, Failure, Finding, Mode, Report, Run, explore_cancellation
from trio_tools.testing._case import read_case
from trio_tools.testing._report import REPLAY, replay_line


async def asks_twice() -> str:
    await trio.sleep(1)
    await trio.sleep(1)
    return "answer"


def report_of(explore: Callable[[], object]) -> Report:
    with pytest.raises(BrokenPromiseError) as caught:
        explore()
    assert str(caught.value) == str(caught.value.report)
    return caught.value.report


def objects_at_step_two(run: Run) -> str | None:
    return "a seat is lost" if run.case == Case(Mode.WAKING, 2) else None


def test_a_failure_says_mode_step_seed_place_check_words_and_how_to_see_it_again() -> None:
    report = report_of(lambda: explore_cancellation(asks_twice, check=objects_at_step_two))
    (failure,) = report.failures
    assert failure.case == Case(Mode.WAKING, 2, 0)
    assert failure.findings == (Finding("check", "the check of your own objects: a seat is lost"),)
    lines = failure.words("asks_twice").splitlines()
    assert lines[0] == f"asks_twice, cancelled as it wakes at step 2 (seed 0), at {failure.place}"
    assert lines[1] == "  check: the check of your own objects: a seat is lost"
    assert lines[2].startswith("  again: TRIO_TOOLS_REPLAY=asks_twice:waking:2:0 python -m pytest ")
    assert ", 1 broken\n" in str(report)


def test_the_place_is_the_line_of_the_tool() -> None:
    report = report_of(lambda: explore_cancellation(asks_twice, check=lambda run: run.case is None))
    first = asks_twice.__code__.co_firstlineno
    assert report.failures[0].place == f"{__file__}:{first + 1} asks_twice"


def test_what_is_broken_undisturbed_is_told_alone_and_has_no_replay() -> None:
    report = report_of(lambda: explore_cancellation(asks_twice, check=lambda run: False))
    (failure,) = report.failures
    assert (report.cases, report.runs) == (0, 2)
    assert failure.words("asks_twice").splitlines() == [
        "asks_twice, undisturbed",
        "  check: the check of your own objects: it returned False",
    ]


@pytest.mark.parametrize("mode", Mode)
def test_a_case_is_written_and_read(mode: Mode) -> None:
    case = Case(mode, 7, 3)
    assert read_case(str(case)) == case
    assert case.words.endswith("at step 7 (seed 3)")


# --- the line that replays --------------------------------------------------------------------------------------------


def test_in_a_test_the_line_runs_that_test(request: pytest.FixtureRequest) -> None:
    line = replay_line("pay", Case(Mode.BLOCKED, 7))
    assert line == f"TRIO_TOOLS_REPLAY=pay:blocked:7:0 python -m pytest {shlex.quote(request.node.nodeid)}"


def test_in_another_folder_the_line_names_the_file_in_full(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    test = shlex.split(replay_line("pay", Case(Mode.BLOCKED, 7)))[-1]
    assert test == f"{request.path}::{request.node.name}"


@pytest.mark.parametrize("command", [["prove.py"], ["-m", "shop.prove", "two words"], ["-c", "prove('it')"]])
def test_in_a_program_the_line_is_the_command_that_was_run(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(sys, "orig_argv", ["/somewhere/python3", *command])
    line = replay_line("a+b", Case(Mode.CALLER_FIRST, 1, 2))
    assert shlex.split(line) == ["TRIO_TOOLS_REPLAY=a+b:caller-first:1:2", "python", *command]


# --- replays ----------------------------------------------------------------------------------------------------------


def replayed(monkeypatch: pytest.MonkeyPatch, value: str) -> list[Case | None]:
    """The cases that an exploration makes when it is asked to replay this, if it passes."""
    seen: list[Case | None] = []
    monkeypatch.setenv(REPLAY, value)
    report = explore_cancellation(asks_twice, check=lambda run: seen.append(run.case))
    assert report.runs == len(seen)
    return seen


def test_a_replay_makes_the_one_case_and_shows_its_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replayed(monkeypatch, "asks_twice:budget:2:0") == [None, None, Case(Mode.BUDGET, 2)]
    told = capsys.readouterr().out
    assert told.startswith("every promise held: asks_twice, out of budget while blocked at step 2 (seed 0), at ")
    (marked,) = [line.strip() for line in told.splitlines() if line.strip().startswith(">")]
    assert marked.startswith("> 2 task ")


def test_a_replay_of_a_failure_fails_with_the_same_words_and_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    first = report_of(lambda: explore_cancellation(asks_twice, check=objects_at_step_two))
    monkeypatch.setenv(REPLAY, "asks_twice:waking:2:0")
    again = report_of(lambda: explore_cancellation(asks_twice, check=objects_at_step_two))
    (before,), (after,) = first.failures, again.failures
    assert (after.case, after.place, after.findings) == (before.case, before.place, before.findings)
    assert before.trace == ()
    assert sum(line.startswith("> 2 task ") for line in after.trace) == 1
    assert f"    {after.trace[0]}" in str(again)
    assert (again.runs, again.cases) == (3, 1)
    assert again.unproved == ("every other case: TRIO_TOOLS_REPLAY asked for this one",)


def test_a_replay_under_another_seed_has_its_own_undisturbed_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replayed(monkeypatch, "asks_twice:blocked:1:5") == [None, None, None, Case(Mode.BLOCKED, 1, 5)]


def test_a_replay_of_another_tool_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(replayed(monkeypatch, "asks_thrice:blocked:1:0")) > 20


@pytest.mark.parametrize(
    "case", ["", "blocked", "blocked:1", "blocked:0:0", "blocked:x:0", "asleep:1:0", "blocked:1:-1"]
)
def test_a_case_that_is_written_wrong_is_refused_with_how_it_is_written(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(REPLAY, f"asks_twice:{case}")
    with pytest.raises(
        ValueError, match=r'a case is written mode:step:seed, such as "blocked:7:0", with a mode of'
    ) as e:
        explore_cancellation(asks_twice)
    assert str(e.value).endswith(f"caller-first, interrupt; not {case!r}")


def test_a_step_that_never_comes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REPLAY, "asks_twice:blocked:99:0")
    words = "TRIO_TOOLS_REPLAY: the call of asks_twice has 5 steps, so blocked:99:0 never comes"
    with pytest.raises(ValueError, match=words):
        explore_cancellation(asks_twice)


def test_a_report_can_be_read_without_having_run_anything() -> None:
    report = Report(
        name="pay",
        steps=3,
        runs=19,
        cases=18,
        untried=0,
        missed=0,
        seconds=0.5,
        virtual=False,
        undisturbed=(),
        failures=(Failure(case=None, place="", findings=(Finding("files", "a file"),)),),
        unproved=("this", "that"),
    )
    assert str(report).splitlines() == [
        "pay: 3 steps, 19 runs on the real clock in 0.50 s, 1 broken",
        "pay, undisturbed",
        "  files: a file",
        "unproved: this",
        "unproved: that",
    ]
