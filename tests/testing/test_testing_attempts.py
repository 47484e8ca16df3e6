"""What an exploration makes of a wrapper that attempts a call again: a budget of each attempt ends that one alone."""

from __future__ import annotations

import pytest
import trio

from trio_tools import tool
from trio_tools.policies import RetryConfig, retry, timeout
from trio_tools.registry import AnyPlugin
from trio_tools.testing import BrokenPromiseError, explore_cancellation

PATIENT = retry(RetryConfig(attempts=4))
EACH: list[AnyPlugin] = [PATIENT, timeout]
WHOLE: list[AnyPlugin] = [timeout, PATIENT]


@tool(read_only=True, timeout=10)
async def nap() -> str:
    await trio.sleep(1)
    await trio.sleep(1)
    return "rested"


@tool(read_only=True, timeout=10)
async def deaf() -> str:
    try:
        await trio.sleep(1)
    except trio.Cancelled:
        return "not rested"
    return "rested"


@pytest.mark.parametrize("plugins", [EACH, WHOLE], ids=["each", "whole"])
def test_a_call_that_is_attempted_again_keeps_every_promise(plugins: list[AnyPlugin]) -> None:
    """R042: with a budget for each attempt the call comes to what it comes to undisturbed; with one for the whole it
    has timed out."""
    report = explore_cancellation(nap, "", plugins=plugins)
    assert (report.failures, report.untried) == ((), 0)
    assert report.steps > 3


def test_what_an_earlier_attempt_did_wrong_is_found() -> None:
    """Though the next one did well."""
    with pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation(deaf, "", plugins=EACH)
    found = caught.value.report.failures
    assert {finding.check for failure in found for finding in failure.findings} == {"swallows"}
