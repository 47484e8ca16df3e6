"""The chain of wrappers: who is outermost, what each sees, and what `call_next` allows."""

from __future__ import annotations

from functools import partial

import attrs
import pytest
import trio
from around_tools import Wrapper, answering, execute, opened, raising, retry_once, run, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    CallNext,
    CallView,
    Dispatch,
    ErrorCode,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)


def noting(notes: list[str], name: str) -> Wrapper:
    """A wrapper that notes when it is entered and left."""

    async def note(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        notes.append(f"{name} in")
        result = await call_next()
        notes.append(f"{name} out")
        return result

    return note


async def test_the_first_wrapper_is_outermost() -> None:
    """R042."""
    notes: list[str] = []
    result = await run(answering(), noting(notes, "first"), noting(notes, "second"))
    assert result.value == "answer"
    assert notes == ["first in", "second in", "second out", "first out"]


async def test_a_wrapper_that_answers_itself_skips_what_is_inside_it() -> None:
    """R042, R055: the body is not entered, and the result says so."""
    notes: list[str] = []

    async def short(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return dispatch.success("from a cache")

    result = await run(answering(), noting(notes, "outer"), short, noting(notes, "inner"))
    assert (result.value, result.text, result.dispatched, result.code) == ("from a cache", "from a cache", False, None)
    assert notes == ["outer in", "outer out"]


async def test_going_on_again_runs_the_inner_wrappers_and_the_body_again() -> None:
    """R043, D8: `call_next` is bound to its place."""
    notes: list[str] = []
    result = await run(raising(ValueError("flaky")), retry_once, noting(notes, "inner"))
    assert result.value == "recovered"
    assert notes == ["inner in", "inner out"] * 2


async def test_each_attempt_gets_arguments_that_no_earlier_one_has_changed() -> None:
    """D8, R058: a retry repeats the call, not what the body made of its arguments."""
    seen: list[list[str]] = []

    @tool
    async def consume(items: list[str]) -> int:
        seen.append(list(items))
        items.clear()
        raise ValueError("flaky")

    async with opened(consume, wrappers=[retry_once]) as registry:
        call = ToolCall("consume", {"items": ["a", "b"]})
        result = await registry.execute(call, scope=trio.CancelScope())
    assert seen == [["a", "b"], ["a", "b"]]
    assert result.code == ErrorCode.TOOL_FAILED


async def test_an_attempt_that_is_cut_says_nothing_of_the_one_before(autojump_clock: MockClock) -> None:
    """D8, R010: the first failed, the second is what was cancelled."""
    entered: list[float] = []

    @tool
    async def work() -> None:
        entered.append(trio.current_time())
        if len(entered) == 1:
            raise ValueError("first")
        await trio.sleep_forever()

    result = await run(work, retry_once, cancel_at=1)
    assert (result.code, result.text, len(entered)) == (ErrorCode.ABORTED, "Error: tool call aborted", 2)


async def test_a_wrapper_sees_a_result_where_the_body_raised() -> None:
    """R041, TT6: the base of the chain makes results of exceptions."""
    seen: list[ToolResult] = []

    async def look(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        seen.append(await call_next())
        return seen[0]

    result = await run(raising(ToolError("no such page", code="WEB_MISSING")), look)
    assert [one.code for one in seen] == ["WEB_MISSING"]
    assert seen[0].text == "Error: no such page"
    assert (result.code, result.error) == ("WEB_MISSING", seen[0].error)


async def test_results_that_wrappers_see_are_frozen() -> None:
    """R058: through and through, whatever a wrapper tries."""
    problems: list[BaseException] = []

    async def tamper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        value = result.value
        assert isinstance(value, dict)
        for change in (
            partial(setattr, result, "value", "changed"),
            partial(value.__setitem__, "a", "changed"),
            partial(value.pop, "a"),
        ):
            try:
                change()
            except (AttributeError, TypeError) as problem:
                problems.append(problem)
        return result

    result = await run(answering({"a": [1]}), tamper)
    assert len(problems) == 3
    assert result.value == {"a": [1]}


async def test_a_wrapper_may_act_where_others_may_only_look() -> None:
    """R040: a policy's and an observer's view of the call neither claims nor answers, and cannot be set."""
    seen: list[CallView] = []

    async def keep(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        seen.append(dispatch)
        return await call_next()

    def policy(view: CallView) -> None:
        seen.append(view)

    async with opened(answering(), wrappers=[keep]) as registry:
        registry.add_pre_policy(policy)
        registry.add_post_policy(lambda view, result: seen.append(view))
        registry.add_observer(lambda view, result: seen.append(view))
        await execute(registry, "answer")
    views = [view for view in seen if not isinstance(view, Dispatch)]
    assert len(seen) == 4
    assert len(views) == 3
    assert all(not hasattr(view, name) for view in views for name in ("within", "success", "failure"))
    assert all(view.token is seen[0].token for view in seen)
    for view in seen:
        with pytest.raises(AttributeError):
            setattr(view, "arguments", {})  # noqa: B010 - the type says so too


async def test_the_body_is_marked_as_dispatched_before_its_first_line() -> None:
    """R047: also when that line raises; until then the call stands at its wrappers."""
    stages: list[str] = []

    async def look(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        stages.append(dispatch.stage)
        return await call_next()

    @tool
    async def fail_at_once(ctx: ToolContext) -> None:
        stages.append(registry.pending()[0].stage)
        raise OSError("first line")

    async with opened(fail_at_once, wrappers=[look]) as registry:
        result = await execute(registry, "fail_at_once")
    assert stages[1:] == ["dispatch"]
    assert stages[0] != "dispatch"
    assert result.dispatched


async def test_the_same_wrapper_added_twice_wraps_twice_and_is_lifted_one_by_one() -> None:
    """R042."""
    notes: list[str] = []
    wrapper = noting(notes, "same")
    async with opened(answering()) as registry:
        first, second = registry.add_wrapper(wrapper), registry.add_wrapper(wrapper)
        await execute(registry, "answer")
        first.remove()
        first.remove()
        await execute(registry, "answer")
        second.remove()
        await execute(registry, "answer")
    assert notes == ["same in", "same in", "same out", "same out", "same in", "same out"]


async def test_a_wrapper_added_while_a_call_runs_is_for_later_calls(autojump_clock: MockClock) -> None:
    """R042, T032: a call keeps the chain that it began with, also in its second attempt."""
    notes: list[str] = []
    async with opened(working(1)) as registry, trio.open_nursery() as nursery:
        registration = registry.add_wrapper(noting(notes, "old"))
        nursery.start_soon(execute, registry, "work")
        await wait_all_tasks_blocked()
        registration.remove()
        registry.add_wrapper(noting(notes, "new"))
    assert notes == ["old in", "old out"]


async def both_at_once(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    results: list[ToolResult] = []

    async def go_on() -> None:
        results.append(await call_next())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(go_on)
        nursery.start_soon(go_on)
    return results[0]


async def test_going_on_twice_at_once_is_an_error_of_the_wrapper(autojump_clock: MockClock) -> None:
    """D8: a RuntimeError, which stops the first one too; the body ran once and came to rest."""
    result = await run(working(5, cleanup=1), both_at_once)
    assert (result.code, result.dispatched) == (ErrorCode.WRAPPER_FAILED, True)
    assert result.error is not None
    assert result.error.name == "RuntimeError"
    assert trio.current_time() == 1


@attrs.define
class Kept:
    """A `call_next` that outlives its wrapper."""

    call_next: CallNext | None = None
    entered: int = 0


async def test_going_on_after_the_call_has_settled_is_a_runtime_error() -> None:
    """D8: the body of a settled call is never entered again."""
    kept = Kept()

    @tool
    async def count() -> None:
        kept.entered += 1

    async def keep(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        kept.call_next = call_next
        return await call_next()

    await run(count, keep)
    assert kept.call_next is not None
    with pytest.raises(RuntimeError, match="call_next"):
        await kept.call_next()
    assert kept.entered == 1


async def test_going_on_in_a_task_that_starts_too_late_is_a_runtime_error() -> None:
    """D8: a wrapper that has returned cannot begin the body behind the result's back."""
    entered: list[str] = []
    problems: list[RuntimeError] = []

    @tool
    async def note() -> None:
        entered.append("note")

    async with trio.open_nursery() as elsewhere:

        async def go_on(call_next: CallNext) -> None:
            try:
                await call_next()
            except RuntimeError as problem:
                problems.append(problem)

        async def leave(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
            elsewhere.start_soon(go_on, call_next)
            return dispatch.success("early")

        result = await run(note, leave)
    assert (result.value, result.dispatched, entered, len(problems)) == ("early", False, [], 1)


async def test_a_wrapper_that_returns_no_result_has_failed() -> None:
    """R054: and the message says which wrapper, and what it returned."""

    async def forgetful(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        return None  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    result = await run(answering("kept"), forgetful)
    assert (result.code, result.dispatched) == (ErrorCode.WRAPPER_FAILED, True)
    assert "forgetful" in result.text
    assert "NoneType" in result.text
    assert result.superseded is not None
    assert result.superseded.value == "kept"
