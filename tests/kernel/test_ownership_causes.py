"""Each cause by name, and `Registry.cancel`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from around_tools import answering, execute, later, limit, opened, raising, rest, run, silent_limit, working
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    CallView,
    Cause,
    Deny,
    ErrorCode,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

NEVER_RAN = (ErrorCode.ABORTED_BEFORE_DISPATCH, False)
RAN = (ErrorCode.ABORTED, True)


def kind(result: ToolResult) -> tuple[str | None, bool]:
    return result.code, result.dispatched


async def test_what_ended_by_itself_has_no_cause(autojump_clock: MockClock) -> None:
    """R010, D1: success, denial and failures, also of a call that was cancelled meanwhile."""

    @tool
    async def fail_when_cut() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("own")

    async with opened(answering(), raising(ValueError("own")), fail_when_cut) as registry:
        results = [
            await execute(registry, "answer"),
            await execute(registry, "raise"),
            await execute(registry, "missing"),
            await execute(registry, "fail_when_cut", cancel_at=1),
        ]
        registry.add_pre_policy(lambda view: Deny("no"))
        results.append(await execute(registry, "answer"))
    assert [one.code for one in results] == [None, "TOOL_FAILED", "UNKNOWN_TOOL", "TOOL_FAILED", "DENIED"]
    assert [one.cause for one in results] == [None] * 5


async def test_caller(autojump_clock: MockClock) -> None:
    """R010, D5: by hand, by deadline; before the body and while it runs."""
    results = [
        await run(working(), cancel_at=1),
        await run(working(), deadline=1),
        await run(working(), deadline=0),
    ]
    assert [one.cause for one in results] == [Cause.CALLER] * 3
    assert [kind(one) for one in results] == [RAN, RAN, NEVER_RAN]
    assert [one.text for one in results] == [
        "Error: tool call aborted",
        "Error: tool call aborted",
        "Error: tool call aborted before dispatch",
    ]
    assert {one.error.name for one in results if one.error is not None} == {"AbortError"}


async def test_deadline_idle_and_wrapper(autojump_clock: MockClock) -> None:
    """D5: budgets by name; a wrapper's scope that claims nothing."""
    results = [
        await run(working(timeout=1)),
        await run(working(idle_timeout=1)),
        await run(working(), limit(1)),
        await run(working(), silent_limit(1)),
    ]
    assert [one.cause for one in results] == [Cause.DEADLINE, Cause.IDLE, Cause.DEADLINE, Cause.WRAPPER]


@pytest.mark.parametrize(
    ("fails_at", "cleanup", "end"),
    [
        (1, 0, (ErrorCode.ABORTED, Cause.SHUTDOWN)),
        (1, 5, (ErrorCode.ABORTED, Cause.SHUTDOWN)),
        (3, 5, (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE)),
    ],
)
async def test_shutdown_by_an_error_of_the_block(
    autojump_clock: MockClock, fails_at: float, cleanup: float, end: tuple[str, Cause]
) -> None:
    """D5: running calls are cancelled and waited for, the budget of 2 owns what it ended before; then the error comes
    out, as that very object."""
    published: list[ToolResult] = []
    problem = LookupError("of the block")

    async def block(nursery: trio.Nursery) -> None:
        async with open_registry() as registry:
            registry.register(working(cleanup=cleanup, timeout=2))
            registry.add_observer(lambda view, result: published.append(result))
            nursery.start_soon(execute, registry, "work")
            await trio.sleep(fails_at)
            raise problem

    async with trio.open_nursery() as nursery:
        with pytest.raises(LookupError) as raised:
            await block(nursery)
        assert raised.value is problem
        assert trio.current_time() == min(fails_at, 2) + cleanup
    assert [(one.code, one.cause, one.dispatched) for one in published] == [(*end, True)]


async def test_shutdown_of_calls_that_wait(autojump_clock: MockClock) -> None:
    """D5: draining starts nothing more; what runs may end."""
    results: list[ToolResult] = []
    async with opened(working(2)) as registry, trio.open_nursery() as nursery:

        async def go() -> None:
            results.extend(await registry.execute_turn([ToolCall("work")] * 2, scope=trio.CancelScope()))

        nursery.start_soon(go)
        await wait_all_tasks_blocked()
        await registry.drain()
        results.append(await execute(registry, "work"))
    assert [(kind(one), one.cause) for one in results] == [
        ((None, True), None),
        (NEVER_RAN, Cause.SHUTDOWN),
        (NEVER_RAN, Cause.SHUTDOWN),
    ]


async def test_operator_of_a_running_call(autojump_clock: MockClock) -> None:
    """Case B24 (b): only the one that is named; its body is told why."""
    told: list[tuple[bool, str | None]] = []
    results: dict[str, ToolResult] = {}

    @tool(parallel=True)
    async def work(ctx: ToolContext) -> str:
        try:
            await trio.sleep(5)
        finally:
            told.append((ctx.cancel_requested, ctx.cancel_reason))
        return "worked"

    async with opened(work) as registry, trio.open_nursery() as nursery:

        async def go(call_id: str) -> None:
            results[call_id] = await execute(registry, "work", call_id=call_id)

        nursery.start_soon(go, "a")
        nursery.start_soon(go, "b")
        await wait_all_tasks_blocked()
        assert registry.cancel("a", "you look tired") == 1
    assert (kind(results["a"]), results["a"].cause) == (RAN, Cause.OPERATOR)
    assert (results["b"].value, results["b"].cause) == ("worked", None)
    assert told == [(True, "you look tired"), (False, None)]


