"""Bad tools that do not stop as they should, each with its corrected twin. What is wrong is in the name."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import trio
from seeded import Desk

from trio_tools import ToolContext


async def record_cut_off(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    finally:
        await desk.write("ended")


async def record_shielded(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    finally:
        with trio.move_on_after(5, shield=True):
            await desk.write("ended")


async def another_attempt_after_the_cancel(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    except BaseException:
        return await desk.ask()


async def another_attempt_after_a_failure(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    except OSError:
        return await desk.ask()


async def clean_up_in_a_shield_without_bound(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)

    async def later() -> None:
        with trio.CancelScope(shield=True, relative_deadline=5):
            await trio.sleep(2)
        desk.done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(later)
        with trio.CancelScope(shield=True):
            await desk.done.wait()
    return "done"


async def clean_up_in_a_shield_with_a_bound(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)

    async def later() -> None:
        with trio.CancelScope(shield=True, relative_deadline=5):
            await trio.sleep(2)
        desk.done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(later)
        with trio.CancelScope(shield=True, relative_deadline=5):
            await desk.done.wait()
    return "done"


async def waits_for_what_ignores_it(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await desk.done.wait()  # a program that ignores the signal to end
        raise


async def waits_for_it_so_long(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    try:
        return await desk.ask()
    except trio.Cancelled:
        with trio.move_on_after(5, shield=True):
            await desk.done.wait()
        raise


async def answer_instead_of_the_cancel(ctx: ToolContext) -> str:
    try:
        await trio.sleep_forever()
    except BaseException as error:
        return f"list failed: {type(error).__name__}"


async def answer_to_a_failure(ctx: ToolContext) -> str:
    try:
        await ctx.require(Desk).ask()
    except Exception as error:
        return f"list failed: {type(error).__name__}"
    return "listed"


async def carries_on_for_ever(ctx: ToolContext) -> str:
    while True:
        try:
            return await ctx.require(Desk).ask()
        except BaseException:
            continue


async def carries_on_after_failures(ctx: ToolContext) -> str:
    while True:
        try:
            return await ctx.require(Desk).ask()
        except OSError:
            continue


async def somebody_elses_cancel(ctx: ToolContext) -> str:
    stored: list[trio.Cancelled] = []
    with trio.move_on_after(0.1):
        try:
            await trio.sleep(1)
        except trio.Cancelled as cancelled:
            stored.append(cancelled)
            raise
    raise stored[0]


async def failure_of_its_own(ctx: ToolContext) -> str:
    with trio.move_on_after(0.1) as scope:
        await trio.sleep(1)
    if scope.cancelled_caught:
        raise TimeoutError("the peer did not answer in 100 ms")
    return "answered"


async def _in_a_scope() -> AsyncGenerator[int]:
    with trio.move_on_after(10):
        for number in range(3):
            yield number
            await trio.sleep(0.1)


# What is never collected, so that nobody complains of how it was left.
KEPT: list[object] = []


async def scope_across_a_yield(ctx: ToolContext) -> str:
    numbers = _in_a_scope()
    KEPT.append(numbers)
    async for number in numbers:
        ctx.report_progress(number)
        await trio.sleep(0.1)
    return "done"


async def scope_in_a_task_of_its_own(ctx: ToolContext) -> str:
    async with trio.as_safe_channel(_in_a_scope)() as numbers:
        async for number in numbers:
            ctx.report_progress(number)
            await trio.sleep(0.1)
    return "done"
