"""The door of `call_next()`, and the last look before the body: what is given up does not begin."""

from __future__ import annotations

import pytest
import trio
from around_tools import OWN, Wrapper, answering, execute, later, limit, opened, run, shield, silent_limit, working
from trio.testing import MockClock

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, ToolCall, ToolResult, tool

TURNS = 50  # attempts after which a retry loop counts as endless


async def never_waiting(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    """Retries at once, for ever."""
    for _ in range(TURNS):
        result = await call_next()
        if not result.is_error:
            return result
    raise AssertionError("nothing ended the loop")


async def never_waiting_shielded(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    with trio.CancelScope(shield=True):
        return await never_waiting(dispatch, call_next)
    raise AssertionError("nobody cancels this scope")


@pytest.mark.parametrize("loop", [never_waiting, never_waiting_shielded])
async def test_a_retry_loop_that_never_waits_ends_when_its_caller_gives_up(
    autojump_clock: MockClock, loop: Wrapper
) -> None:
    """R044: `call_next()` raises at its door, and gives others a turn each time it is passed again."""
    attempts: list[int] = []
    given_up = trio.Event()
    scope = trio.CancelScope()

    @tool
    async def fail() -> None:
        attempts.append(len(attempts))
        if len(attempts) == 3:
            given_up.set()
        raise ValueError("again")

    async def give_up() -> None:
        await given_up.wait()
        scope.cancel()

    async with opened(fail, wrappers=[loop]) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(give_up)
        result = await registry.execute(ToolCall("fail"), scope=scope)
        # what the last attempt came to is the call's failure, or stands below the abort
        assert (result.code in (ErrorCode.ABORTED, ErrorCode.TOOL_FAILED), result.dispatched) == (True, True)
        assert "again" in result.text
    assert 3 <= len(attempts) <= 4


async def test_a_retry_loop_that_never_waits_ends_with_the_budget_around_it(mock_clock: MockClock) -> None:
    """R042, T029: the clock runs over all attempts, and time that passes without a wait counts too."""
    attempts: list[float] = []

    @tool(timeout=1)
    async def fail() -> None:
        attempts.append(trio.current_time())
        mock_clock.jump(0.25)
        raise ValueError("again")

    result = await run(fail, never_waiting)
    assert attempts == [0, 0.25, 0.5, 0.75]
    assert (result.code, result.cause) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)


async def test_move_on_after_round_call_next_always_binds(autojump_clock: MockClock) -> None:
    """R044: once the body was entered there is a result to look at, at the time of the cancel and its cleanup."""
    bound: list[tuple[ToolResult, bool]] = []

    async def cut(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(5) as scope:
            bound.append((await call_next(), scope.cancel_called))
        return bound[0][0]

    async with opened(working(), wrappers=[cut]) as registry:
        result = await execute(registry, "work")
    assert [(one.code, cancelled) for one, cancelled in bound] == [(ErrorCode.ABORTED, True)]
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.WRAPPER, True)
    assert trio.current_time() == 5


async def test_the_wrappers_next_checkpoint_raises_after_a_cancel(autojump_clock: MockClock) -> None:
    """R044: a result that comes back does not end the cancellation."""
    after: list[str] = []

    async def tidy(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        after.append("result")
        await trio.lowlevel.checkpoint()
        after.append("checkpoint")
        return result

    result = await run(working(), tidy, cancel_at=1)
    assert after == ["result"]
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)


async def test_a_wrappers_time_passes_just_before_the_body_begins(mock_clock: MockClock) -> None:
    """R045, RT2: a deadline that has passed counts before Trio has processed it."""

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(1):
            mock_clock.jump(1)
            return await call_next()
        raise AssertionError("nothing to return")

    result = await run(answering(), dawdle)
    assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.WRAPPER)
    assert not result.dispatched


async def test_a_wrapper_that_gives_no_time_is_stopped_at_the_door() -> None:
    """R045, RT2: under `move_on_after(0)` no body is entered, and there is no result to bind."""
    entered: list[str] = []

    @tool
    async def note() -> None:
        entered.append("note")

    result = await run(note, silent_limit(0))
    assert (result.code, result.dispatched, entered) == ("CUT_EARLY", False, [])


@pytest.mark.parametrize("deadline", [0, -1])
async def test_a_caller_that_gives_no_time_starts_nothing(mock_clock: MockClock, deadline: float) -> None:
    """R045, RT2: nothing is entered, body or wrapper."""
    entered: list[str] = []

    @tool
    async def note() -> None:
        entered.append("note")

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        entered.append("wrap")
        return await call_next()

    result = await run(note, wrap, deadline=deadline)
    assert entered == []
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER, False)


