"""The precedence table of the settlement, pair by pair of neighbours, highest first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
from around_tools import answering, execute, limit, opened, raising, rest, run, working
from trio.testing import MockClock

from trio_tools import (
    Allow,
    Ask,
    Block,
    CallNext,
    CallView,
    Cause,
    Deny,
    Dispatch,
    ErrorCode,
    ReplaceContent,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)


def never(view: object) -> None:
    raise AssertionError("a stage that must not be reached")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (ToolCall("answer", "{not json"), ErrorCode.INVALID_ARGS),
        (ToolCall("answer", {"extra": 1}), ErrorCode.INVALID_ARGS),
        (ToolCall("answer", {"extra": object()}), ErrorCode.INVALID_ARGS),
        (ToolCall("missing"), ErrorCode.UNKNOWN_TOOL),
    ],
    ids=["text", "extra", "object", "missing"],
)
async def test_intake_failure_over_cancelled_before_entry(call: ToolCall, code: str) -> None:
    """R007, D3."""
    scope = trio.CancelScope()
    scope.cancel()
    async with opened(answering()) as registry:
        registry.add_pre_policy(never)
        result = await registry.execute(call, scope=scope)
    assert (result.code, result.cause, result.dispatched) == (code, None, False)


async def test_cancelled_before_entry_over_a_policy_that_raises() -> None:
    """R009: the policy is not even asked."""
    scope = trio.CancelScope()
    scope.cancel()
    async with opened(answering()) as registry:
        registry.add_pre_policy(never)
        result = await registry.execute(ToolCall("answer"), scope=scope)
    assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER)


async def test_a_policy_that_raises_over_a_denial() -> None:
    """R030: one asks, which comes to a denial, a later one raises."""

    def fail(view: CallView) -> None:
        raise ValueError("broken")

    async with opened(answering()) as registry:
        registry.add_pre_policy(lambda view: Ask("sure?"))
        registry.add_pre_policy(fail)
        result = await execute(registry, "answer")
    assert (result.code, result.text) == (ErrorCode.POLICY_FAILED, "Error: broken")


async def test_a_policy_that_raises_over_a_cancel(autojump_clock: MockClock) -> None:
    """R030: also when it raises because of the cancel."""

    async def fail(view: CallView) -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("broken")

    async with opened(answering()) as registry:
        registry.add_pre_policy(fail)
        result = await execute(registry, "answer", cancel_at=1)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.POLICY_FAILED, None, False)


async def test_a_denial_over_cancelled_before_dispatch(autojump_clock: MockClock) -> None:
    """R030, R031: the policy is slow, the caller gives up, and then it says no."""

    async def deny(view: CallView) -> Deny:
        await rest(2)
        return Deny("not today")

    async with opened(answering()) as registry:
        registry.add_pre_policy(deny)
        result = await execute(registry, "answer", cancel_at=1)
    assert (result.code, result.text, result.cause) == (ErrorCode.DENIED, "Error: not today", None)
    assert trio.current_time() == 2


async def fail_at_once(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    raise ValueError("broken")


async def answer_at_once(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    return dispatch.success("short-circuit")


@pytest.mark.parametrize("wrapper", [fail_at_once, answer_at_once])
async def test_cancelled_before_dispatch_over_wrappers(
    autojump_clock: MockClock, wrapper: Callable[[Dispatch, CallNext], Awaitable[ToolResult]]
) -> None:
    """R030, R045: given up while the policies decided; they allow it, and no wrapper is entered any more."""

    async def allow(view: CallView) -> Allow:
        await rest(2)
        return Allow()

    reviewed: list[str | None] = []
    async with opened(answering(), wrappers=[wrapper], outside=True) as registry:
        registry.add_pre_policy(allow)
        registry.add_post_policy(lambda view, result: reviewed.append(result.code))
        result = await execute(registry, "answer", cancel_at=1)
    assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER)
    assert (result.superseded, reviewed) == (None, [ErrorCode.ABORTED_BEFORE_DISPATCH])


async def test_wrapper_failure_over_what_wrappers_inside_it_returned(autojump_clock: MockClock) -> None:
    """R054: over a claim, and over a cancel (its own error was raised because of it)."""

    async def fail_after(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        raise ToolError("ledger is gone", code="NO_LEDGER")

    over_claim = await run(working(), fail_after, limit(1))
    over_abort = await run(working(), fail_after, cancel_at=1)
    over_success = await run(answering(), fail_after)
    for result in (over_claim, over_abort, over_success):
        assert (result.code, result.cause, result.dispatched) == ("NO_LEDGER", None, True)


@pytest.mark.parametrize("how", ["success", "failure", "misfit", "abort"])
async def test_what_the_outermost_wrapper_returns_over_what_the_body_came_to(
    autojump_clock: MockClock, how: str
) -> None:
    """R042, R056: over success, failure, invalid output and an abort by a wrapper."""

    @tool(output=str)
    async def work() -> object:
        if how == "abort":
            await trio.sleep_forever()
        if how == "failure":
            raise ValueError("body")
        return "value" if how == "success" else 7

    async def override(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(1):
            await call_next()
        return dispatch.failure("overridden", code="OVERRIDDEN")

    result = await run(work, override)
    assert (result.code, result.cause, result.dispatched) == ("OVERRIDDEN", None, True)


async def test_a_claim_over_the_error_that_the_body_raised_because_of_it(autojump_clock: MockClock) -> None:
    """T023: and over a success and an abort, as the tests of claims show."""

    @tool(timeout=1)
    async def work() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ToolError("interrupted write", code="HALF_WRITTEN")

    result = await run(work)
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)
    assert "interrupted write" in result.text


@pytest.mark.parametrize("how", ["error", "misfit"])
async def test_body_failure_or_invalid_output_over_aborted(how: str) -> None:
    """R050, R051."""
    scope = trio.CancelScope()

    @tool(output=int)
    async def work() -> str:
        scope.cancel()
        if how == "error":
            raise ValueError("own")
        return "no number"

    async with opened(work) as registry:
        result = await registry.execute(ToolCall("work"), scope=scope)
    code = ErrorCode.TOOL_FAILED if how == "error" else ErrorCode.INVALID_TOOL_OUTPUT
    assert (result.code, result.cause, result.dispatched) == (code, None, True)


def block(view: CallView, result: ToolResult) -> Block:
    return Block("withheld")


def fail_review(view: CallView, result: ToolResult) -> None:
    raise ValueError("reviewer broke")


@pytest.mark.parametrize(
    ("policy", "code", "text"),
    [
        (block, ErrorCode.BLOCKED, "withheld"),
        (fail_review, ErrorCode.POLICY_FAILED, "Error: reviewer broke"),
    ],
)
async def test_a_post_policy_over_what_stands(
    autojump_clock: MockClock,
    policy: Callable[[CallView, ToolResult], Block | None],
    code: str,
    text: str,
) -> None:
    """R073, R075, D30: over an abort, a timeout, a failure, a denial and a success; the cause stays."""
    async with opened(
        working(cleanup=1, timeout=2), raising(ValueError("own"), ValueError("own")), answering()
    ) as registry:
        registry.add_post_policy(policy)
        results = [
            await execute(registry, "work", cancel_at=1),
            await execute(registry, "work"),
            await execute(registry, "raise"),
            await execute(registry, "answer"),
        ]
        registry.add_pre_policy(lambda view: Deny("no"))
        results.append(await execute(registry, "answer"))
    assert [(one.code, one.text) for one in results] == [(code, text)] * 5
    assert [one.cause for one in results] == [Cause.CALLER, Cause.DEADLINE, None, None, None]


@pytest.mark.parametrize("policy", [block, fail_review])
async def test_a_post_policy_over_a_cancel_that_comes_while_it_runs(
    autojump_clock: MockClock, policy: Callable[[CallView, ToolResult], Block | None]
) -> None:
    """R076: what is a failure by then stays one."""

    async def review(view: CallView, result: ToolResult) -> Block | None:
        await trio.sleep(2)
        return policy(view, result)

    async with opened(answering()) as registry:
        registry.add_post_policy(review)
        result = await execute(registry, "answer", cancel_at=1)
    assert result.code == (ErrorCode.BLOCKED if policy is block else ErrorCode.POLICY_FAILED)


async def test_a_cancel_over_a_success_that_is_still_one_after_its_review(autojump_clock: MockClock) -> None:
    """R076, D7: an abort, contexts kept; and what it superseded is what the policy left of it."""

    @tool
    async def work(ctx: ToolContext) -> str:
        ctx.defer_context("kept")
        return "secret"

    async def redact(view: CallView, result: ToolResult) -> ReplaceContent:
        await trio.sleep(2)
        return ReplaceContent("[redacted]")

    async with opened(work) as registry:
        registry.add_post_policy(redact)
        result = await execute(registry, "work", cancel_at=1)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.CALLER, True)
    assert result.contexts == ("kept",)
    assert result.superseded is not None
    assert result.superseded.text == "[redacted]"
    assert "secret" not in result.text
