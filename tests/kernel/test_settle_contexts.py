"""Contexts that are deferred, the flag that concludes a turn, and what every candidate is checked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

import attrs
import pytest
import trio
from trio.testing import MockClock
from turn_tools import codes, once

from trio_tools import (
    Block,
    CallNext,
    CallView,
    Deny,
    Dispatch,
    ErrorCode,
    ErrorInfo,
    NotJSON,
    Registry,
    ReplaceContent,
    Text,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    to_json,
    tool,
)

Prepare: TypeAlias = Callable[[Registry, trio.CancelScope], None]


async def work(what: str, ctx: ToolContext) -> object:
    ctx.defer_context({"step": 1})
    ctx.defer_context("step 2")
    ctx.conclude_turn()
    match what:
        case "sleep":
            await trio.sleep(60)
        case "raise":
            raise ValueError("no")
        case "odd":
            return {1, 2, object()}
        case _:
            return what
    return None


def _nothing(registry: Registry, scope: trio.CancelScope) -> None:
    pass


def _cancel(registry: Registry, scope: trio.CancelScope) -> None:
    scope.deadline = trio.current_time() + 0.5


def _block(registry: Registry, scope: trio.CancelScope) -> None:
    registry.add_post_policy(lambda call, result: Block("no"))


def _broken_policy(registry: Registry, scope: trio.CancelScope) -> None:
    def fail(call: CallView, result: ToolResult) -> None:
        raise OSError("no linter")

    registry.add_post_policy(fail)


def _broken_wrapper(registry: Registry, scope: trio.CancelScope) -> None:
    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        raise OSError("no cache")

    registry.add_wrapper(fail)


def _replacing_wrapper(registry: Registry, scope: trio.CancelScope) -> None:
    async def replace(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        return dispatch.failure("not good enough", code="REJECTED")

    registry.add_wrapper(replace)


def _finalize(result: ToolResult) -> None:
    if result.code is None:
        raise OSError("no paper")


@pytest.mark.parametrize(
    ("prepare", "what", "code"),
    [
        (_nothing, "raise", ErrorCode.TOOL_FAILED),
        (_nothing, "odd", ErrorCode.INVALID_TOOL_OUTPUT),
        (_nothing, "sleep", ErrorCode.TOOL_TIMEOUT),
        (_cancel, "sleep", ErrorCode.ABORTED),
        (_block, "go", ErrorCode.BLOCKED),
        (_broken_policy, "go", ErrorCode.POLICY_FAILED),
        (_broken_wrapper, "go", ErrorCode.WRAPPER_FAILED),
        (_replacing_wrapper, "go", "REJECTED"),
        (_nothing, "go", ErrorCode.FINALIZER_FAILED),
    ],
)
async def test_a_body_s_contexts_survive_whatever_replaces_its_outcome(
    prepare: Prepare, what: str, code: str, autojump_clock: MockClock
) -> None:
    """D7, R100, R101, R054, R074: in order; and R102: a failure concludes nothing."""
    async with open_registry() as registry:
        registry.register(tool(timeout=1, finalize_content=_finalize)(work))
        scope = trio.CancelScope()
        prepare(registry, scope)
        result = await registry.execute(ToolCall("work", {"what": what}), scope=scope)
    assert (result.code, result.contexts) == (code, ({"step": 1}, "step 2"))
    assert result.concludes_turn is False


async def test_contexts_of_the_body_come_first_then_those_of_others() -> None:
    """R059, R101, D7: in the order in which each was deferred."""

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        dispatch.defer_context("of the wrapper, before")
        result = await call_next()
        dispatch.defer_context("of the wrapper, after")
        return result

    async with open_registry() as registry:
        registry.register(work)
        registry.add_pre_policy(lambda call: call.defer_context("of the gate"))
        registry.add_wrapper(wrap)
        registry.add_post_policy(lambda call, result: call.defer_context("of the review"))
        result = await once(registry, "work", what="go")
    assert result.contexts == (
        {"step": 1},
        "step 2",
        "of the gate",
        "of the wrapper, before",
        "of the wrapper, after",
        "of the review",
    )


async def test_a_context_is_a_snapshot_and_must_be_json() -> None:
    """R100, R090"""
    refused: list[str] = []

    @tool
    async def careless(ctx: ToolContext) -> str:
        item = {"a": [1]}
        ctx.defer_context(item)
        item["a"].append(2)
        try:
            ctx.defer_context({1, 2})
        except NotJSON as error:
            refused.append(str(error))
        return "a"

    async with open_registry() as registry:
        registry.register(careless)
        result = await once(registry, "careless")
    assert (result.contexts, len(refused)) == (({"a": [1]},), 1)


async def test_a_context_that_comes_after_the_result_is_dropped() -> None:
    """R100: a result does not change once it is made."""
    kept: list[ToolContext] = []

    @tool
    async def keep(ctx: ToolContext) -> str:
        kept.append(ctx)
        return "a"

    async with open_registry() as registry:
        registry.register(keep)
        registry.add_observer(lambda call, result: call.defer_context("late"))
        result = await once(registry, "keep")
        kept[0].defer_context("later")
        kept[0].conclude_turn()
    assert (result.contexts, result.concludes_turn) == ((), False)


async def test_contexts_stand_in_their_own_results_in_call_order(autojump_clock: MockClock) -> None:
    """L009, D23: so that an agent can append them after all results, whichever call ends first."""

    @tool(parallel=True)
    async def tell(label: str, seconds: float, ctx: ToolContext) -> str:
        await trio.sleep(seconds)
        ctx.defer_context(label)
        return label

    async with open_registry() as registry:
        registry.register(tell)
        calls = [ToolCall("tell", {"label": label, "seconds": 9 - at}) for at, label in enumerate("abc")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [context for result in results for context in result.contexts] == ["a", "b", "c"]


async def test_a_success_that_concludes_the_turn_says_so_and_no_other_does() -> None:
    """L018, R102: a flag for the embedding loop; the registry itself goes on with the turn."""

    @tool
    async def last(ctx: ToolContext) -> str:
        ctx.conclude_turn()
        return "bye"

    @tool
    async def composite() -> str:
        return (await once(registry, "last")).text

    @tool
    async def plain() -> str:
        return "a"

    async with open_registry() as registry:
        for one in (last, composite, plain):
            registry.register(one)
        calls = [ToolCall(name) for name in ("last", "plain", "composite")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.concludes_turn for result in results] == [True, False, False]
    assert codes(results) == [None, None, None]


def _replaced_by_odd_text(registry: Registry) -> None:
    registry.add_post_policy(lambda call, result: ReplaceContent("\ud800"))


def _blocked_by_odd_text(registry: Registry) -> None:
    registry.add_post_policy(lambda call, result: Block((Text("\ud800"),)))


def _denied_by_odd_text(registry: Registry) -> None:
    registry.add_pre_policy(lambda call: Deny("\ud800"))


def _failed_by_odd_text(registry: Registry) -> None:
    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return dispatch.failure("\ud800")

    registry.add_wrapper(fail)


def _made_of_odd_text(registry: Registry) -> None:
    async def alter(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        return attrs.evolve(
            result, value=None, content=(Text("\ud800"),), error=ErrorInfo("E", "ODD", "\ud800"), contexts=("a",)
        )

    registry.add_wrapper(alter)


def _claimed_with_odd_text(registry: Registry) -> None:
    async def claim(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return await dispatch.within(0.5, call_next, ErrorInfo("E", "ODD", "\ud800"))

    registry.add_wrapper(claim)


@pytest.mark.parametrize(
    "prepare",
    [
        _replaced_by_odd_text,
        _blocked_by_odd_text,
        _denied_by_odd_text,
        _failed_by_odd_text,
        _made_of_odd_text,
        _claimed_with_odd_text,
    ],
)
async def test_text_that_no_store_can_hold_gets_into_no_result(
    prepare: Callable[[Registry], None], autojump_clock: MockClock
) -> None:
    """R090: the candidate is snapshotted, whoever made it; a lone surrogate has no UTF-8."""
    async with open_registry() as registry:
        registry.register(work)
        prepare(registry)
        result = await once(registry, "work", what="sleep")
    assert result.is_error
    assert json.dumps(to_json(result), ensure_ascii=False).encode()
