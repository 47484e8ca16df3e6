"""What wrappers make themselves, bring from elsewhere, or raise."""

from __future__ import annotations

import attrs
import pytest
import trio
from around_tools import answering, execute, opened, raising, run, working
from trio.testing import MockClock

from trio_tools import (
    Cause,
    Dispatch,
    ErrorCode,
    ErrorInfo,
    Text,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)
from trio_tools.pipeline import CallNext


class Weird(BaseException):
    """As the panics of other languages' runtimes are."""


@tool
async def contextual(ctx: ToolContext) -> str:
    """A tool that defers two contexts."""
    ctx.defer_context("body 1")
    ctx.defer_context({"body": 2})
    return "done"


@pytest.mark.parametrize(
    ("failure", "code", "text"),
    [
        (ValueError("broken"), ErrorCode.WRAPPER_FAILED, "Error: broken"),
        (ToolError("too many calls", code="RATE_LIMITED"), "RATE_LIMITED", "Error: too many calls"),
        (ToolError("not its own", code="ABORTED"), ErrorCode.WRAPPER_FAILED, "Error: not its own"),
        (SystemExit(3), ErrorCode.WRAPPER_FAILED, None),
        (Weird("panic"), ErrorCode.WRAPPER_FAILED, "Error: panic"),
        (ExceptionGroup("", [ValueError("inside")]), ErrorCode.WRAPPER_FAILED, None),
    ],
    ids=["plain", "coded", "forged", "exit", "panic", "group"],
)
async def test_what_a_wrapper_raises_is_the_result(failure: BaseException, code: str, text: str | None) -> None:
    """R054, D1: its text, its code if it has one; published as any result is."""

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        raise failure

    published: list[ToolResult] = []
    async with opened(contextual, wrappers=[fail]) as registry:
        registry.add_observer(lambda view, result: published.append(result))
        result = await execute(registry, "contextual")
    assert published == [result]
    assert (result.code, result.cause, result.dispatched) == (code, None, True)
    assert text is None or result.text.splitlines()[0] == text


async def test_a_wrapper_that_raises_loses_no_contexts_and_skips_post_policies() -> None:
    """R054, D7: what the body asked for is kept, and what it came to."""
    reviewed: list[ToolResult] = []

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        dispatch.defer_context("wrapper")
        await call_next()
        raise ValueError("broken")

    async with opened(contextual, wrappers=[fail]) as registry:
        registry.add_post_policy(lambda view, result: reviewed.append(result))
        result = await execute(registry, "contextual")
    assert (result.code, reviewed) == (ErrorCode.WRAPPER_FAILED, [])
    assert result.contexts == ("body 1", {"body": 2}, "wrapper")
    assert result.superseded is not None
    assert result.superseded.value == "done"


