"""Post-policies: over which results they run, and what each of their answers does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
import trio
from trio.testing import MockClock
from turn_tools import once

from trio_tools import (
    Block,
    CallNext,
    CallView,
    Deny,
    Dispatch,
    ErrorCode,
    Image,
    Json,
    Registry,
    ReplaceContent,
    ReplaceValue,
    Text,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)

Prepare: TypeAlias = Callable[[Registry, trio.CancelScope], ToolCall]


@tool
async def echo(text: str) -> str:
    return text


@tool(timeout=1)
async def slow() -> str:
    await trio.sleep(60)
    return "late"


@tool
async def boom() -> str:
    raise ToolError("no disk", code="DISK_GONE")


@tool(output=list[int])
async def counts(note: str, ctx: ToolContext) -> list[int]:
    ctx.defer_context(note)
    return [1, 2]


def _register(registry: Registry) -> None:
    for one in (echo, slow, boom, counts):
        registry.register(one)


def _success(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    return ToolCall("echo", {"text": "a"})


def _failure(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    return ToolCall("boom")


def _timeout(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    return ToolCall("slow")


def _abort(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    scope.deadline = trio.current_time() + 0.5
    return ToolCall("slow")


def _denial(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    registry.add_pre_policy(lambda call: Deny("not on Sundays"))
    return ToolCall("echo", {"text": "a"})


def _cut_at_the_gate(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    async def ponder(call: CallView) -> None:
        scope.cancel()
        await trio.sleep(60)

    registry.add_pre_policy(ponder)
    return ToolCall("echo", {"text": "a"})


@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (_success, None),
        (_failure, "DISK_GONE"),
        (_timeout, ErrorCode.TOOL_TIMEOUT),
        (_abort, ErrorCode.ABORTED),
        (_denial, ErrorCode.DENIED),
        (_cut_at_the_gate, ErrorCode.ABORTED_BEFORE_DISPATCH),
    ],
)
async def test_what_went_through_the_gate_or_was_stopped_there_is_reviewed(
    prepare: Prepare, code: str | None, autojump_clock: MockClock
) -> None:
    """R070, D30: dispatched results, denials and aborts at the gate."""
    seen: list[str | None] = []
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: seen.append(result.code))
        scope = trio.CancelScope()
        result = await registry.execute(prepare(registry, scope), scope=scope)
    assert seen == [code] == [result.code]


def _unknown(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    return ToolCall("nothing")


def _bad_arguments(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    return ToolCall("echo", "{")


def _cancelled_before(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    scope.cancel()
    return ToolCall("echo", {"text": "a"})


def _failing_gate(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    def fail(call: CallView) -> None:
        raise OSError("no policy file")

    registry.add_pre_policy(fail)
    return ToolCall("echo", {"text": "a"})


def _failing_wrapper(registry: Registry, scope: trio.CancelScope) -> ToolCall:
    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        raise OSError("no cache")

    registry.add_wrapper(fail)
    return ToolCall("echo", {"text": "a"})


@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (_unknown, ErrorCode.UNKNOWN_TOOL),
        (_bad_arguments, ErrorCode.INVALID_ARGS),
        (_cancelled_before, ErrorCode.ABORTED_BEFORE_DISPATCH),
        (_failing_gate, ErrorCode.POLICY_FAILED),
        (_failing_wrapper, ErrorCode.WRAPPER_FAILED),
    ],
)
async def test_what_never_started_and_what_a_stage_broke_is_not_reviewed(prepare: Prepare, code: str) -> None:
    """R070, R054: final results pass by the post-policies."""
    seen: list[str | None] = []
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: seen.append(result.code))
        scope = trio.CancelScope()
        result = await registry.execute(prepare(registry, scope), scope=scope)
    assert (result.code, seen) == (code, [])


async def test_content_is_replaced_and_the_value_stays() -> None:
    """R071"""
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: ReplaceContent((Text("one"), Json({"two": 2}))))
        result = await once(registry, "echo", text="a")
    assert (result.value, result.text, result.is_error) == ("a", 'one\n{"two": 2}', False)


async def test_a_replaced_value_is_rendered_anew() -> None:
    """R071"""
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: ReplaceValue({"b": [1]}))
        result = await once(registry, "echo", text="a")
    assert (result.value, result.text, result.dispatched) == ({"b": [1]}, '{"b": [1]}', True)


async def test_each_policy_reviews_what_the_one_before_it_left() -> None:
    """R071: sync and async alike, in order of registration."""

    async def second(call: CallView, result: ToolResult) -> ReplaceContent:
        await trio.lowlevel.checkpoint()
        return ReplaceContent(result.text + "2")

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: ReplaceContent(result.text + "1"))
        registry.add_post_policy(second)
        registry.add_post_policy(lambda call, result: None)
        assert (await once(registry, "echo", text="0")).text == "012"


@pytest.mark.parametrize("gone", ["unregistered", "replaced"])
async def test_a_replaced_value_is_checked_by_the_tool_that_ran(gone: str) -> None:
    """R077, D25: also if that tool has gone since, or another has its name."""

    @tool(name="counts", output=str)
    async def other() -> str:
        return "a"

    def replace(call: CallView, result: ToolResult) -> ReplaceValue:
        registry.unregister("counts")
        if gone == "replaced":
            registry.register(other)
        return ReplaceValue([3] if call.id == "good" else "a string")

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(replace)
        good = await once(registry, "counts", "good", note="n")
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(replace)
        bad = await once(registry, "counts", "bad", note="n")
    assert (good.value, good.code) == ([3], None)
    assert (bad.value, bad.code) == (None, ErrorCode.INVALID_TOOL_OUTPUT)


async def test_a_failure_stays_one_when_its_content_is_replaced() -> None:
    """R072"""
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: ReplaceContent("try the other disk"))
        result = await once(registry, "boom")
    assert (result.text, result.code, result.value) == ("try the other disk", "DISK_GONE", None)


async def test_the_value_of_a_failure_cannot_be_replaced() -> None:
    """R072"""
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: ReplaceValue("all is well"))
        result = await once(registry, "boom")
    assert (result.code, result.value) == (ErrorCode.POLICY_FAILED, None)
    assert "cannot replace the value of a failed result" in result.text


@pytest.mark.parametrize(
    ("feedback", "message"),
    [
        ("too long", "too long"),
        ((Text("a"), Text("b")), "a\nb"),
        ((Text("a"), Image("aGk=", "image/png"), Json([1])), "a\n[image content]\n[json content]"),
        ("", "tool result blocked by post-execute policy"),
        ((), "tool result blocked by post-execute policy"),
    ],
)
async def test_a_block_is_a_failure_that_reads_as_the_feedback(
    feedback: str | tuple[Text | Image | Json, ...], message: str
) -> None:
    """R073, D1: no `Error: ` in front, no value, and (ours) the code BLOCKED."""
    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(lambda call, result: Block(feedback))
        result = await once(registry, "echo", text="a")
    assert result.error is not None
    assert (result.error.message, result.code, result.value) == (message, ErrorCode.BLOCKED, None)
    assert result.content == (feedback if isinstance(feedback, tuple) and feedback else (Text(message),))
    assert (result.dispatched, result.superseded) == (True, None)