async def test_operator_of_a_waiting_call(autojump_clock: MockClock) -> None:
    """Case B24 (b), case B35: it settles at once, its place is not kept, and the others go on in order."""
    started: list[str | None] = []
    settled: list[tuple[int, float]] = []

    @tool
    async def work(ctx: ToolContext) -> str:
        started.append(ctx.call.id)
        await trio.sleep(2)
        return "worked"

    calls = [ToolCall("work", id=name) for name in "abc"]
    results: list[ToolResult] = []
    async with opened(work) as registry, trio.open_nursery() as nursery:

        async def go() -> None:
            results.extend(
                await registry.execute_turn(
                    calls,
                    scope=trio.CancelScope(),
                    on_settled=lambda nth, _: settled.append((nth, trio.current_time())),
                )
            )

        nursery.start_soon(go)
        await trio.sleep(1)
        assert registry.cancel("b") == 1
    assert [(kind(one), one.cause) for one in results] == [
        ((None, True), None),
        (NEVER_RAN, Cause.OPERATOR),
        ((None, True), None),
    ]
    assert started == ["a", "c"]
    assert settled == [(1, 1), (0, 2), (2, 4)]


async def test_operator_and_an_id_that_nobody_has(autojump_clock: MockClock) -> None:
    """Case B24 (a): finished, never seen, given up already, from inside the observer of that very call: no error,
    and no second result."""
    counts: list[int] = []
    published: list[ToolResult] = []
    async with opened(working(1, cleanup=2), answering()) as registry, trio.open_nursery() as nursery:

        def observe(view: CallView, result: ToolResult) -> None:
            published.append(result)
            counts.append(registry.cancel(view.id or ""))

        registry.add_observer(observe)
        await execute(registry, "answer", call_id="done")
        counts.extend([registry.cancel("done"), registry.cancel("never seen")])
        nursery.start_soon(lambda: execute(registry, "work", call_id="twice"))
        await wait_all_tasks_blocked()
        counts.extend([registry.cancel("twice"), registry.cancel("twice")])
    assert counts == [0, 0, 0, 1, 0, 0]
    assert [one.cause for one in published] == [None, Cause.OPERATOR]


async def test_operator_of_several_calls_with_one_id(autojump_clock: MockClock) -> None:
    """Case B24: ids may repeat; all that are unsettled are meant, the return says how many."""
    async with opened(working()) as registry, trio.open_nursery() as nursery:
        results: list[ToolResult] = []

        async def go() -> None:
            calls = [ToolCall("work", id="same"), ToolCall("work", id="same"), ToolCall("work")]
            results.extend(await registry.execute_turn(calls, scope=trio.CancelScope(relative_deadline=5)))

        nursery.start_soon(go)
        await trio.sleep(1)
        assert registry.cancel("same") == 2
    assert [(one.code, one.cause) for one in results] == [
        (ErrorCode.ABORTED, Cause.OPERATOR),
        (ErrorCode.ABORTED_BEFORE_DISPATCH, Cause.OPERATOR),
        (ErrorCode.ABORTED, Cause.CALLER),
    ]


async def test_operator_while_a_policy_decides(autojump_clock: MockClock) -> None:
    """R030: nothing of the call has run."""

    async def decide(view: CallView) -> None:
        await trio.sleep_forever()

    async with opened(answering()) as registry, trio.open_nursery() as nursery:
        registry.add_pre_policy(decide)
        nursery.start_soon(later, 1, lambda: registry.cancel("x"))
        result = await execute(registry, "answer", call_id="x")
        assert (kind(result), result.cause, trio.current_time()) == (NEVER_RAN, Cause.OPERATOR, 1)


@pytest.mark.parametrize(
    ("first", "second", "cause"),
    [
        ("operator", "caller", Cause.OPERATOR),
        ("caller", "operator", Cause.CALLER),
        ("budget", "operator", Cause.DEADLINE),
        ("operator", "budget", Cause.OPERATOR),
    ],
)
async def test_of_two_causes_the_first_names_the_result(
    autojump_clock: MockClock, first: str, second: str, cause: Cause
) -> None:
    """D5: the second falls due while the body cleans up."""
    scope = trio.CancelScope()
    at = {first: 1, second: 2}

    @tool(timeout=at.get("budget"))
    async def work() -> None:
        try:
            await trio.sleep_forever()
        finally:
            await rest(5)

    async with opened(work) as registry, trio.open_nursery() as nursery:
        acts: dict[str, Callable[[], object]] = {"operator": lambda: registry.cancel("x"), "caller": scope.cancel}
        for name, act in acts.items():
            if name in at:
                nursery.start_soon(later, at[name], act)
        result = await registry.execute(ToolCall("work", id="x"), scope=scope)
        assert (result.cause, trio.current_time()) == (cause, 6)