async def test_an_outer_wrapper_sees_what_an_inner_one_raised_and_may_answer_for_it() -> None:
    """R054, R041: of wrappers, the raw exception comes out of `call_next()`."""

    async def cover(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        try:
            return await call_next()
        except ValueError as failure:
            return dispatch.success(f"covered: {failure}")

    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        raise ValueError("broken")

    result = await run(answering(), cover, fail)
    assert (result.value, result.dispatched) == ("covered: broken", False)


async def test_a_success_of_a_wrapper_is_checked_by_the_tools_contract() -> None:
    """R055."""

    async def answer(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return dispatch.success("not a number")

    result = await run(answering(1, output=int), answer)
    assert (result.code, result.dispatched) == (ErrorCode.INVALID_TOOL_OUTPUT, False)
    assert result.text.startswith('Error: tool "answer" returned invalid output: ')


async def test_content_that_a_wrapper_invents_for_a_success_is_rendered_anew() -> None:
    """R055: a success reads as its value does; contexts that a wrapper put there are kept."""

    async def dress(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        return attrs.evolve(result, value=7, content=(Text("something else"),), contexts=("from a wrapper",))

    result = await run(answering(1, output=int), dress)
    assert (result.value, result.text, result.contexts) == (7, "7", ("from a wrapper",))


async def test_a_wrapper_cannot_invent_what_only_the_registry_knows() -> None:
    """R057, D9: id, tool, whether it was dispatched, effects and cause of a success are the call's own."""

    async def lie(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return ToolResult(
            "other id", "other tool", (), "lie", dispatched=True, cause=Cause.OPERATOR, concludes_turn=True
        )

    async with opened(answering(), wrappers=[lie]) as registry:
        result = await execute(registry, "answer", call_id="1")
    assert (result.call_id, result.tool, result.value, result.text) == ("1", "answer", "lie", "lie")
    assert (result.dispatched, result.cause, result.concludes_turn) == (False, None, False)


async def test_a_failure_of_a_wrapper_is_kept_as_it_is() -> None:
    """R056: error, content and contexts."""
    error = ErrorInfo("CircuitOpen", "CIRCUIT_OPEN", "too many failures")

    async def refuse(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return ToolResult(None, "any", (Text("come back later"),), error=error, contexts=("open since noon",))

    async with opened(answering(), wrappers=[refuse]) as registry:
        result = await execute(registry, "answer", call_id="7")
    assert (result.error, result.text, result.contexts) == (error, "come back later", ("open since noon",))
    assert (result.call_id, result.tool, result.dispatched) == ("7", "answer", False)


async def test_a_failure_made_with_dispatch_reads_as_errors_do() -> None:
    """R056: a code of its own, one of ours, or that of failed wrappers."""
    codes: list[str | None] = []
    for code in (None, "QUOTA", ErrorCode.TOOL_TIMEOUT):

        async def refuse(dispatch: Dispatch, call_next: CallNext, code: str | None = code) -> ToolResult:
            return dispatch.failure("over quota", code=code)

        result = await run(answering(), refuse)
        codes.append(result.code)
        assert result.text == "Error: over quota"
    assert codes == [ErrorCode.WRAPPER_FAILED, "QUOTA", ErrorCode.TOOL_TIMEOUT]


@pytest.mark.parametrize("code", ["ABORTED", "ABORTED_BEFORE_DISPATCH", "bad code", ""])
async def test_a_wrapper_cannot_give_codes_that_only_the_registry_vouches_for(code: str) -> None:
    """R056."""
    problems: list[ValueError] = []

    async def refuse(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        try:
            return dispatch.failure("over quota", code=code)
        except ValueError as problem:
            problems.append(problem)
        return await call_next()

    result = await run(answering(), refuse)
    assert (len(problems), result.value) == (1, "answer")


async def test_a_result_of_another_call_is_checked_anew() -> None:
    """R057: a cache whose entry no longer fits the tool, and one that does."""
    cached: list[ToolResult] = []

    async def cache(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if not cached:
            cached.append(await call_next())
        return cached[0]

    async with opened(answering(["a"]), wrappers=[cache]) as registry:
        first = await execute(registry, "answer", call_id="1")
        again = await execute(registry, "answer", call_id="2")
        registry.unregister("answer")
        registry.register(answering(1, output=int))
        stale = await execute(registry, "answer", call_id="3")
    assert (first.call_id, first.dispatched) == ("1", True)
    assert (again.call_id, again.value, again.dispatched) == ("2", ["a"], False)
    assert (stale.call_id, stale.code) == ("3", ErrorCode.INVALID_TOOL_OUTPUT)


async def test_an_abort_of_another_call_says_nothing_of_this_one(autojump_clock: MockClock) -> None:
    """R057, D9: given back for a call that nobody cancelled, it names no caller and tells what this body did."""
    cached: list[ToolResult] = []

    async def cache(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if not cached:
            cached.append(await call_next())
        return cached[0]

    async with opened(working(), wrappers=[cache]) as registry:
        first = await execute(registry, "work", cancel_at=1)
        second = await execute(registry, "work")
    assert (first.code, first.cause, first.dispatched) == (ErrorCode.ABORTED, Cause.CALLER, True)
    assert second.is_error
    assert second.code != ErrorCode.ABORTED
    assert (second.dispatched, second.cause == Cause.CALLER) == (False, False)


async def test_an_earlier_attempts_result_may_still_be_the_answer() -> None:
    """R057, D8."""

    async def prefer_first(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        first = await call_next()
        await call_next()
        return first

    result = await run(raising(ToolError("the first", code="FIRST")), prefer_first)
    assert (result.code, result.text) == ("FIRST", "Error: the first")


async def test_contexts_of_the_body_come_before_those_of_wrappers() -> None:
    """R059: whenever a wrapper added its own; a wrapper's replacement keeps them (D7)."""

    async def add(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        dispatch.defer_context("before")
        result = await call_next()
        return attrs.evolve(result, value="replaced", contexts=(*result.contexts, "on the result"))

    result = await run(contextual, add)
    assert result.value == "replaced"
    assert result.contexts == ("body 1", {"body": 2}, "before", "on the result")


async def test_a_success_that_a_wrapper_returns_under_a_cancel_is_an_abort(autojump_clock: MockClock) -> None:
    """R059: dispatched or not by whether the body ran; the success and its contexts stay known."""
    entered = trio.Event()

    async def stubborn(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        if dispatch.call.id == "run":
            await call_next()
        entered.set()
        with trio.CancelScope(shield=True):
            await trio.sleep(2)
        dispatch.defer_context("kept")
        return dispatch.success("stubborn")

    async with opened(answering(), wrappers=[stubborn]) as registry:
        ran = await execute(registry, "answer", call_id="run", cancel_at=1)
        short = await execute(registry, "answer", call_id="short", cancel_at=1)
    assert (ran.code, ran.dispatched, ran.cause) == (ErrorCode.ABORTED, True, Cause.CALLER)
    assert (short.code, short.dispatched, short.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, False, Cause.CALLER)
    for result in (ran, short):
        assert result.contexts == ("kept",)
        assert result.superseded is not None
        assert result.superseded.value == "stubborn"


async def test_a_wrappers_contexts_must_be_json() -> None:
    """R055: what cannot be kept is that wrapper's failure, not the call's loss."""

    async def add(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return attrs.evolve(await call_next(), contexts=(object(),))  # type: ignore[arg-type]

    async with opened(answering(), wrappers=[add]) as registry:
        result = await registry.execute(ToolCall("answer"), scope=trio.CancelScope())
    assert (result.code, result.dispatched) == (ErrorCode.WRAPPER_FAILED, True)
