"""Effects explored: every kind of them, ended at every step in every way."""

from __future__ import annotations

import pytest
import trio

from trio_tools import EffectState, SyncToolContext, Tool, ToolCall, ToolContext, tool
from trio_tools.testing import EffectRecorder, Run, explore_cancellation, explore_turn


async def post(happened: EffectRecorder, seconds: float = 1) -> dict[str, int]:
    """Send a mail, as seen from the tool: something to wait for, then it is out, and an answer to wait for."""
    await trio.sleep(seconds)
    happened.happened("mail.send")
    await trio.sleep(1)
    return {"id": 1}


@tool(timeout=60)
async def keyed(ctx: ToolContext) -> object:
    """Sends under a key, and within a bound."""
    happened = ctx.require(EffectRecorder)
    await trio.sleep(1)
    receipt = await ctx.irreversible("mail.send", lambda: post(happened), key="m1", timeout=5)
    await trio.sleep(1)
    return receipt


@tool(timeout=60)
async def twice(ctx: ToolContext) -> object:
    """Sends under one key from two tasks."""
    happened = ctx.require(EffectRecorder)
    got: list[object] = []

    async def send() -> None:
        got.append(await ctx.irreversible("mail.send", lambda: post(happened), key="m1", timeout=5))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        nursery.start_soon(send)
    return [*got]


@tool(timeout=60)
async def too_slow(ctx: ToolContext) -> object:
    """Sends within a bound that is up when the mail is out, and its answer is not there."""
    happened = ctx.require(EffectRecorder)
    return await ctx.irreversible("mail.send", lambda: post(happened), timeout=1.5)


@tool(timeout=60)
async def nested(ctx: ToolContext) -> object:
    """Has another call send it."""
    result = await ctx.execute(ToolCall("keyed"), scope=trio.CancelScope())
    await trio.sleep(1)
    return result.value


@pytest.mark.parametrize("one", [keyed, twice, too_slow], ids=lambda one: one.name)
def test_an_effect_is_made_once_and_named_however_its_call_is_ended(one: Tool) -> None:
    """M021, M022, M023: at every step in every way. A result names it once, beside what it gave back."""

    def once_at_most(run: Run) -> bool:
        made = [effect for effect in run.result.effects if not effect.earlier]
        return len(run.happened) <= 1 and len([one for one in made if one.state is not EffectState.FAILED]) <= 1

    report = explore_cancellation(one, services=[EffectRecorder], check=once_at_most, seeds=2)
    assert (report.failures, report.virtual) == ((), True)


def test_a_nested_effect_is_named_by_both_results_however_the_calls_are_ended() -> None:
    def both(run: Run) -> bool:
        inner = [one.effects for one in run.published if one.tool == "keyed"]
        outer = [one.effects for one in run.published if one.tool == "nested"]
        return [len(effects) for effects in inner] == [len(effects) for effects in outer][: len(inner)]

    report = explore_turn([keyed, nested], [ToolCall("nested")], services=[EffectRecorder], check=both, runs=150)
    assert report.failures == ()


def test_calls_of_one_turn_under_one_key_do_it_once_however_they_are_ended() -> None:
    def once_at_most(run: Run) -> bool:
        return len(run.happened) <= 1

    @tool(parallel=True, timeout=60)
    async def side_by_side(ctx: ToolContext) -> object:
        happened = ctx.require(EffectRecorder)
        return await ctx.irreversible("mail.send", lambda: post(happened), key="m1", timeout=5)

    calls = [ToolCall("side_by_side", id=str(number)) for number in range(3)]
    report = explore_turn([side_by_side], calls, services=[EffectRecorder], check=once_at_most, runs=150)
    assert report.failures == ()


def test_an_effect_in_a_thread_keeps_every_promise() -> None:
    """On the real clock, by samples."""

    @tool(timeout=60)
    def in_thread(ctx: SyncToolContext) -> object:
        happened = ctx.require(EffectRecorder)
        ctx.check_cancelled()

        def send() -> dict[str, int]:
            happened.happened("mail.send")
            ctx.check_cancelled()
            return {"id": 1}

        receipt = ctx.irreversible("mail.send", send, key="m1")
        ctx.check_cancelled()
        return receipt

    report = explore_turn([in_thread], [ToolCall("in_thread")], services=[EffectRecorder], runs=60, seeds=1)
    assert report.failures == ()
