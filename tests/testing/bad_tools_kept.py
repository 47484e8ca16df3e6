"""Bad tools that keep or do what they should not, each with its corrected twin: effects, half of what belongs together,
permits. What is wrong is in the name."""

from __future__ import annotations

import trio
from seeded import Desk

from trio_tools import ToolContext
from trio_tools.testing import EffectRecorder, Run


async def receipt_that_only_the_value_has(ctx: ToolContext) -> str:
    ctx.require(EffectRecorder).happened("mail.send", 7)
    await trio.sleep(0.2)
    return "sent id=7"


async def receipt_in_the_result(ctx: ToolContext) -> str:
    async def send() -> int:
        ctx.require(EffectRecorder).happened("mail.send", 7)
        return 7

    receipt = await ctx.irreversible("mail.send", send)
    await trio.sleep(0.2)
    return f"sent id={receipt}"


async def effect_in_a_shield(ctx: ToolContext) -> str:
    with trio.move_on_after(5, shield=True):
        ctx.require(EffectRecorder).happened("file.append", "sent 1")
        await trio.sleep(0.2)
    return "sent id=1"


async def effect_in_a_zone(ctx: ToolContext) -> str:
    async def append() -> str:
        ctx.require(EffectRecorder).happened("file.append", "sent 1")
        await trio.sleep(0.2)
        return "sent 1"

    await trio.sleep(0.2)
    await ctx.irreversible("file.append", append)
    return "sent id=1"


async def notice_of_the_cancel(ctx: ToolContext) -> str:
    try:
        return await ctx.require(Desk).ask()
    except trio.Cancelled:
        ctx.require(EffectRecorder).happened("mail.send", "sorry, it was cancelled")
        raise


async def no_notice(ctx: ToolContext) -> str:
    return await ctx.require(Desk).ask()


async def half_of_two_lines(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    desk.lines.append("debit")
    await desk.ask()
    desk.lines.append("credit")
    return "booked"


async def two_lines_or_none(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    await desk.ask()
    desk.lines += ["debit", "credit"]
    return "booked"


async def _feed(send: trio.MemorySendChannel[str]) -> None:
    await trio.sleep(1)
    await send.send("item")


async def taken_and_lost(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    send, receive = trio.open_memory_channel[str](0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_feed, send)
        item = await receive.receive()
        desk.lines.append("taken")
        await trio.lowlevel.checkpoint_if_cancelled()
        desk.lines.append("handed on")
    return item


async def taken_and_handed_on(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    send, receive = trio.open_memory_channel[str](0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_feed, send)
        item = await receive.receive()
        desk.lines += ["taken", "handed on"]
        await trio.lowlevel.checkpoint_if_cancelled()
    return item


def books_balance(run: Run) -> bool:
    return len(run.service(Desk).lines) % 2 == 0


async def permit_kept_by_a_cancelled_call(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    await desk.limiter.acquire()
    answer = await desk.ask()
    desk.limiter.release()
    return answer


async def permit_given_back(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    async with desk.limiter:
        return await desk.ask()


async def place_in_a_queue_kept(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    await desk.semaphore.acquire()
    try:
        answer = await desk.ask()
    except Exception:
        desk.semaphore.release()
        raise
    desk.semaphore.release()
    return answer


async def place_in_a_queue_given_up(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    async with desk.semaphore:
        return await desk.ask()


async def lock_held(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    await desk.lock.acquire()
    await desk.ask()
    desk.lock.release()
    return "done"


async def lock_released(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    async with desk.lock:
        await desk.ask()
    return "done"