@pytest.mark.parametrize("shielded", [False, True])
async def test_the_callers_deadline_passes_just_before_the_body_begins(mock_clock: MockClock, shielded: bool) -> None:
    """R045, RT2: behind a shield too, where Trio shows no deadline of what is outside."""
    entered: list[float] = []

    @tool
    async def note() -> None:
        entered.append(trio.current_time())

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        mock_clock.jump(1)
        return await (shield(dispatch, call_next) if shielded else call_next())

    result = await run(note, dawdle, deadline=1)
    assert entered == []
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER, False)


async def test_an_enclosing_deadline_passes_just_before_the_body_begins(mock_clock: MockClock) -> None:
    """R045, D4: the enclosing scope is the caller's."""
    published: list[ToolResult] = []

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        mock_clock.jump(1)
        return await call_next()

    with trio.move_on_after(1):
        async with opened(answering(), wrappers=[dawdle]) as registry:
            registry.add_observer(lambda view, result: published.append(result))
            await registry.execute(ToolCall("answer"), scope=trio.CancelScope())
    assert [(one.code, one.cause, one.dispatched) for one in published] == [
        (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER, False)
    ]


async def test_a_budget_passes_just_before_the_body_begins(mock_clock: MockClock) -> None:
    """R045, D9, T023: not entered, and a timeout all the same."""

    async def dawdle(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        mock_clock.jump(1)
        return await call_next()

    result = await run(answering(timeout=1), dawdle)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, False)


async def test_a_recorder_may_be_slow_and_the_last_look_comes_after_it(autojump_clock: MockClock) -> None:
    """R045: a call that is given up while its dispatch is being recorded is not entered."""
    scope = trio.CancelScope()

    async def record(event: object) -> None:
        if type(event).__name__ == "CallDispatching":
            scope.cancel()

    async with opened(answering()) as registry:
        registry.add_recorder(record)
        result = await registry.execute(ToolCall("answer"), scope=scope)
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER, False)


async def test_a_wrapper_cancels_while_the_dispatch_is_recorded(autojump_clock: MockClock) -> None:
    """R045, D5: the last look sees the scopes of wrappers too, though nobody outside gave the call up."""

    async def record(event: object) -> None:
        if type(event).__name__ == "CallDispatching":
            await trio.sleep(2)

    async def cut(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        results: list[ToolResult] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(later, 1, nursery.cancel_scope.cancel)
            results.append(await call_next())
        return results[0]

    for budget in (None, 9):
        async with opened(answering(timeout=budget), wrappers=[cut], outside=True) as registry:
            registry.add_recorder(record)
            result = await execute(registry, "answer")
        assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.WRAPPER)
        assert not result.dispatched


async def test_a_shield_lets_nobody_through_the_door_of_a_call_that_was_given_up(autojump_clock: MockClock) -> None:
    """R044, R045: the wrappers further in are not entered any more."""
    entered: list[str] = []

    async def wait_shielded(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.CancelScope(shield=True):
            await trio.sleep(2)
            return await call_next()
        raise AssertionError("nobody cancels this scope")

    async def note(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        entered.append("inner")
        return await call_next()

    result = await run(answering(), wait_shielded, note, cancel_at=1)
    assert (result.code, result.cause, entered) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER, [])


async def test_nothing_of_the_wrappers_scopes_is_in_force_after_the_chain(autojump_clock: MockClock) -> None:
    """R053: a post-policy may wait past deadlines that wrappers had set."""
    deadlines: list[float] = []

    async def review(view: object, result: ToolResult) -> None:
        deadlines.append(trio.current_effective_deadline())
        await trio.sleep(2)

    async with opened(answering(timeout=1), wrappers=[silent_limit(1), limit(1, OWN)]) as registry:
        registry.add_post_policy(review)
        result = await execute(registry, "answer")
    assert (result.value, trio.current_time()) == ("answer", 2)
    assert deadlines == [5]  # the grace of its own


async def test_an_unknown_tool_is_found_before_any_wrapper() -> None:
    """R046, D3: text, name and code; also if it went while the call waited, but not once the call has started."""

    @tool
    async def leave() -> str:
        registry.unregister("answer")
        registry.unregister("leave")
        return "left"

    wrapped: list[str] = []

    async def note(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        wrapped.append(dispatch.name)
        return await call_next()

    async with opened(leave, answering(), wrappers=[note]) as registry:
        results = await registry.execute_turn([ToolCall("leave"), ToolCall("answer")], scope=trio.CancelScope())
    assert (results[0].value, wrapped) == ("left", ["leave"])
    assert (results[1].code, results[1].text) == (ErrorCode.UNKNOWN_TOOL, 'Error: unknown tool "answer"')
    assert results[1].error is not None
    assert (results[1].error.name, results[1].dispatched) == ("ToolNotFoundError", False)
