"""Redaction: what a post-policy takes out, or could not look at, stands nowhere in the result."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Heard, Log

from trio_tools import (
    Block,
    CallSettled,
    CallView,
    ErrorCode,
    Registry,
    ReplaceContent,
    ReplaceValue,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    to_json,
    tool,
)

Review: TypeAlias = "Callable[[CallView, ToolResult], object]"
SECRET = "sk-51-hush"


@tool
async def prompt() -> dict[str, str]:
    return {"key": SECRET}


@tool(timeout=1)
async def late() -> str:
    with trio.CancelScope(shield=True):
        await trio.sleep(2)
    return SECRET


@tool(timeout=1)
async def late_failure() -> str:
    try:
        await trio.sleep_forever()
    finally:
        raise ToolError(f"cannot log in with {SECRET}", code="LOGIN_FAILED")


def shown(result: ToolResult) -> str:
    return json.dumps(to_json(result))


class Published:
    """Everybody who is given the result."""

    def __init__(self) -> None:
        self.log, self.heard = Log(), Heard()
        self.told: list[ToolResult] = []

    def on_settled(self, position: int, result: ToolResult) -> None:
        self.told.append(result)

    def results(self) -> list[ToolResult]:
        return [*self.told, *self.heard.results, *(event.result for event in self.log.settled)]


@asynccontextmanager
async def opened(published: Published) -> AsyncGenerator[Registry]:
    async with open_registry() as registry:
        for one in (prompt, late, late_failure):
            registry.register(one)
        registry.add_recorder(published.log)
        registry.add_observer(published.heard)
        yield registry


async def executed(review: Review, name: str, scope: trio.CancelScope | None = None) -> ToolResult:
    """The result of a call that this policy reviews; nobody else was told anything but it."""
    published = Published()
    async with opened(published) as registry:
        registry.add_post_policy(review)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        (result,) = await registry.execute_turn(
            [ToolCall(name)], scope=scope or trio.CancelScope(), on_settled=published.on_settled
        )
    assert published.results() == [result] * 3
    return result


async def _hang(call: CallView, result: ToolResult) -> None:
    await trio.sleep_forever()


async def _outstay(call: CallView, result: ToolResult) -> ReplaceContent:
    with trio.CancelScope(shield=True):
        await trio.sleep(60)
    return ReplaceContent("nothing to see")


async def _swallow(call: CallView, result: ToolResult) -> ReplaceContent:
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        return ReplaceContent(result.content)


async def _fail_late(call: CallView, result: ToolResult) -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise OSError("the vault is sealed")


def _fail(call: CallView, result: ToolResult) -> None:
    raise OSError("the vault is sealed")


def _exit(call: CallView, result: ToolResult) -> None:
    raise SystemExit(3)


async def _fail_in_a_nursery(call: CallView, result: ToolResult) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)
        raise OSError("the vault is sealed")


@pytest.mark.parametrize("review", [_fail, _exit, _fail_in_a_nursery, _hang, _outstay, _swallow, _fail_late])
@pytest.mark.parametrize("name", ["prompt", "late", "late_failure"])
async def test_a_policy_that_fails_or_overruns_withholds_everything(
    review: Review, name: str, autojump_clock: MockClock
) -> None:
    """R075, D30: content, value, and what the result had replaced."""
    result = await executed(review, name)
    assert (result.code, result.superseded) == (ErrorCode.POLICY_FAILED, None)
    assert (result.is_error, result.dispatched) == (True, True)
    assert SECRET not in shown(result)


async def test_a_policy_that_blocks_the_loop_past_its_grace_withholds_everything(autojump_clock: MockClock) -> None:
    """R075, D30: it had no checkpoint to be cut at; what it says comes too late."""

    def block(call: CallView, result: ToolResult) -> None:
        autojump_clock.jump(6)

    result = await executed(block, "prompt")
    assert (result.code, result.superseded) == (ErrorCode.POLICY_FAILED, None)
    assert SECRET not in shown(result)


@pytest.mark.parametrize("review", [_fail, _hang])
async def test_a_redactor_that_fails_on_a_cancelled_call_withholds_everything(
    review: Review, autojump_clock: MockClock
) -> None:
    """R075, D30: the abort would have told what the body came to."""
    result = await executed(review, "late", trio.CancelScope(deadline=trio.current_time() + 0.5))
    assert (result.code, result.superseded) == (ErrorCode.POLICY_FAILED, None)
    assert SECRET not in shown(result)


@pytest.mark.parametrize("answer", [ReplaceContent("[redacted]"), Block("[redacted]"), ReplaceContent("")])
@pytest.mark.parametrize("given_up_at", [0.5, 60.0])
@pytest.mark.parametrize("name", ["late", "late_failure"])
async def test_what_came_too_late_is_redacted_with_the_result(
    answer: ReplaceContent | Block, name: str, given_up_at: float, autojump_clock: MockClock
) -> None:
    """D6, R072, R073: the superseded outcome loses its value and reads as what was put in its place."""

    def redact(call: CallView, result: ToolResult) -> ReplaceContent | Block | None:
        return answer if SECRET in shown(result) and result.superseded is not None else None

    result = await executed(redact, name, trio.CancelScope(deadline=trio.current_time() + given_up_at))
    if name == "late_failure" and given_up_at < 1:
        # the body's own error stands (R050), and its message with it: there only a block takes it out
        assert (result.code, result.superseded) == ("LOGIN_FAILED", None)
        return
    expected = ErrorCode.TOOL_TIMEOUT if given_up_at > 1 else ErrorCode.ABORTED
    assert result.code == (ErrorCode.BLOCKED if isinstance(answer, Block) else expected)
    assert result.superseded is not None
    assert (result.superseded.value, result.superseded.content) == (None, result.content)
    assert SECRET not in shown(result)


async def test_a_blocked_success_is_nowhere() -> None:
    """R073"""
    result = await executed(lambda call, result: Block("[redacted]"), "prompt")
    assert (result.text, SECRET in shown(result)) == ("[redacted]", False)


async def test_a_replaced_value_is_nowhere() -> None:
    """R071"""
    result = await executed(lambda call, result: ReplaceValue({"key": "***"}), "prompt")
    assert (result.value, SECRET in shown(result)) == ({"key": "***"}, False)


async def test_a_cancel_after_a_value_was_replaced_does_not_bring_it_back() -> None:
    """R076: the abort tells what the success had become by then."""
    scope = trio.CancelScope()

    async def replace(call: CallView, result: ToolResult) -> ReplaceValue:
        scope.cancel()
        await trio.lowlevel.checkpoint()
        return ReplaceValue({"key": "***"})

    result = await executed(replace, "prompt", scope)
    assert (result.code, SECRET in shown(result)) == (ErrorCode.ABORTED, False)
    assert result.superseded is not None
    assert result.superseded.value == {"key": "***"}


async def test_a_cancel_after_content_was_replaced_does_not_bring_the_value_back() -> None:
    """R076: what a policy does to a result it does to `superseded` too, whose value goes when content is replaced."""
    scope = trio.CancelScope()

    async def redact(call: CallView, result: ToolResult) -> ReplaceContent:
        scope.cancel()
        await trio.lowlevel.checkpoint()
        return ReplaceContent("[redacted]")

    result = await executed(redact, "prompt", scope)
    assert (result.code, result.superseded is not None) == (ErrorCode.ABORTED, True)
    assert "[redacted]" in result.text
    assert SECRET not in shown(result)


async def test_a_finalizer_that_fails_does_not_bring_the_value_back() -> None:
    """R091: the success that it fails on had been redacted."""

    def fail(result: ToolResult) -> None:
        raise OSError("no paper")

    async with open_registry() as registry:
        registry.register(tool(name="prompt", finalize_content=fail)(prompt.body))
        registry.add_post_policy(lambda call, result: ReplaceContent("[redacted]"))
        result = await registry.execute(ToolCall("prompt"), scope=trio.CancelScope())
    assert (result.code, result.superseded is not None) == (ErrorCode.FINALIZER_FAILED, True)
    assert SECRET not in shown(result)


@pytest.mark.parametrize("order", ["redactor first", "redactor last"])
async def test_another_policy_that_fails_withholds_what_a_redactor_saw_or_not(order: str) -> None:
    """R075"""

    def redact(call: CallView, result: ToolResult) -> ReplaceContent:
        return ReplaceContent("[redacted]")

    async with open_registry() as registry:
        registry.register(prompt)
        for review in (redact, _fail) if order == "redactor first" else (_fail, redact):
            registry.add_post_policy(review)
        result = await registry.execute(ToolCall("prompt"), scope=trio.CancelScope())
    assert (result.code, result.value, SECRET in shown(result)) == (ErrorCode.POLICY_FAILED, None, False)


async def test_a_redactor_comes_to_its_end_while_everything_around_it_is_cancelled(autojump_clock: MockClock) -> None:
    """D30, D4: an enclosing scope, which nobody hands over, cuts it off no more than the caller's own."""
    published = Published()

    async def redact(call: CallView, result: ToolResult) -> Block:
        await trio.sleep(4)
        return Block("[redacted]")

    async with opened(published) as registry:
        registry.add_post_policy(redact)
        with trio.move_on_after(0.5) as enclosing:
            await registry.execute_turn([ToolCall("late")], scope=trio.CancelScope(), on_settled=published.on_settled)
        assert enclosing.cancelled_caught
    assert [(result.text, SECRET in shown(result)) for result in published.results()] == [("[redacted]", False)] * 3


async def test_the_record_of_the_call_holds_nothing_of_the_result() -> None:
    """R075, L016: of all events only *settled* carries a result, and it is the reviewed one."""
    published = Published()
    async with opened(published) as registry:
        registry.add_post_policy(_fail)
        await registry.execute(ToolCall("prompt"), scope=trio.CancelScope())
    assert len(published.log.events) == 4
    assert isinstance(published.log.events[-1], CallSettled)
    assert [event for event in published.log.events if SECRET in json.dumps(to_json(event))] == []
