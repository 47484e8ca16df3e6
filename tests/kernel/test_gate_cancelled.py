"""Cancels that come while policies decide: who wins, and that nobody is left behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing
from intake_tools import Trail, call, trailed

from trio_tools import (
    Allow,
    CallNext,
    CallView,
    Cause,
    Deny,
    Dispatch,
    ErrorCode,
    Registry,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)

BEFORE = "Error: tool call aborted before dispatch"


@tool
async def never() -> None:
    pytest.fail("the body ran")


async def lets_it_out(view: CallView) -> None:
    await trio.sleep_forever()


async def denies(view: CallView) -> Deny:
    try:
        await trio.sleep_forever()
    finally:
        return Deny("given up, so no")  # noqa: B012 - it swallows the cancel on purpose


async def raises(view: CallView) -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise ToolError("the database went away", code="NO_DATABASE")


async def allows(view: CallView) -> Allow:
    try:
        await trio.sleep_forever()
    finally:
        return Allow()  # noqa: B012 - it swallows the cancel on purpose


async def is_deaf(view: CallView) -> None:
    with trio.CancelScope(shield=True):
        await trio.sleep(5)


async def is_deaf_and_denies(view: CallView) -> Deny:
    await is_deaf(view)
    return Deny("too late, and no")


Policy = Callable[[CallView], Awaitable[object]]

# what the policy does when the caller gives up; text and code of the result; whether post-policies see it
OUTCOMES: list[tuple[Policy, str, str, bool]] = [
    (lets_it_out, BEFORE, "ABORTED_BEFORE_DISPATCH", True),
    (allows, BEFORE, "ABORTED_BEFORE_DISPATCH", True),
    (is_deaf, BEFORE, "ABORTED_BEFORE_DISPATCH", True),
    (denies, "Error: given up, so no", "DENIED", True),
    (is_deaf_and_denies, "Error: too late, and no", "DENIED", True),
    (raises, "Error: the database went away", "NO_DATABASE", False),
]


@pytest.mark.parametrize(("policy", "text", "code", "reviewed"), OUTCOMES)
@pytest.mark.parametrize("by_deadline", [True, False])
async def test_who_wins_when_the_caller_gives_up_during_the_gate(  # noqa: PLR0917 - a table's columns
    policy: Policy, text: str, code: str, reviewed: bool, by_deadline: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """R030, RT5, R031: a policy's failure over a denial over the cancel; it is always waited for."""
    scope = trio.CancelScope()
    stages = ["policy", "post-policy", "observer"] if reviewed else ["policy", "observer"]
    async with trailed(never) as (registry, trail), trio.open_nursery() as nursery:
        registry.add_pre_policy(policy)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        if by_deadline:
            scope.deadline = trio.current_time() + 1
        else:
            nursery.start_soon(_cancel_after, scope, 1)
        result = await call(registry, "never", scope=scope)
        waited = trio.current_time()
    assert (result.text, result.code, result.dispatched) == (text, code, False)
    assert result.cause == (Cause.CALLER if code == "ABORTED_BEFORE_DISPATCH" else None)
    assert trail.stages == stages
    assert waited == pytest.approx(5 if policy in (is_deaf, is_deaf_and_denies) else 1)
    assert trail.at("observer").cancel_requested


async def _cancel_after(scope: trio.CancelScope, seconds: float) -> None:
    await trio.sleep(seconds)
    scope.cancel("enough")


