"""Seeded bad tools: each is found by the right check, and by no other; its corrected twin passes."""

from __future__ import annotations

import pytest
from seeded import Seeded
from seeded_tools import SERVICES, TOOLS

from trio_tools.testing import BrokenPromiseError, Report, explore_cancellation
from trio_tools.testing._checks import CHECKS
from trio_tools.tool import Body


def explored(seeded: Seeded, body: Body) -> Report:
    return explore_cancellation(
        body,
        plugins=seeded.plugins,
        services=(*SERVICES, *seeded.services),
        check=seeded.of_own,
        seconds=seeded.seconds,
    )


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_a_bad_tool_is_found_by_the_right_check(seeded: Seeded) -> None:
    with pytest.raises(BrokenPromiseError) as caught:
        explored(seeded, seeded.bad)
    found = {finding.check for failure in caught.value.report.failures for finding in failure.findings}
    assert found == {seeded.check}


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_its_corrected_twin_passes(seeded: Seeded) -> None:
    report = explored(seeded, seeded.good)
    assert report.failures == ()
    assert [result.text for result in report.undisturbed if result.is_error] == seeded.fails


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_with_its_check_made_inert_it_goes_unnoticed(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    """M030: the check, and nothing else, found it. What is made inert is what it says, not that it is asked."""
    asked: list[str] = []

    def inert(run: object, baseline: object) -> tuple[str, ...]:
        asked.append(seeded.check)
        return ()

    monkeypatch.setitem(CHECKS, seeded.check, inert)
    assert explored(seeded, seeded.bad).failures == ()
    assert asked


def test_half_of_them_come_from_public_reports_and_every_check_has_one() -> None:
    assert len(TOOLS) >= 20
    assert sum(one.source != "own" for one in TOOLS) * 2 >= len(TOOLS)
    assert {one.check for one in TOOLS} == CHECKS.keys() - {"balanced"}  # which only the registry can break
