"""Case B09: a cancel taken for a timeout, and the reverse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from around_tools import opened, run, working
from trio.testing import MockClock

from trio_tools import Cause, ErrorCode, ToolCall, deadline, tool


class ReadTimeout(Exception):  # noqa: N818 - its name where it comes from
    """As an HTTP library's: its text is empty."""

    def __str__(self) -> str:
        return ""


async def test_a_cancel_by_the_caller_is_no_timeout(autojump_clock: MockClock) -> None:
    """Case B09 (a): though a scope with a deadline was cancelled."""
    result = await run(working(timeout=60), cancel_at=0.1)
    assert (result.code, result.cause, result.text) == (ErrorCode.ABORTED, Cause.CALLER, "Error: tool call aborted")


async def test_a_cancel_by_the_caller_is_no_timeout_of_the_bodys_own_limits(autojump_clock: MockClock) -> None:
    """Case B09 (a): the body has limits of its own, which have not run out; nobody may say that they have."""
    expired: list[bool] = []

    @tool(timeout=60)
    async def fetch() -> None:
        with trio.fail_after(30):
            with deadline(20) as limit:
                try:
                    await trio.sleep_forever()
                finally:
                    expired.append(limit.expired)
            expired.append(limit.expired)

    result = await run(fetch, cancel_at=0.1)
    assert (result.code, result.cause, expired) == (ErrorCode.ABORTED, Cause.CALLER, [False])


def too_slow() -> None:
    raise trio.TooSlowError


def read_timeout() -> None:
    raise ReadTimeout("")


def builtin_timeout() -> None:
    raise TimeoutError


def grouped_timeout() -> None:
    raise ExceptionGroup("", [ExceptionGroup("", [ReadTimeout("")])])


@pytest.mark.parametrize(
    ("fail", "name"),
    [
        (too_slow, "TooSlowError"),
        (read_timeout, "ReadTimeout"),
        (builtin_timeout, "TimeoutError"),
        (grouped_timeout, "ReadTimeout"),
    ],
)
async def test_a_timeout_that_the_body_raises_is_its_failure(
    autojump_clock: MockClock, fail: Callable[[], None], name: str
) -> None:
    """Case B09 (b), (c), (d): named by its type, never blank; the turn goes on."""

    @tool(timeout=60)
    async def fetch() -> None:
        fail()

    async with opened(fetch, working(1)) as registry:
        failed, fine = await registry.execute_turn([ToolCall("fetch"), ToolCall("work")], scope=trio.CancelScope())
    assert (failed.code, failed.cause, failed.dispatched) == (ErrorCode.TOOL_FAILED, None, True)
    assert failed.error is not None
    assert (failed.error.name, failed.error.message, failed.text) == (name, name, f"Error: {name}")
    assert fine.value == "worked"


async def test_a_limit_inside_the_body_that_runs_out_is_its_failure(autojump_clock: MockClock) -> None:
    """Case B09 (b): `fail_after` really waits here, within the budget."""

    @tool(timeout=60)
    async def fetch() -> None:
        with trio.fail_after(1):
            await trio.sleep_forever()

    result = await run(fetch)
    assert (result.code, result.text, trio.current_time()) == (ErrorCode.TOOL_FAILED, "Error: TooSlowError", 1)


async def test_the_budget_running_out_is_a_timeout(autojump_clock: MockClock) -> None:
    """Case B09 (e): it names the budget."""
    result = await run(working(timeout=0.1))
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)
    assert result.text == "Error: tool call timed out after 100ms"


@pytest.mark.parametrize("failure", [trio.TooSlowError(), ReadTimeout(""), TimeoutError()], ids=repr)
async def test_a_timeout_that_the_body_raises_when_it_is_cut(autojump_clock: MockClock, failure: Exception) -> None:
    """Case B09, T023, R050: as HTTP libraries do. The scope decides, not the type: out of budget it is the budget's,
    after the caller's cancel it stays the tool's own error; what the body raised stays known."""

    @tool(timeout=2)
    async def fetch() -> None:
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            raise failure from None

    expired = await run(fetch)
    assert (expired.code, expired.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)
    assert expired.superseded is not None
    assert expired.superseded.error is not None
    assert expired.superseded.error.name == type(failure).__name__
    cancelled = await run(fetch, cancel_at=1)
    assert (cancelled.code, cancelled.cause) == (ErrorCode.TOOL_FAILED, None)
