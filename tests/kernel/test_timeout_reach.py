"""How far the timeout policy reaches: for which calls it is there, and what is published of a timeout."""

from __future__ import annotations

from math import inf, nan

import pytest
import trio
from around_tools import answering, execute, later, opened, rest, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import CallEvent, CallSettled, ErrorCode, ToolCall, ToolResult, open_registry, tool
from trio_tools.policies import timeout


async def test_leaving_the_policy_ends_it_for_later_calls(autojump_clock: MockClock) -> None:
    """T032: a call under way keeps its budget."""
    codes: list[tuple[str | None, float]] = []
    async with open_registry(defaults=False) as registry, trio.open_nursery() as nursery:
        registry.register(working(2, timeout=1))

        async def go() -> None:
            result = await execute(registry, "work")
            codes.append((result.code, trio.current_time()))

        async with timeout.open(registry):
            nursery.start_soon(go)
            await wait_all_tasks_blocked()
        await go()
    assert codes == [(ErrorCode.TOOL_TIMEOUT, 1), (None, 2)]


async def test_without_the_policy_a_budget_is_only_declared(autojump_clock: MockClock) -> None:
    """T020, T032."""
    async with open_registry(defaults=False) as registry:
        registry.register(working(2, timeout=1))
        assert (await execute(registry, "work")).value == "worked"


async def test_a_timeout_is_published_as_any_result_is(autojump_clock: MockClock) -> None:
    """T033, R094: one settled event, one notification, no event of its own."""
    events: list[CallEvent] = []
    published: list[ToolResult] = []

    async def record(event: CallEvent) -> None:
        events.append(event)

    async with opened(working(timeout=1)) as registry:
        registry.add_recorder(record)
        registry.add_observer(lambda view, result: published.append(result))
        result = await execute(registry, "work")
    names = [type(event).__name__ for event in events]
    assert names == ["CallAccepted", "CallDecided", "CallDispatching", "CallSettled"]
    settled = events[-1]
    assert isinstance(settled, CallSettled)
    assert settled.result is result
    assert len(published) == 1
    assert published[0] is result


async def test_calls_of_a_turn_have_a_budget_each(autojump_clock: MockClock) -> None:
    """T021: it runs from the call's own start, not from the turn's; one's timeout is nobody else's."""
    async with opened(working(2, timeout=3)) as registry:
        calls = [ToolCall("work"), ToolCall("work"), ToolCall("work")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert ([one.value for one in results], trio.current_time()) == (["worked"] * 3, 6)


@pytest.mark.parametrize("seconds", [0, -1, inf, nan, True, "30"])
def test_a_budget_is_a_positive_finite_number_of_seconds(seconds: float) -> None:
    """T001, T002, T004, R110: no budget is None, which neither a model nor a config can ask for by zero."""
    for name in ("timeout", "idle_timeout"):
        with pytest.raises(ValueError, match=f"{name} must be a positive finite number of seconds"):
            tool(**{name: seconds})(rest)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


async def test_a_cancel_after_the_result_changes_nothing(autojump_clock: MockClock) -> None:
    """T005, T006: the budget of a call that is over fires no more, nor does its caller."""
    scope = trio.CancelScope()
    async with opened(answering(timeout=1)) as registry, trio.open_nursery() as nursery:
        nursery.start_soon(later, 2, scope.cancel)
        result = await registry.execute(ToolCall("answer"), scope=scope)
        await trio.sleep(3)
    assert (result.value, result.code) == ("answer", None)
