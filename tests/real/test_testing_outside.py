"""Seeded bad tools: each is found by the right check, and by no other; its corrected twin passes."""

from __future__ import annotations

import pytest
from seeded import Seeded, check_twin, check_unnoticed, found_in
from seeded_outside import TOOLS
from seeded_tools import TOOLS as OTHERS

from trio_tools.testing._checks import CHECKS


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_a_bad_tool_with_threads_processes_or_sockets_is_found_by_the_right_check(seeded: Seeded) -> None:
    assert found_in(seeded) == {seeded.check}


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_the_corrected_twin_with_threads_processes_or_sockets_passes(seeded: Seeded) -> None:
    check_twin(seeded)


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_with_its_check_made_inert_a_bad_tool_with_threads_processes_or_sockets_goes_unnoticed(
    seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M030."""
    check_unnoticed(seeded, monkeypatch)


def test_half_of_all_come_from_public_reports_and_every_check_has_one() -> None:
    every = [*TOOLS, *OTHERS]
    assert len(every) >= 20
    assert sum(one.source != "own" for one in every) * 2 >= len(every)
    assert {one.check for one in every} == CHECKS.keys() - {"balanced"}  # which only the registry can break
