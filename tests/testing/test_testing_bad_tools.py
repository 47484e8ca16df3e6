"""Seeded bad tools: each is found by the right check, and by no other; its corrected twin passes."""

from __future__ import annotations

import pytest
from seeded import Seeded, check_twin, check_unnoticed, found_in
from seeded_tools import TOOLS


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_a_bad_tool_is_found_by_the_right_check(seeded: Seeded) -> None:
    assert found_in(seeded) == {seeded.check}


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_the_corrected_twin_passes(seeded: Seeded) -> None:
    check_twin(seeded)


@pytest.mark.parametrize("seeded", TOOLS, ids=str)
def test_with_its_check_made_inert_a_bad_tool_goes_unnoticed(seeded: Seeded, monkeypatch: pytest.MonkeyPatch) -> None:
    """M030."""
    check_unnoticed(seeded, monkeypatch)
