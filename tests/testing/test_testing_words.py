"""What an exploration says to somebody who meets it for the first time."""

from __future__ import annotations

import pytest

from trio_tools import ToolContext
from trio_tools.testing import Case, Failure, Finding, Mode, Report, explore_cancellation


class Till:
    """A service."""


async def charge(ctx: ToolContext) -> str:
    ctx.require(Till)
    return "charged"


async def charge_if_there_is_a_till(ctx: ToolContext) -> str:
    try:
        ctx.require(Till)
    except LookupError:
        return "not charged"
    return "charged"


def a_report(*failures: Failure, untried: int = 0) -> Report:
    return Report(
        name="charge",
        steps=1,
        runs=1,
        cases=6,
        untried=untried,
        missed=0,
        seconds=0,
        virtual=True,
        undisturbed=(),
        failures=failures,
        unproved=(),
    )


def a_failure(step: int, words: str) -> Failure:
    return Failure(case=Case(Mode.BLOCKED, step), place="here", findings=(Finding("files", words),))


def test_a_tool_whose_service_nobody_provides_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cannot run: charge: .* no .*Till is provided: name it in services="):
        explore_cancellation(charge)
    assert explore_cancellation(charge, services=[Till]).failures == ()


def test_a_tool_may_do_without_a_service() -> None:
    (result,) = explore_cancellation(charge_if_there_is_a_till).undisturbed
    assert result.value == "not charged"


def test_a_report_shows_one_case_of_each_kind() -> None:
    failures = [a_failure(1, "a file"), a_failure(2, "a file"), a_failure(3, "a folder"), a_failure(4, "a file")]
    lines = str(a_report(*failures, untried=2)).splitlines()
    assert [line.split("(seed")[0] for line in lines if line.startswith("charge, ")] == [
        "charge, cancelled while blocked at step 1 ",
        "charge, cancelled while blocked at step 3 ",
    ]
    assert lines[-2:] == ["... and 2 more cases", "stopped there: 2 of 6 cases were not tried"]


def test_a_report_counts_as_people_do() -> None:
    assert str(a_report()) == "charge: 1 step, 1 run on the virtual clock in 0.00 s, none broken"
    assert str(a_report(a_failure(1, "a"), a_failure(2, "a"))).splitlines()[-1] == "... and 1 more case"


def test_a_replay_says_that_nothing_else_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIO_TOOLS_REPLAY", "charge_if_there_is_a_till:blocked:1:0")
    report = explore_cancellation(charge_if_there_is_a_till)
    assert report.unproved == ("every other case: TRIO_TOOLS_REPLAY asked for this one",)