@pytest.mark.parametrize(("policy", "text", "code", "reviewed"), OUTCOMES)
async def test_the_same_holds_under_an_enclosing_cancel(
    policy: Policy, text: str, code: str, reviewed: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """R030, RT5, D4: published with the same outcome, and then the cancel goes on."""
    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(policy)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        with trio.move_on_after(1) as enclosing:
            await call(registry, "never")
            pytest.fail("an enclosing cancel must go on")
        assert enclosing.cancelled_caught
    assert [(result.text, result.code) for result in trail.results] == [(text, code)]
    assert ("post-policy" in trail.stages) is reviewed
    assert "wrapper" not in trail.stages


async def test_a_cancel_by_a_policy_that_then_allows_ends_the_call_there() -> None:
    """R030: cancelled before dispatch, whoever did it; later policies may still deny."""
    scope = trio.CancelScope()
    asked: list[str] = []

    def cancels(view: CallView) -> Allow:
        scope.cancel()
        return Allow()

    def denies_it(view: CallView) -> Deny:
        asked.append("second")
        return Deny("no")

    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(cancels)
        with registry.add_pre_policy(denies_it):
            denied = await call(registry, "never", scope=scope)
        scope = trio.CancelScope()
        result = await call(registry, "never", scope=scope)
    assert asked == ["second"]
    assert denied.text == "Error: no"
    assert result.text == BEFORE
    assert trail.stages == ["policy", "post-policy", "observer"] * 2


@pytest.mark.parametrize("policy", [allows, is_deaf])
async def test_no_wrapper_is_entered_by_a_call_that_was_given_up_at_the_gate(
    policy: Policy, autojump_clock: trio.testing.MockClock
) -> None:
    """R030: the caller is looked for between gate and wrappers; cancelled before dispatch precedes what they do."""
    entered: list[str] = []

    async def breaks(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        entered.append(dispatch.name)
        raise ToolError("the wrapper broke", code="BROKEN_WRAPPER")

    async with open_registry(defaults=False) as registry:
        registry.register(never)
        registry.add_wrapper(breaks)
        registry.add_pre_policy(policy)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        result = await call(registry, "never", scope=trio.CancelScope(deadline=trio.current_time() + 1))
    assert (result.text, result.code) == (BEFORE, ErrorCode.ABORTED_BEFORE_DISPATCH)
    assert entered == []


async def test_a_policy_that_is_slow_to_notice_is_waited_for(autojump_clock: trio.testing.MockClock) -> None:
    """R031: it shows as pending at the gate meanwhile, with its line; nothing is published before it has come back."""
    scope = trio.CancelScope()
    back: list[float] = []

    async def cleans_up(view: CallView) -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(30, shield=True):
                await trio.sleep(20)
            back.append(trio.current_time())

    async def watch(registry: Registry, trail: Trail) -> None:
        await trio.sleep(1)
        scope.cancel()
        await trio.sleep(10)
        (pending,) = registry.pending()
        assert (pending.stage, pending.tool) == ("gate", "never")
        assert pending.seconds_since_cancel == pytest.approx(10)
        assert any("cleans_up" in line for line in pending.where)
        assert trail.results == []

    async with trailed(never) as (registry, trail), trio.open_nursery() as nursery:
        registry.add_pre_policy(cleans_up)
        nursery.start_soon(watch, registry, trail)
        result = await call(registry, "never", scope=scope)
        assert trio.current_time() == pytest.approx(21)
    assert back == [pytest.approx(21)]
    assert result.text == BEFORE


async def test_a_stored_cancel_raised_on_a_live_call_is_the_policys_failure(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """R022, R030: the scope is the predicate, never the type of what was raised."""
    stored: list[trio.Cancelled] = []
    with trio.move_on_after(1):
        try:
            await trio.sleep_forever()
        except trio.Cancelled as cancelled:
            stored.append(cancelled)
            raise

    async def replays(view: CallView) -> None:
        raise stored[0]

    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(replays)
        result = await call(registry, "never")
    assert (result.code, result.cause) == (ErrorCode.POLICY_FAILED, None)
    assert result.text.removeprefix("Error: ").strip()
    assert trail.stages == ["policy", "observer"]


async def test_a_policys_own_limit_is_its_own_business(autojump_clock: trio.testing.MockClock) -> None:
    """R022, R030: its TooSlowError on a live call is its failure; a limit that it handles is nobody's."""

    async def too_slow(view: CallView) -> None:
        with trio.fail_after(1):
            await trio.sleep_forever()

    async def handles(view: CallView) -> Deny:
        with trio.move_on_after(1):
            await trio.sleep_forever()
        return Deny("nobody answered in time")

    async with trailed(never) as (registry, _):
        with registry.add_pre_policy(too_slow):
            failed = await call(registry, "never")
        with registry.add_pre_policy(handles):
            denied = await call(registry, "never")
    assert (failed.code, failed.cause) == (ErrorCode.POLICY_FAILED, None)
    assert "TooSlowError" in failed.text
    assert denied.text == "Error: nobody answered in time"


async def test_a_turn_given_up_during_a_gate_asks_about_nothing_more(autojump_clock: trio.testing.MockClock) -> None:
    """R030, L011: the later calls were never at the gate."""
    async with trailed(never) as (registry, trail):
        registry.add_pre_policy(lets_it_out)
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        results = await registry.execute_turn([ToolCall("never", {})] * 3, scope=scope)
    assert [result.code for result in results] == [ErrorCode.ABORTED_BEFORE_DISPATCH] * 3
    assert trail.stages == ["policy", "post-policy", "observer", "observer", "observer"]
