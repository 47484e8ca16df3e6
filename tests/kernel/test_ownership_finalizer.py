"""The end of the precedence table: what a failing finalizer stands over, and what stands over it."""

from __future__ import annotations

import logging

import pytest
import trio
from around_tools import run
from trio.testing import MockClock

from trio_tools import ErrorCode, ToolResult, tool


def break_down(result: ToolResult) -> str:
    raise ValueError("finalizer broke")


@pytest.mark.parametrize("how", ["abort", "timeout", "failure", "misfit"])
async def test_any_failure_over_a_finalizer_that_fails(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    """R091, R092: over an error it is only logged."""

    @tool(finalize_content=break_down, timeout=2, output=str)
    async def work() -> object:
        if how == "failure":
            raise ValueError("own")
        if how != "misfit":
            await trio.sleep_forever()
        return {1, 2}

    with caplog.at_level(logging.ERROR, "trio_tools"):
        result = await run(work, cancel_at=1 if how == "abort" else 9)
    codes = {"abort": "ABORTED", "timeout": "TOOL_TIMEOUT", "failure": "TOOL_FAILED", "misfit": "INVALID_TOOL_OUTPUT"}
    assert result.code == codes[how]
    assert "finalizer broke" in caplog.text


async def test_a_finalizer_that_fails_over_a_success() -> None:
    """R091: what the tool came to stays known."""

    @tool(finalize_content=break_down)
    async def work() -> str:
        return "worked"

    result = await run(work)
    assert (result.code, "finalizer broke" in result.text.splitlines()[0]) == (ErrorCode.FINALIZER_FAILED, True)
    assert result.superseded is not None
    assert result.superseded.value == "worked"
