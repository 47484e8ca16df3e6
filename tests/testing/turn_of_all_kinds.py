"""A turn of calls of every kind, and a plugin that is at every seam: what the kernel's promises are explored with."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import trio

from trio_tools import (
    Allow,
    CallEvent,
    CallNext,
    CallView,
    Dispatch,
    ErrorInfo,
    Progress,
    Registry,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    plugin,
    tool,
)
from trio_tools.testing import EffectRecorder


@tool(read_only=True)
async def look(place: str) -> str:
    """Look, which takes a while."""
    await trio.sleep(1)
    return f"{place}: nothing"


@tool(read_only=True, idle_timeout=10)
async def crowd(ctx: ToolContext) -> int:
    """Three tasks that report progress and clean up behind a shield."""

    async def member(number: int) -> None:
        try:
            await trio.sleep(number)
            ctx.report_progress(number, 3)
        finally:
            with trio.move_on_after(5, shield=True):
                await trio.sleep(0.5)

    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(member, number)
    return 3


@tool
async def send(to: str, ctx: ToolContext) -> str:
    """Send a mail, alone in its turn."""

    async def action() -> int:
        await trio.sleep(0.5)
        ctx.require(EffectRecorder).happened("mail.send", to)
        return 7

    await trio.sleep(0.5)
    receipt = await ctx.irreversible("mail.send", action)
    await trio.sleep(0.5)
    return f"sent {receipt}"


@tool(read_only=True)
async def delegate(ctx: ToolContext) -> str:
    """Make two calls of its own, the second with a deadline."""
    first = await ctx.execute(ToolCall("look", {"place": "here"}), scope=trio.CancelScope())
    second = await ctx.execute(ToolCall("look", {"place": "there"}), scope=trio.CancelScope(relative_deadline=0.5))
    return f"{first.text}, {second.code}"


@tool(read_only=True)
async def refuse() -> None:
    """Fail after a while."""
    await trio.sleep(0.5)
    raise ToolError("not today", code="NOT_TODAY")


TOOLS = (look, crowd, send, delegate, refuse)
CALLS = (
    ToolCall("look", {"place": "attic"}, id="1"),
    ToolCall("crowd", "", id="2"),
    ToolCall("send", {"to": "a"}, id="3"),
    ToolCall("delegate", "{}", id="4"),
    ToolCall("refuse", {}, id="5"),
    ToolCall("look", {"plaec": "cellar"}, id="6"),
)


@attrs.frozen
class NoConfig:
    """Nothing to configure."""


@plugin("every_seam", config=NoConfig)
@asynccontextmanager
async def every_seam(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    """Somebody at every seam who takes his time."""

    async def policy(call: CallView) -> Allow:
        await trio.sleep(0.1)
        return Allow()

    async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return await dispatch.within(1000, call_next, ErrorInfo("E", "TOO_LATE", "too late"))

    async def retry(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        result = await call_next()
        if result.code != "NOT_TODAY":
            return result
        await trio.sleep(1)
        return await call_next()

    async def review(call: CallView, result: ToolResult) -> None:
        await trio.sleep(0.1)

    async def record(event: CallEvent) -> None:
        await trio.sleep(0.1)

    async def observe(call: CallView, result: ToolResult) -> None:
        await trio.sleep(0.1)

    def follow(call: CallView, progress: Progress) -> None:
        return None

    with (
        registry.add_pre_policy(policy),
        registry.add_wrapper(wrapper),
        registry.add_wrapper(retry),
        registry.add_post_policy(review),
        registry.add_recorder(record),
        registry.add_observer(observe),
        registry.add_progress_observer(follow),
    ):
        yield
