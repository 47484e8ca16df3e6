"""The spill policy on a real disk, round a call that is ended at every step."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from trio_tools import Tool, tool
from trio_tools.policies import SpillConfig, spill
from trio_tools.testing import Run, explore_cancellation

LONG = "long " * 1_000
# Bytes that are shown.
CAP = 1_024
# Bytes that the registry puts in front when a call was given up while its result was being saved: that it was, and that
# the tool has run all the same.
ON_TOP = 100


@tool
async def recite() -> str:
    """Say a lot, after a while."""
    await trio.sleep(0.01)
    return LONG


@tool
async def complain() -> str:
    """Fail at length."""
    await trio.sleep(0.01)
    raise ValueError(LONG)


@pytest.mark.parametrize("one", [recite, complain], ids=lambda one: one.name)
def test_a_call_with_a_long_result_keeps_every_promise_however_it_is_ended(one: Tool, tmp_path: Path) -> None:
    """F011, M017, R070: each result is cut to the cap, in both places, and no file outlives its registry."""

    def check(run: Run) -> None:
        for result in run.results:
            assert len(result.text.encode()) <= CAP + ON_TOP
            assert result.superseded is None or LONG not in result.superseded.text
        assert len(list(tmp_path.glob("*"))) <= 1

    config = SpillConfig(directory=tmp_path, max_inline_bytes=CAP)
    report = explore_cancellation(one, plugins=[spill(config)], check=check)
    assert (report.untried, report.failures) == (0, ())
    assert "bytes left out" in report.undisturbed[0].text
    assert list(tmp_path.iterdir()) == []
