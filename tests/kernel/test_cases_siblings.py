"""Case B37: one call's failure spoils its siblings. The calls of a turn are independent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Bodies, Heard, Log, begin, codes, kind, nap, naps

from trio_tools import CallEvent, CallView, Cause, ErrorCode, Registry, ToolCall, ToolResult, open_registry, tool

ABORTED, TIMEOUT = str(ErrorCode.ABORTED), str(ErrorCode.TOOL_TIMEOUT)


@tool(parallel=True)
async def fail() -> None:
    raise ValueError("bad zip")


@tool(parallel=True, timeout=0.1)
async def sleepy() -> None:
    await trio.sleep_forever()


async def test_case_b37_a_failure_an_answer_and_a_timeout(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B37, L008, LT2: in call order whatever the order of finishing; each is stored when it ends."""
    log = Log()
    async with open_registry() as registry:
        for one in (fail, sleepy):
            registry.register(one)
        Bodies(registry)
        registry.add_recorder(log)
        run = begin(nursery, registry, [ToolCall("fail", id="A"), nap("B", 0.2), ToolCall("sleepy", id="C")])
        await trio.sleep(1)
    assert run.codes == [ErrorCode.TOOL_FAILED, None, TIMEOUT]
    assert run.results is not None
    assert (run.results[0].text, run.results[1].text) == ("Error: ValueError: bad zip", "B")
    assert run.settled == {0: 0, 2: 0.1, 1: 0.2}
    assert {event.ref.call_id: event.at for event in log.settled} == {"A": 0, "C": 0.1, "B": 0.2}


async def test_case_b37_an_answer_is_stored_while_another_call_goes_on_for_long(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B37, D23: recorded, observed and told when it ends, not when the turn does."""
    log, heard = Log(), Heard()
    async with open_registry() as registry:
        Bodies(registry)
        registry.add_recorder(log)
        registry.add_observer(heard)
        run = begin(nursery, registry, [nap("A", 3600), nap("B", 0.2)])
        await trio.sleep(1)
        assert run.results is None
        assert ([event.ref.call_id for event in log.settled], heard.ids, run.settled) == (["B"], ["B"], {1: 0.2})
        run.scope.cancel()
        await trio.sleep(1)
    assert run.codes == [ABORTED, None]


def _a_policy(registry: Registry, thrown: BaseException) -> None:
    def gate(call: CallView) -> None:
        if call.id == "A":
            raise thrown

    registry.add_pre_policy(gate)


def _a_review(registry: Registry, thrown: BaseException) -> None:
    async def review(call: CallView, result: ToolResult) -> None:
        if call.id == "A":
            raise thrown

    registry.add_post_policy(review)


def _an_observer(registry: Registry, thrown: BaseException) -> None:
    def observe(call: CallView, result: ToolResult) -> None:
        if call.id == "A":
            raise thrown

    registry.add_observer(observe)


def _a_recorder(registry: Registry, thrown: BaseException) -> None:
    async def record(event: CallEvent) -> None:
        if event.ref.call_id == "A" and kind(event) == "dispatching":
            raise thrown

    registry.add_recorder(record)


@pytest.mark.parametrize(
    "thrown", [ValueError("a"), SystemExit(1), BaseExceptionGroup("g", [SystemExit(), KeyError()])]
)
@pytest.mark.parametrize("breaks", [_a_policy, _a_review, _an_observer, _a_recorder])
async def test_case_b37_whatever_fails_on_the_way_of_one_call(
    breaks: Callable[[Registry, BaseException], None], thrown: BaseException, autojump_clock: MockClock
) -> None:
    """Case B37, L008: a policy, a reviewer, a listener, a recorder."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        breaks(registry, thrown)
        results = await registry.execute_turn(naps("ABC"), scope=trio.CancelScope())
    assert codes(results)[1:] == [None, None]
    assert (bodies.left["B"], bodies.left["C"]) == (1, 1)


async def test_case_b37_one_that_is_cancelled_alone(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Case B37: by an operator; its siblings have nothing to do with it."""
    async with open_registry() as registry:
        bodies = Bodies(registry)
        run = begin(nursery, registry, naps("ABC", 2))
        await trio.sleep(1)
        registry.cancel("B")
        await trio.sleep(5)
    assert (run.codes, bodies.left) == ([None, ABORTED, None], {"A": 2, "B": 1, "C": 2})
    assert [result.cause for result in run.results or ()] == [None, Cause.OPERATOR, None]


async def test_case_b37_one_whose_own_nursery_and_scopes_break(autojump_clock: MockClock) -> None:
    """Case B37, LT2: it cancels what is its own, and nothing else."""

    @tool(parallel=True)
    async def messy() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(trio.sleep_forever)
            with trio.move_on_after(0.5):
                await trio.sleep_forever()
            nursery.cancel_scope.cancel()
            raise KeyError("b")

    async with open_registry() as registry:
        registry.register(messy)
        bodies = Bodies(registry)
        results = await registry.execute_turn([nap("A"), ToolCall("messy"), nap("C")], scope=trio.CancelScope())
    assert (codes(results), bodies.left) == ([None, ErrorCode.TOOL_FAILED, None], {"A": 1, "C": 1})


async def test_case_b37_one_that_stays_deaf_holds_up_the_turn_and_not_its_siblings(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """Case B37, R048: the others are settled and published by the time that it comes to rest."""

    @tool(parallel=True, timeout=1)
    async def deaf() -> str:
        with trio.CancelScope(shield=True):
            await trio.sleep(50)
        return "at last"

    async with open_registry() as registry:
        registry.register(deaf)
        Bodies(registry)
        run = begin(nursery, registry, [ToolCall("deaf"), *naps("BC", 2)])
        await trio.sleep(100)
    assert (run.codes, run.settled) == ([TIMEOUT, None, None], {1: 2, 2: 2, 0: 50})


async def test_case_b37_a_failing_sibling_in_a_nested_turn(autojump_clock: MockClock) -> None:
    """Case B37: the outer call gets all results, and goes on."""

    @tool
    async def outer() -> list[str]:
        calls = [ToolCall("fail"), nap("B", 2), ToolCall("sleepy")]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
        return [str(result.code) for result in results]

    async with open_registry() as registry:
        for one in (fail, sleepy, outer):
            registry.register(one)
        Bodies(registry)
        result = await registry.execute(ToolCall("outer"), scope=trio.CancelScope())
    assert result.value == ["TOOL_FAILED", "None", "TOOL_TIMEOUT"]


async def test_case_b37_many_that_fail_among_many_that_do_not(autojump_clock: MockClock) -> None:
    """Case B37, L006: each in its place."""
    async with open_registry() as registry:
        registry.register(fail)
        Bodies(registry)
        labels = [f"n{number}" for number in range(40)]
        calls = [ToolCall("fail") if number % 3 else nap(label) for number, label in enumerate(labels)]
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert [result.text for result in results] == [
        "Error: ValueError: bad zip" if number % 3 else label for number, label in enumerate(labels)
    ]
