"""Case B03: a budget that runs out as the work completes."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from around_tools import execute, limit, opened, run, silent_limit, working
from trio.testing import MockClock

from trio_tools import (
    CallEvent,
    CallSettled,
    Cause,
    ErrorCode,
    Session,
    Tool,
    ToolCall,
    ToolResult,
    tool,
)

BUDGET = 0.1
ROUNDS = 200


def sending(clock: MockClock, outbox: Path, *, in_nursery: bool = False) -> Tool:
    """A tool that blocks the loop past its budget, has its effect, and returns a receipt."""

    def send() -> None:
        clock.jump(2 * BUDGET)
        with outbox.open("a") as file:
            file.write("sent\n")

    async def send_in_child() -> None:
        send()

    @tool(name="send", timeout=BUDGET)
    async def send_mail() -> str:
        if in_nursery:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(send_in_child)
        else:
            send()
        return "sent id=7"

    return send_mail


class Published:
    """Everything that is told of the calls of a registry."""

    def __init__(self) -> None:
        self.results: list[ToolResult] = []
        self.settled: list[CallSettled] = []

    def observe(self, view: object, result: ToolResult) -> None:
        self.results.append(result)

    async def record(self, event: CallEvent) -> None:
        if isinstance(event, CallSettled):
            self.settled.append(event)


def assert_timed_out_with_receipt(result: ToolResult) -> None:
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, True)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"
    assert result.text.startswith("Error: tool call timed out after 100ms\n")
    assert "sent id=7" in result.text


@pytest.mark.parametrize("in_nursery", [False, True])
async def test_a_body_that_blocks_past_its_budget_keeps_its_receipt(
    mock_clock: MockClock, tmp_path: Path, in_nursery: bool
) -> None:
    """Case B03 (a), D6, TT4: a timeout, with the receipt; one result, one effect, and nothing comes later."""
    published = Published()
    async with opened(sending(mock_clock, tmp_path / "outbox", in_nursery=in_nursery)) as registry:
        registry.add_observer(published.observe)
        registry.add_recorder(published.record)
        result = await execute(registry, "send")
        mock_clock.jump(10)
        await trio.testing.wait_all_tasks_blocked()
    assert_timed_out_with_receipt(result)
    assert (tmp_path / "outbox").read_text() == "sent\n"
    assert published.results == [result]
    assert [event.result for event in published.settled] == [result]


async def test_a_body_that_ends_at_the_very_instant_of_its_budget(autojump_clock: MockClock) -> None:
    """Case B03 (b), D6, TT3: 200 rounds, one result each, and the receipt is in all of them."""

    @tool(timeout=BUDGET)
    async def work() -> str:
        with trio.CancelScope(shield=True):
            await trio.sleep(BUDGET)
        return "sent id=7"

    published = Published()
    async with opened(work) as registry:
        registry.add_observer(published.observe)
        results = [await execute(registry, "work") for _ in range(ROUNDS)]
    for result in results:
        assert_timed_out_with_receipt(result)
    assert published.results == results


async def test_a_wait_that_ends_at_the_very_instant_of_its_budget(autojump_clock: MockClock) -> None:
    """Case B03 (b), TT3: unshielded the deadline wins, each time; it is never an abort before dispatch."""
    async with opened(working(BUDGET, timeout=BUDGET)) as registry:
        results = [await execute(registry, "work") for _ in range(ROUNDS)]
    assert {(one.code, one.cause, one.dispatched) for one in results} == {
        (ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE, True)
    }


async def test_a_wrapper_outside_that_has_as_little_time(mock_clock: MockClock, tmp_path: Path) -> None:
    """Case B03, D5: two budgets passed while the loop was blocked; the earlier one owns, the receipt is kept."""
    outbox = tmp_path / "outbox"
    inner_first = await run(sending(mock_clock, outbox), limit(1.5 * BUDGET), outside=True)
    assert_timed_out_with_receipt(inner_first)
    outer_first = await run(sending(mock_clock, outbox), limit(0.5 * BUDGET), outside=True)
    assert outer_first.code == "OWN_LIMIT"
    assert outer_first.superseded is not None
    assert outer_first.superseded.value == "sent id=7"


async def test_a_wrapper_outside_that_only_cuts(mock_clock: MockClock, tmp_path: Path) -> None:
    """Case B03, T026: its time passed first, so that this is no timeout, and the receipt is not lost."""
    result = await run(sending(mock_clock, tmp_path / "outbox"), silent_limit(0.5 * BUDGET), outside=True)
    assert result.code in (None, ErrorCode.ABORTED)
    assert (result.dispatched, "sent id=7" in result.text) == (True, True)


@pytest.mark.parametrize(
    ("seconds", "code", "cause"),
    [
        (0.5 * BUDGET, ErrorCode.ABORTED, Cause.CALLER),
        (BUDGET, ErrorCode.ABORTED, Cause.CALLER),
        (1.5 * BUDGET, ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE),
    ],
)
async def test_the_callers_deadline_and_the_budget_pass_while_the_loop_is_blocked(
    mock_clock: MockClock, tmp_path: Path, seconds: float, code: str, cause: Cause
) -> None:
    """Case B03, D5, TT2: by time, though Trio learns of both at once; the receipt is kept either way."""
    result = await run(sending(mock_clock, tmp_path / "outbox"), deadline=seconds)
    assert (result.code, result.cause, result.dispatched) == (code, cause, True)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"
    assert (tmp_path / "outbox").read_text() == "sent\n"


async def test_an_enclosing_deadline_and_the_budget_pass_while_the_loop_is_blocked(
    mock_clock: MockClock, tmp_path: Path
) -> None:
    """Case B03, D5: what encloses the call is its caller's, and fell due first: no success, and no timeout."""
    published = Published()
    with trio.move_on_after(0.5 * BUDGET):
        async with opened(sending(mock_clock, tmp_path / "outbox")) as registry:
            registry.add_observer(published.observe)
            await registry.execute(ToolCall("send"), scope=trio.CancelScope())
    (result,) = published.results
    assert (result.code, result.cause, result.dispatched) == (ErrorCode.ABORTED, Cause.CALLER, True)
    assert result.superseded is not None
    assert result.superseded.value == "sent id=7"


async def test_a_turn_has_one_result_per_call_when_budgets_end_with_the_work(autojump_clock: MockClock) -> None:
    """Case B03: ten at once; no exception leaves the turn."""

    @tool(timeout=BUDGET, parallel=True)
    async def work(nth: int) -> str:
        with trio.CancelScope(shield=nth % 2 == 0):
            await trio.sleep(BUDGET)
        return "sent id=7"

    settled: list[int] = []
    async with opened(work) as registry:
        calls = [ToolCall("work", {"nth": nth}) for nth in range(10)]
        results = await registry.execute_turn(
            calls, scope=trio.CancelScope(), session=Session("s"), on_settled=lambda nth, _: settled.append(nth)
        )
    assert [one.code for one in results] == [ErrorCode.TOOL_TIMEOUT] * 10
    assert [one.superseded is not None for one in results] == [True, False] * 5
    assert sorted(settled) == list(range(10))
