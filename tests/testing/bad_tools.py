"""Bad tools that need nothing but Trio, each with its corrected twin. What is wrong is in the name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import attrs
import trio
from seeded import Desk

from trio_tools import Registry, ToolContext, plugin
from trio_tools.testing import EffectRecorder, Run

# --- effects ---------------------------------------------------------------------------------------------------------


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


# --- permits ---------------------------------------------------------------------------------------------------------


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


# --- unwinding -------------------------------------------------------------------------------------------------------


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


async def scope_across_a_yield(ctx: ToolContext) -> str:
    numbers = _in_a_scope()
    ctx.require(Desk).kept.append(numbers)
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


# --- what is left ----------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Background:
    """Somebody else's nursery, and callbacks that are called as it closes."""

    nursery: trio.Nursery
    callbacks: list[Callable[[float], object]] = attrs.field(factory=list[Callable[[float], object]])


@attrs.frozen
class NoConfig:
    """Nothing to configure."""


@plugin("background", config=NoConfig)
@asynccontextmanager
async def background(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    async with trio.open_nursery() as nursery:
        service = Background(nursery)
        with registry.provide(Background, service):
            yield
        for callback in service.callbacks:
            callback(1.0)
        nursery.cancel_scope.cancel()


async def list_that_goes_on_changing(ctx: ToolContext) -> str:
    async def change() -> None:
        await trio.sleep_forever()

    ctx.require(Background).nursery.start_soon(change)
    return await ctx.require(Desk).ask()


async def list_that_is_done(ctx: ToolContext) -> str:
    async def change() -> None:
        await trio.sleep(0.5)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(change)
        return await ctx.require(Desk).ask()


async def callback_left_behind(ctx: ToolContext) -> str:
    callbacks = ctx.require(Background).callbacks
    callbacks.append(ctx.report_progress)
    answer = await ctx.require(Desk).ask()
    callbacks.clear()
    return answer


async def callback_taken_out(ctx: ToolContext) -> str:
    callbacks = ctx.require(Background).callbacks
    callbacks.append(ctx.report_progress)
    try:
        return await ctx.require(Desk).ask()
    finally:
        callbacks.clear()


async def temporary_file_left(ctx: ToolContext) -> str:
    descriptor, name = tempfile.mkstemp()
    os.close(descriptor)
    answer = await ctx.require(Desk).ask()
    os.unlink(name)
    return answer


async def temporary_file_removed(ctx: ToolContext) -> str:
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "draft"))
        return await ctx.require(Desk).ask()


async def descriptor_left_open(ctx: ToolContext) -> str:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    answer = await ctx.require(Desk).ask()
    os.close(descriptor)
    return answer


async def descriptor_closed(ctx: ToolContext) -> str:
    with os.fdopen(os.open(os.devnull, os.O_RDONLY)):
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


def books_balance(run: Run) -> bool:
    return len(run.service(Desk).lines) % 2 == 0
