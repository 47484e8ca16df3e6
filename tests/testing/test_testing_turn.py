"""Turns: several calls are ended together, by samples; each comes to its own, one result each, in call order."""

from __future__ import annotations

import pytest
import trio

from trio_tools import ErrorCode, ToolCall, ToolContext, ToolError, tool
from trio_tools.testing import BrokenPromiseError, Case, EffectRecorder, Mode, Run, explore_turn


@tool(read_only=True)
async def read(seconds: int = 1) -> int:
    """Reads for so long."""
    await trio.sleep(seconds)
    return seconds


@tool
async def write(seconds: int = 1) -> int:
    """Writes for so long, alone in its turn."""
    await trio.sleep(seconds)
    return seconds


@tool
async def pay(ctx: ToolContext, seconds: int) -> int:
    """Pays after so long."""

    async def charge() -> int:
        await trio.sleep(1)
        ctx.require(EffectRecorder).happened("pay", seconds)
        return seconds

    await trio.sleep(seconds)
    await ctx.irreversible("pay", charge)
    await trio.sleep(1)
    return seconds


@tool(timeout=2)
async def overruns() -> None:
    """Takes longer than it may."""
    await trio.sleep(5)


@tool(idle_timeout=2, parallel=True)
async def falls_silent(ctx: ToolContext) -> None:
    """Reports twice, and then no more."""
    for done in range(2):
        await trio.sleep(1.5)
        ctx.report_progress(done)
    await trio.sleep(5)


@tool
async def fails() -> None:
    """Finds nothing."""
    await trio.sleep(1)
    raise ToolError("nothing there", code="SHOP_EMPTY")


@tool(pool=trio.CapacityLimiter(1), parallel=True)
async def queues(seconds: int) -> int:
    """One at a time."""
    await trio.sleep(seconds)
    return seconds


@tool(parallel=True)
async def concludes(ctx: ToolContext) -> None:
    """Ends the turn."""
    await trio.sleep(1)
    ctx.conclude_turn()


EVERY = [read, write, pay, overruns, falls_silent, fails, queues, concludes]


def calls(*written: str) -> list[ToolCall]:
    """`pay 2` is a call of pay with 2 seconds."""
    split = [one.partition(" ") for one in written]
    return [ToolCall(name, {"seconds": int(seconds)} if seconds else {}, id="same") for name, _, seconds in split]


@pytest.mark.parametrize(
    "turn",
    [
        ["read 1", "read 2", "read 1"],
        ["write 1", "read 2", "read 1", "write 1"],
        ["pay 1", "pay 2", "pay 1"],
        ["overruns", "falls_silent", "pay 1"],
        ["fails", "read 1", "fails"],
        ["queues 1", "queues 2", "queues 1"],
        ["concludes", "read 3"],
    ],
    ids=" ".join,
)
def test_calls_of_many_kinds_are_ended_together_and_keep_every_promise(turn: list[str]) -> None:
    """Exclusive ones, effects, budgets of their own, failures, pools; Ctrl-C too, which keeps some from beginning."""
    report = explore_turn(EVERY, calls(*turn), runs=60)
    assert report.failures == ()
    assert len(report.undisturbed) == len(turn)


def test_with_a_cap_calls_wait_for_one_another() -> None:
    report = explore_turn([read], calls("read 1", "read 1", "read 2"), max_parallel_calls=1, runs=40)
    assert report.failures == ()


@pytest.mark.parametrize(
    ("spoiled", "code"),
    [
        (ToolCall("read", {"seconds": "soon"}), ErrorCode.INVALID_ARGS),
        (ToolCall("read", '{"seconds": '), ErrorCode.INVALID_ARGS),
        (ToolCall("write_off"), ErrorCode.UNKNOWN_TOOL),
    ],
)
def test_a_call_that_fails_at_intake_is_explored_with_the_rest_of_its_turn(spoiled: ToolCall, code: ErrorCode) -> None:
    report = explore_turn([read], [spoiled, *calls("read 2")], runs=40)
    assert report.failures == ()
    assert [result.code for result in report.undisturbed] == [code, None]


def test_a_turn_of_nothing_that_can_run_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nothing to explore, the call cannot run: write_off: .*; read: "):
        explore_turn([read], [ToolCall("write_off"), ToolCall("read", {"seconds": "soon"})])


def test_a_turn_without_calls_is_refused() -> None:
    with pytest.raises(ValueError, match="a turn without calls has nothing to explore"):
        explore_turn([read], [])


@pytest.mark.parametrize("number", [0, -1, True, 2.0])
def test_runs_and_seeds_are_positive_numbers(number: int) -> None:
    with pytest.raises(ValueError, match="runs must be a positive whole number"):
        explore_turn([read], calls("read 1"), runs=number)
    with pytest.raises(ValueError, match="seeds must be a positive whole number"):
        explore_turn([read], calls("read 1"), seeds=number)


def drawn(*, runs: int, seed: int = 0, seeds: int = 10) -> list[Case]:
    """The cases that are made of a turn."""
    seen: list[Case] = []

    def note(run: Run) -> None:
        if run.case is not None:
            seen.append(run.case)

    report = explore_turn([read], calls("read 1", "read 2"), runs=runs, seed=seed, seeds=seeds, check=note)
    assert report.name == "read+read"
    assert len(seen) == report.cases
    return seen


def test_so_many_runs_are_drawn_as_the_seed_says() -> None:
    first = drawn(runs=30)
    assert len(first) == len(set(first)) == 30
    assert drawn(runs=30) == first
    assert drawn(runs=30, seed=1) != first
    assert len({case.seed for case in first}) > 3


def test_all_are_made_if_there_are_no_more() -> None:
    every = drawn(runs=10_000, seeds=1)
    steps = max(case.step for case in every)
    assert set(every) == {Case(mode, step) for mode in Mode for step in range(1, steps + 1)}


def test_what_is_broken_in_one_call_of_a_turn_is_found_and_named() -> None:
    @tool(parallel=True)
    async def swallows() -> str:
        """Answers for ever."""
        try:
            await trio.sleep(3)
        except BaseException:
            return "cut"
        return "done"

    with pytest.raises(BrokenPromiseError, match="swallows: swallows was cut, swallowed its Cancelled"):
        explore_turn([read, swallows], calls("read 1", "swallows", "read 2"), runs=60)
