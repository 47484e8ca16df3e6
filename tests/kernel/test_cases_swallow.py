"""Case B04: cancellation swallowed inside the tool. The record says who ended a call, not what the body made of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Heard, begin, codes, once

from trio_tools import (
    CallNext,
    CallView,
    Cause,
    Dispatch,
    ErrorCode,
    Registry,
    ReplaceContent,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)

ABORTED, NEVER_RAN = str(ErrorCode.ABORTED), str(ErrorCode.ABORTED_BEFORE_DISPATCH)
TIMEOUT = str(ErrorCode.TOOL_TIMEOUT)


async def swallow() -> str:
    try:
        await trio.sleep_forever()
    except BaseException as error:
        return "list failed: " + type(error).__name__


async def swallow_in_a_child() -> str:
    answer: list[str] = []

    async def child() -> None:
        answer.append(await swallow())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(child)
    return answer[0]


async def swallow_and_work_on() -> str:
    said = await swallow()
    with trio.CancelScope(shield=True):
        await trio.sleep(0.5)
    return said


async def swallow_again_and_again() -> str:
    for _ in range(5):
        await swallow()
    return await swallow()


async def swallow_around_a_nursery() -> str:
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(trio.sleep_forever)
    except BaseException:
        return "list failed: Cancelled"
    return "nobody cancelled"


BODIES = [swallow, swallow_in_a_child, swallow_and_work_on, swallow_again_and_again, swallow_around_a_nursery]


def _register(registry: Registry, body: Callable[..., object], timeout: float | None = None) -> list[str]:
    """The swallowing tool and a second one behind it, and the list of what the second one's body did."""
    ran: list[str] = []

    @tool
    async def second() -> str:
        ran.append("second")
        return "fine"

    registry.register(tool(name="first", timeout=timeout)(body))
    registry.register(second)
    return ran


CALLS = [ToolCall("first", id="first"), ToolCall("second", id="second")]


@pytest.mark.parametrize("body", BODIES)
async def test_case_b04_a_turn_that_is_cancelled(
    body: Callable[..., object], autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B04 (a), R049, RT7: ABORTED, and the call behind it never runs. What it swallowed is kept as detail."""
    heard = Heard()
    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, body)
        registry.add_observer(heard)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(0.1)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, ran) == ([ABORTED, NEVER_RAN], [])
    assert [result.cause for result in run.results or ()] == [Cause.CALLER, Cause.CALLER]
    first = heard.results[heard.ids.index("first")]
    assert (first.value, first.is_error) == (None, True)
    assert first.text.startswith("Error: tool call aborted")
    assert first.superseded is not None
    assert first.superseded.value == "list failed: Cancelled"


@pytest.mark.parametrize("body", BODIES)
async def test_case_b04_a_budget_that_runs_out(body: Callable[..., object], autojump_clock: MockClock) -> None:
    """Case B04 (b), T023: TOOL_TIMEOUT, and the call behind it runs normally."""
    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, body, timeout=0.1)
        results = await registry.execute_turn(CALLS, scope=trio.CancelScope())
    assert (codes(results), ran) == ([TIMEOUT, None], ["second"])
    assert results[0].text.startswith("Error: tool call timed out after 100ms")
    assert results[0].superseded is not None
    assert results[0].superseded.value == "list failed: Cancelled"


@pytest.mark.parametrize("body", BODIES)
async def test_case_b04_an_operator_s_cancel(
    body: Callable[..., object], autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B04: a cancel of that one call; its turn lives on, and so does the call behind it."""
    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, body)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(0.1)
        assert registry.cancel("first") == 1
        await trio.sleep(5)
    assert (run.codes, ran) == ([ABORTED, None], ["second"])
    assert run.results is not None
    assert run.results[0].cause is Cause.OPERATOR


@pytest.mark.parametrize("body", BODIES)
async def test_case_b04_an_enclosing_scope(body: Callable[..., object], autojump_clock: MockClock) -> None:
    """Case B04, D4: what the body swallowed is not swallowed for the caller."""
    heard = Heard()
    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, body)
        registry.add_observer(heard)
        with trio.move_on_after(0.1) as enclosing:
            await registry.execute_turn(CALLS, scope=trio.CancelScope())
        assert enclosing.cancelled_caught
    assert {result.call_id: result.code for result in heard.results} == {"first": ABORTED, "second": NEVER_RAN}
    assert ran == []


async def test_case_b04_a_body_that_makes_an_error_of_it(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B04, R050: an error of its own stands after a cancel, and is none of ours; the rest never runs."""

    async def complain() -> str:
        try:
            await trio.sleep_forever()
        except BaseException:
            raise ToolError("list failed", code="LIST_FAILED") from None

    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, complain)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(0.1)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, ran) == (["LIST_FAILED", NEVER_RAN], [])


async def test_case_b04_a_policy_that_swallows_it(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B04, R031, RT2: a gate that eats the cancel and says yes lets nobody in."""

    async def gate(call: CallView) -> None:
        await swallow()

    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, swallow)
        registry.add_pre_policy(gate)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(0.1)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, ran) == ([NEVER_RAN, NEVER_RAN], [])
    assert [result.dispatched for result in run.results or ()] == [False, False]


async def test_case_b04_a_wrapper_that_swallows_it(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B04, R059: a success that a wrapper makes up after the cancel is an abort."""

    async def cheerful(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        await call_next()
        await swallow()
        return dispatch.success("all is well")

    async with open_registry(max_parallel_calls=1) as registry:
        ran = _register(registry, swallow)
        registry.add_wrapper(cheerful)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(0.1)
        run.scope.cancel()
        await trio.sleep(5)
    assert (run.codes, ran) == ([ABORTED, NEVER_RAN], [])


async def test_case_b04_listeners_that_swallow_it(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B04, D18: cut by their grace, they eat that; nothing is held up, and the call behind runs."""

    async def observe(call: CallView, result: ToolResult) -> None:
        await swallow()

    async def review(call: CallView, result: ToolResult) -> ReplaceContent | None:
        return ReplaceContent(await swallow()) if call.id == "first" else None

    async with open_registry(max_parallel_calls=1, policy_grace=1, observer_grace=1) as registry:
        ran = _register(registry, swallow, timeout=0.5)
        registry.add_post_policy(review)
        registry.add_observer(observe)
        run = begin(nursery, registry, CALLS)
        await trio.sleep(9)
    assert (run.codes, ran) == ([str(ErrorCode.POLICY_FAILED), None], ["second"])
    assert run.settled == {0: 1.5, 1: 2.5}


async def test_case_b04_after_it_the_registry_works_as_before(autojump_clock: MockClock) -> None:
    """Case B04: nothing half-dead is left; leaving does not hang."""
    async with open_registry(max_parallel_calls=1) as registry:
        _register(registry, swallow_again_and_again)
        for _ in range(3):
            scope = trio.CancelScope(deadline=trio.current_time() + 0.1)
            assert (await registry.execute(ToolCall("first"), scope=scope)).code == ABORTED
            assert (await once(registry, "second")).text == "fine"
        assert registry.pending() == []
    assert trio.current_time() < 1
