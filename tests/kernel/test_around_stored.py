"""A `Cancelled` that was kept from elsewhere says nothing of the call that it is raised on."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest
import trio
from around_tools import answering, execute, opened, raising, run

from trio_tools import CallNext, Dispatch, ErrorCode, ToolResult


@attrs.define
class Stored:
    """A `Cancelled` that was caught in one place, to be raised in another."""

    one: trio.Cancelled | None = None

    async def catch(self) -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                await trio.lowlevel.checkpoint()
            except trio.Cancelled as cancelled:
                self.one = cancelled


def grouped(cancelled: trio.Cancelled) -> BaseException:
    return BaseExceptionGroup("", [cancelled, BaseExceptionGroup("", [cancelled])])


def bare(cancelled: trio.Cancelled) -> BaseException:
    return cancelled


@pytest.mark.parametrize("shape", [bare, grouped])
async def test_a_stored_cancelled_on_a_live_call_is_a_failure(
    shape: Callable[[trio.Cancelled], BaseException],
) -> None:
    """R050: the predicate is the scope; no abort, no timeout, and the turn goes on."""
    stored = Stored()
    await stored.catch()
    assert stored.one is not None
    async with opened(raising(shape(stored.one), timeout=60)) as registry:
        result = await execute(registry, "raise")
        assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_FAILED, None, True)
        assert "Cancelled" in result.text
        assert (await execute(registry, "raise")).value == "recovered"


async def test_a_stored_cancelled_of_a_wrapper_on_a_live_call_is_its_failure() -> None:
    """R054."""
    stored = Stored()
    await stored.catch()

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        assert stored.one is not None
        raise stored.one

    result = await run(answering(), fail)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.WRAPPER_FAILED, None, False)
