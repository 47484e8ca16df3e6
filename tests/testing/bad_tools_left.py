"""Bad tools that leave something behind, each with its corrected twin. What is wrong is in the name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import attrs
import trio
from seeded import Desk

from trio_tools import Registry, ToolContext, plugin


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
