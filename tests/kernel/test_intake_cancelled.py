"""Calls that were given up before their body: it does not run, and the result says so."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest
import trio
import trio.testing
from intake_tools import Trail, call, cancelled_scope, trailed

from trio_tools import (
    Allow,
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    ErrorInfo,
    ToolResult,
    open_registry,
    tool,
)

BEFORE = "Error: tool call aborted before dispatch"
AFTER = "Error: tool call aborted"


@tool
async def greedy() -> str:
    """Would do its work before its first checkpoint."""
    pytest.fail("the body ran")


@tool(name="greedy")
def greedy_thread() -> str:
    pytest.fail("the body ran")


@tool
async def sleeper(ready: bool = True) -> None:
    await trio.sleep_forever()


def _expired(seconds_ago: float) -> trio.CancelScope:
    return trio.CancelScope(deadline=trio.current_time() - seconds_ago)


GIVEN_UP: list[Callable[[], trio.CancelScope]] = [
    cancelled_scope,
    lambda: _expired(1),
    lambda: _expired(0),
    lambda: trio.CancelScope(relative_deadline=0),
]


@pytest.mark.parametrize("give_up", GIVEN_UP)
@pytest.mark.parametrize("body", [greedy, greedy_thread], ids=["async", "thread"])
async def test_given_up_before_entry_no_stage_runs(
    give_up: Callable[[], trio.CancelScope], body: Callable[..., object]
) -> None:
    """R009, RT2: one frozen result goes to observers, and is the very object that the caller gets."""
    scope = give_up()
    async with open_registry() as registry:
        registry.register(body)
        trail = Trail()
        trail.join(registry)
        result = await call(registry, "greedy", "", scope=scope)
    assert trail.stages == ["observer"]
    assert trail.results[0] is result
    assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER)
    assert (result.dispatched, result.superseded, result.value) == (False, None, None)
    look = trail.at("observer")
    assert look.cancel_requested
    assert look.arguments == {}
    assert scope.cancel_called
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        result.__setattr__("dispatched", True)


async def test_the_two_aborts_to_the_letter(autojump_clock: trio.testing.MockClock) -> None:
    """R010: text, code, name, and the message without the prefix."""
    async with trailed(sleeper) as (registry, _):
        before = await call(registry, "sleeper", scope=cancelled_scope())
        after = await call(registry, "sleeper", scope=trio.CancelScope(deadline=trio.current_time() + 1))
    assert (before.text, after.text) == (BEFORE, AFTER)
    assert before.error == ErrorInfo("AbortError", "ABORTED_BEFORE_DISPATCH", "tool call aborted before dispatch")
    assert after.error == ErrorInfo("AbortError", "ABORTED", "tool call aborted")
    assert (before.dispatched, after.dispatched) == (False, True)
    assert (before.code, after.code) == (ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.25, "250"), (2, "2000"), (1.5, "1500"), (0.0005, "0.5"), (3600, "3600000"), (1234.567, "1234567")],
)
async def test_budgets_are_seconds_and_texts_are_milliseconds(
    seconds: float, shown: str, autojump_clock: trio.testing.MockClock
) -> None:
    """D2, T023: whole where they are whole."""
    began = trio.current_time()
    async with open_registry() as registry:
        registry.register(tool(timeout=seconds)(sleeper.body))
        result = await call(registry, "sleeper")
    assert result.text == f"Error: tool call timed out after {shown}ms"
    assert result.error == ErrorInfo("ToolTimeoutError", "TOOL_TIMEOUT", f"tool call timed out after {shown}ms")
    assert trio.current_time() - began == pytest.approx(seconds)


@pytest.mark.parametrize("expired", [False, True], ids=["cancelled", "deadline"])
async def test_under_an_enclosing_cancel_the_body_is_not_entered(
    expired: bool, mock_clock: trio.testing.MockClock
) -> None:
    """RT2, R009, D4: also by a deadline that Trio has not noticed yet; published, and then the cancel goes on."""
    async with trailed(greedy) as (registry, trail):
        with trio.CancelScope(deadline=trio.current_time() + 1) as enclosing:
            if expired:
                mock_clock.jump(1)
            else:
                enclosing.cancel()
            await call(registry, "greedy")
            pytest.fail("an enclosing cancel must go on")
        assert enclosing.cancelled_caught
        assert registry.pending() == []
    assert [result.text for result in trail.results] == [BEFORE]
    assert trail.results[0].cause == Cause.CALLER


@pytest.mark.parametrize("stage", ["policy", "wrapper"])
@pytest.mark.parametrize("body", [greedy, greedy_thread], ids=["async", "thread"])
async def test_a_deadline_that_passes_unnoticed_before_the_body_counts(
    stage: str, body: Callable[..., object], mock_clock: trio.testing.MockClock
) -> None:
    """RT2, R045: a stage blocks the loop past the caller's deadline; the last look sees it before Trio does."""
    scope = trio.CancelScope(deadline=trio.current_time() + 1)

    async def block(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if stage == "wrapper":
            mock_clock.jump(1)
        return await call_next()

    async with open_registry() as registry:
        registry.register(body)
        registry.add_wrapper(block)
        if stage == "policy":
            registry.add_pre_policy(lambda _: mock_clock.jump(1))
        result = await call(registry, "greedy", scope=scope)
    assert (result.text, result.dispatched, result.cause) == (BEFORE, False, Cause.CALLER)


async def test_a_scope_cancelled_by_a_wrapper_that_goes_on_enters_no_body() -> None:
    """RT2, R045: without a checkpoint in between."""
    scope = trio.CancelScope()

    async def cancel(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        scope.cancel()
        return await call_next()

    async with trailed(greedy) as (registry, _):
        registry.add_wrapper(cancel)
        result = await call(registry, "greedy", scope=scope)
    assert (result.text, result.dispatched) == (BEFORE, False)


async def test_move_on_after_no_time_enters_no_body() -> None:
    """RT2: Trio itself would enter it, and let it run to its first checkpoint."""
    entered: list[str] = []

    async def work() -> None:
        entered.append("plain Trio")
        await trio.lowlevel.checkpoint()

    with trio.move_on_after(0):
        await work()
    assert entered == ["plain Trio"]
    bound: list[ToolResult] = []

    async def hurry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(0):
            bound.append(await call_next())
        return dispatch.failure("no time", code="NO_TIME")

    async with trailed(greedy) as (registry, _):
        registry.add_wrapper(hurry)
        result = await call(registry, "greedy")
    assert (result.code, result.dispatched) == ("NO_TIME", False)
    assert [one.code for one in bound] in ([], [ErrorCode.ABORTED_BEFORE_DISPATCH])


async def test_a_call_given_up_from_its_own_observer_is_over_already() -> None:
    """R009, R010: classification has been; the next call in a new scope is as ever."""
    scope = trio.CancelScope()

    @tool
    async def quick() -> str:
        return "done"

    def observe(view: CallView, result: ToolResult) -> None:
        scope.cancel()

    async with trailed(quick) as (registry, _):
        registry.add_pre_policy(lambda _: Allow())
        with registry.add_observer(observe):
            first = await call(registry, "quick", scope=scope)
        second = await call(registry, "quick")
    assert (first.value, second.value) == ("done", "done")
