"""No detachment: whatever wrappers do with scopes and tasks, a cancel reaches the body, and the body is waited for."""

from __future__ import annotations

import attrs
import pytest
import trio
from around_tools import answering, execute, later, opened, rest, run, shield, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import CallNext, Cause, Dispatch, ErrorCode, ToolCall, ToolResult, tool


async def test_a_shield_does_not_cut_the_body_off_its_caller(autojump_clock: MockClock) -> None:
    """R044, RT3."""
    result = await run(working(), shield, shield, cancel_at=1)
    assert (result.code, result.cause) == (ErrorCode.ABORTED, Cause.CALLER)
    assert trio.current_time() == 1


async def test_a_shield_does_not_cut_off_the_wrappers_inside_it(autojump_clock: MockClock) -> None:
    """R044, RT3: one that waits before it goes on hears of the cancel as well."""

    async def queue(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await trio.sleep_forever()
        raise AssertionError("the sleep ended")

    result = await run(answering(), shield, queue, cancel_at=1)
    assert (result.code, result.cause) == (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.CALLER)
    assert trio.current_time() == 1


async def test_a_shield_does_not_cut_the_body_off_the_callers_deadline(autojump_clock: MockClock) -> None:
    """R044."""
    result = await run(working(), shield, deadline=1)
    assert (result.code, result.cause, trio.current_time()) == (ErrorCode.ABORTED, Cause.CALLER, 1)


async def test_a_shield_does_not_cut_the_body_off_an_enclosing_scope(autojump_clock: MockClock) -> None:
    """R044, D4."""
    published: list[ToolResult] = []
    with trio.move_on_after(1) as enclosing:
        async with opened(working(), wrappers=[shield]) as registry:
            registry.add_observer(lambda view, result: published.append(result))
            await registry.execute(ToolCall("work"), scope=trio.CancelScope())
    assert enclosing.cancelled_caught
    assert [(one.code, one.cause) for one in published] == [(ErrorCode.ABORTED, Cause.CALLER)]
    assert trio.current_time() == 1


async def test_a_shield_does_not_cut_the_body_off_the_budget_around_it(autojump_clock: MockClock) -> None:
    """R044, RT3, T021: the claims of wrappers further out are in force too."""
    with trio.move_on_after(9):  # so that this test ends
        result = await run(working(timeout=1), shield)
        assert (result.code, result.cause, trio.current_time()) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, 1)
        return
    pytest.fail("the body outlived its budget")


async def test_an_operators_cancel_reaches_a_shielded_body(autojump_clock: MockClock) -> None:
    """R044."""
    async with opened(working(), wrappers=[shield]) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(later, 1, lambda: registry.cancel("x"))
        result = await execute(registry, "work", call_id="x")
        assert (result.code, result.cause, trio.current_time()) == (ErrorCode.ABORTED, Cause.OPERATOR, 1)


@attrs.define
class Elsewhere:
    """A wrapper that goes on in a nursery that is not the call's, and answers without waiting."""

    nursery: trio.Nursery
    started: trio.Event = attrs.field(factory=trio.Event)
    inner: list[ToolResult] = attrs.field(factory=list[ToolResult])
    raises: bool = False

    async def __call__(self, dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        async def go_on() -> None:
            self.inner.append(await call_next())

        self.nursery.start_soon(go_on)
        await self.started.wait()
        if self.raises:
            raise ValueError("early")
        return dispatch.success("early")


@pytest.mark.parametrize("raises", [False, True])
async def test_a_body_that_a_wrapper_left_running_is_waited_for(autojump_clock: MockClock, raises: bool) -> None:
    """R048: the result is not given before the body has come to rest, wherever it runs."""
    async with trio.open_nursery() as nursery:
        wrapper = Elsewhere(nursery, raises=raises)

        @tool
        async def slow() -> str:
            wrapper.started.set()
            await trio.sleep(3)
            return "late"

        result = await run(slow, wrapper)
        assert trio.current_time() == 3
        assert [one.value for one in wrapper.inner] == ["late"]
    assert result.dispatched
    assert (result.value, result.code) == ((None, ErrorCode.WRAPPER_FAILED) if raises else ("early", None))


@pytest.mark.parametrize("cleanup", [0, 2])
async def test_a_body_that_a_wrapper_left_running_is_cancelled_with_its_call(
    autojump_clock: MockClock, cleanup: float
) -> None:
    """R044, R048: through the private scope, and waited for."""
    async with trio.open_nursery() as nursery:
        wrapper = Elsewhere(nursery)

        @tool
        async def slow() -> None:
            wrapper.started.set()
            try:
                await trio.sleep_forever()
            finally:
                await rest(cleanup)

        result = await run(slow, wrapper, cancel_at=1)
        assert trio.current_time() == 1 + cleanup
    assert [one.code for one in wrapper.inner] == [ErrorCode.ABORTED]
    assert (result.code, result.dispatched, result.cause) == (ErrorCode.ABORTED, True, Cause.CALLER)


async def test_a_body_left_running_is_cancelled_with_the_nursery_that_it_is_in(autojump_clock: MockClock) -> None:
    """R049, R059: then a wrapper's scope ended it, and the wrapper's own answer stands."""
    async with trio.open_nursery() as nursery:
        wrapper = Elsewhere(nursery)

        @tool
        async def slow() -> None:
            wrapper.started.set()
            await trio.sleep_forever()

        nursery.start_soon(later, 1, nursery.cancel_scope.cancel)
        results: list[ToolResult] = []
        with trio.CancelScope(shield=True):
            results.append(await run(slow, wrapper))
    assert [(one.code, one.cause) for one in wrapper.inner] == [(ErrorCode.ABORTED, Cause.WRAPPER)]
    assert [(one.value, one.dispatched) for one in results] == [("early", True)]
    assert trio.current_time() == 1


async def test_waiting_for_a_left_body_shows_as_pending(autojump_clock: MockClock) -> None:
    """R048: the call is not over while the body runs elsewhere."""
    async with trio.open_nursery() as nursery:
        wrapper = Elsewhere(nursery)

        @tool
        async def slow() -> None:
            wrapper.started.set()
            await trio.sleep(3)

        async with opened(slow, wrappers=[wrapper]) as registry:
            nursery.start_soon(execute, registry, "slow")
            await wait_all_tasks_blocked()
            pending = [(one.tool, one.stage) for one in registry.pending()]
    assert pending == [("slow", "dispatch")]
