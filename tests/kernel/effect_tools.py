"""An outbox, and a tool that posts to it, for the tests of effects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio
from turn_tools import Log

from trio_tools import CallEvent, Effect, EffectState, Registry, Tool, ToolCall, ToolContext, ToolResult, tool

Body: TypeAlias = Callable[[ToolContext], Awaitable[object]]

SENT = Effect("mail.send", EffectState.COMMITTED, {"id": 1})
WENT = 'Went through, do not repeat: mail.send (receipt {"id":1})'
BEFORE = "Error: mail.send was begun before, under the same key, and nobody knows whether it went through"
CHECK = "\nMay have gone through, check before you repeat: mail.send"
KEYED = Effect("mail.send", EffectState.COMMITTED, {"id": 1}, key="m1")


@attrs.define(eq=False)
class Outbox:
    """What was sent, which is after so many seconds, and when each sending was begun."""

    seconds: float = 1
    begun: list[float] = attrs.field(factory=list[float])
    sent: list[float] = attrs.field(factory=list[float])

    async def send(self) -> dict[str, int]:
        self.begun.append(trio.current_time())
        await trio.sleep(self.seconds)
        self.sent.append(trio.current_time())
        return {"id": len(self.sent)}

    async def bounce(self) -> None:
        self.begun.append(trio.current_time())
        await trio.lowlevel.checkpoint()
        raise ConnectionError("no such host")


def sends(outbox: Outbox, *, before: float = 0, after: float = 0, timeout: float | None = None) -> Tool:
    """A tool `mail` that sends once, waits so many seconds before and after, and returns the receipt."""

    async def send(ctx: ToolContext) -> object:
        await trio.sleep(before)
        receipt = await ctx.irreversible("mail.send", outbox.send)
        await trio.sleep(after)
        return receipt

    return doing(send, timeout=timeout)


def doing(body: Body, *, timeout: float | None = None, finalize: Callable[[ToolResult], str] | None = None) -> Tool:
    """A tool `mail` whose body this is."""

    @tool(timeout=timeout, finalize_content=finalize)
    async def mail(ctx: ToolContext) -> object:
        return await body(ctx)

    return mail


def slow_to_record(seconds: float, *kinds: type[CallEvent]) -> Log:
    """A recorder that takes so long for events of these kinds."""

    async def before(event: CallEvent) -> None:
        await trio.sleep(seconds if isinstance(event, kinds) else 0)

    return Log(before)


def states(result: ToolResult) -> list[str]:
    """How far each effect got: `mail.send committed`."""
    return [f"{effect.name} {effect.state}" for effect in result.effects]


def posting(send: Callable[[], Awaitable[object]], name: str = "mail.send") -> Tool:
    """A tool `post` that sends once under the key that it is given, and fails afterwards if it is told to."""

    @tool(parallel=True, timeout=100)
    async def post(key: str, ctx: ToolContext, fail: bool = False) -> object:
        receipt = await ctx.irreversible(name, send, key=key)
        if fail:
            raise LookupError("no such folder: Sent")
        return receipt

    return post


def post_call(key: str = "m1", *, fail: bool = False) -> ToolCall:
    return ToolCall("post", {"key": key, "fail": fail}, id=key)


async def post_once(registry: Registry, key: str = "m1", *, fail: bool = False) -> ToolResult:
    return await registry.execute(post_call(key, fail=fail), scope=trio.CancelScope())
