"""Post-policies that fail, contexts, and cancels that come while they run."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Log, begin, once

from trio_tools import (
    Block,
    CallNext,
    CallView,
    Cause,
    Deny,
    Dispatch,
    ErrorCode,
    Registry,
    ReplaceContent,
    ReplaceValue,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)


@tool
async def echo(text: str) -> str:
    return text


@tool
async def slow() -> str:
    await trio.sleep(60)
    return "late"


@tool
async def noted(ctx: ToolContext) -> str:
    ctx.defer_context("of the body")
    return "a"


def _register(registry: Registry) -> None:
    for one in (echo, slow, noted):
        registry.register(one)


@pytest.mark.parametrize("answer", [True, "a text", ("a",), Deny("no"), 0])
async def test_an_answer_that_is_none_withholds_the_result(answer: object) -> None:
    """R075: what a policy means by it nobody knows, so nobody reads the result."""

    def odd(call: CallView, result: ToolResult) -> object:
        return answer

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(odd)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        result = await once(registry, "echo", text="a")
    assert (result.code, result.value) == (ErrorCode.POLICY_FAILED, None)
    assert type(answer).__name__ in result.text


@pytest.mark.parametrize("cancelled", [False, True])
@pytest.mark.parametrize(("code", "expected"), [(None, ErrorCode.POLICY_FAILED), ("LINT_DOWN", "LINT_DOWN")])
async def test_a_policy_that_raises_is_the_outcome(code: str | None, expected: str, cancelled: bool) -> None:
    """R075, R095: with its message and a code of its own, and whether or not the call is cancelled."""
    scope = trio.CancelScope()

    def fail(call: CallView, result: ToolResult) -> None:
        if cancelled:
            scope.cancel()
        raise ToolError("the linter is down", code=code)

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(fail)
        result = await registry.execute(ToolCall("echo", {"text": "a"}), scope=scope)
    assert (result.text, result.code) == ("Error: the linter is down", expected)
    assert (result.value, result.superseded, result.dispatched) == (None, None, True)


async def test_policies_run_on_a_cancelled_call_and_are_not_cut(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """D30: under a shield, so that a redactor always comes to its end."""
    ended: list[float] = []

    async def review(call: CallView, result: ToolResult) -> None:
        await trio.sleep(3)
        ended.append(trio.current_time())

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(review)
        run = begin(nursery, registry, [ToolCall("slow")])
        await trio.sleep(0.5)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, ended) == ([ErrorCode.ABORTED], [3.5])
    assert run.told[0][1].cause is Cause.CALLER


@pytest.mark.parametrize("answer", [None, ReplaceContent("b"), ReplaceValue("b"), Block("no")])
async def test_contexts_of_a_policy_come_after_those_that_were_there(
    answer: ReplaceContent | ReplaceValue | Block | None,
) -> None:
    """R074, R059, D7: whatever the policy decides, a block included."""

    def review(call: CallView, result: ToolResult) -> ReplaceContent | ReplaceValue | Block | None:
        call.defer_context("of the policy")
        return answer

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(review)
        result = await once(registry, "noted")
    assert result.contexts == ("of the body", "of the policy")


async def test_contexts_survive_a_policy_that_raises() -> None:
    """R075, D7"""

    def review(call: CallView, result: ToolResult) -> None:
        call.defer_context("of the policy")
        raise OSError("no disk")

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(review)
        result = await once(registry, "noted")
    assert (result.code, result.contexts) == (ErrorCode.POLICY_FAILED, ("of the body", "of the policy"))


@pytest.mark.parametrize("short_cut", [False, True])
async def test_a_cancel_during_a_policy_turns_a_success_to_an_abort(short_cut: bool) -> None:
    """R076: by whether the body was entered; contexts are kept."""
    scope = trio.CancelScope()

    async def answer(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return dispatch.success("from the cache") if short_cut else await call_next()

    async def review(call: CallView, result: ToolResult) -> None:
        assert result.code is None
        call.defer_context("of the policy")
        scope.cancel()
        await trio.lowlevel.checkpoint()

    async with open_registry() as registry:
        _register(registry)
        registry.add_wrapper(answer)
        registry.add_post_policy(review)
        result = await registry.execute(ToolCall("echo", {"text": "a"}), scope=scope)
    code = ErrorCode.ABORTED_BEFORE_DISPATCH if short_cut else ErrorCode.ABORTED
    assert (result.code, result.cause, result.dispatched) == (code, Cause.CALLER, not short_cut)
    assert result.contexts == ("of the policy",)
    assert result.superseded is not None
    assert result.superseded.value == ("from the cache" if short_cut else "a")


@pytest.mark.parametrize("recorded", [False, True])
async def test_a_cancel_that_a_policy_makes_itself_is_seen_without_a_checkpoint(recorded: bool) -> None:
    """R076: it was made before the policy came back, whatever else the scheduler has to do at that time."""
    scope = trio.CancelScope()
    async with open_registry() as registry:
        _register(registry)
        if recorded:
            registry.add_recorder(Log())
        registry.add_post_policy(lambda call, result: scope.cancel())
        result = await registry.execute(ToolCall("echo", {"text": "a"}), scope=scope)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)


@pytest.mark.parametrize("kind", ["blocked", "denied"])
async def test_a_cancel_during_a_policy_leaves_failures(kind: str) -> None:
    """R076: blocks stay, and so does what had failed before."""
    scope = trio.CancelScope()

    def review(call: CallView, result: ToolResult) -> Block | None:
        scope.cancel()
        return Block("no") if kind == "blocked" else None

    async with open_registry() as registry:
        _register(registry)
        if kind == "denied":
            registry.add_pre_policy(lambda call: Deny("not here"))
        registry.add_post_policy(review)
        result = await registry.execute(ToolCall("echo", {"text": "a"}), scope=scope)
    assert (result.code, result.cause) == (kind.upper(), None)


async def test_a_policy_that_hangs_on_a_cancelled_call_is_cut_at_its_grace(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """D30: the shield is bounded, so a cancelled agent is not held up for ever."""

    async def hang(call: CallView, result: ToolResult) -> None:
        await trio.sleep_forever()

    async with open_registry(policy_grace=2) as registry:
        _register(registry)
        registry.add_post_policy(hang)
        run = begin(nursery, registry, [ToolCall("slow")])
        await trio.sleep(0.5)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, run.settled) == ([ErrorCode.POLICY_FAILED], {0: 2.5})


async def test_all_policies_of_a_call_share_one_grace(autojump_clock: MockClock) -> None:
    """D30"""

    async def linger(call: CallView, result: ToolResult) -> None:
        await trio.sleep(3)

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(linger)
        registry.add_post_policy(linger)
        result = await once(registry, "echo", text="a")
    assert (result.code, trio.current_time()) == (ErrorCode.POLICY_FAILED, 5)


async def test_the_grace_of_one_call_is_not_that_of_another(autojump_clock: MockClock) -> None:
    async def linger(call: CallView, result: ToolResult) -> None:
        await trio.sleep(3)

    async with open_registry() as registry:
        _register(registry)
        registry.add_post_policy(linger)
        calls = [ToolCall("echo", {"text": text}) for text in "abc"]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.text for result in results] == ["a", "b", "c"]
