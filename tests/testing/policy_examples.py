"""Pre-policies that keep every promise but one, each with a mistake that people make."""

from __future__ import annotations

from typing import Any

import trio

from trio_tools import Allow, CallView, Deny, ToolCall
from trio_tools.values import Decision

REMOVE = ToolCall("remove", {"path": "/etc/passwd"})


def inside(view: CallView) -> Decision:
    """Lets nothing reach out of the folder."""
    path = (view.arguments or {}).get("path")
    return Deny("that is outside") if isinstance(path, str) and path.startswith("/") else None


class Asks:
    """Asks a service, one call at a time."""

    def __init__(self) -> None:
        self.limiter = trio.CapacityLimiter(1)

    async def __call__(self, view: CallView) -> Decision:
        async with self.limiter:
            await trio.sleep(0.5)
            return inside(view) or Allow()


# --- bad ones ------------------------------------------------------------------------------------------------------


def answers_a_bool(view: CallView) -> bool:
    return not isinstance(inside(view), Deny)


def expects_a_path(view: CallView) -> Decision:
    assert view.arguments is not None
    return Deny("that is outside") if str(view.arguments["path"]).startswith("/") else None


def tidies_the_arguments(view: CallView) -> Decision:
    if view.arguments is not None and "path" in view.arguments:
        frozen: Any = view.arguments
        dict[str, Any].__setitem__(frozen, "path", "/tidy")  # past what freezes it
    return None


class SharesItsState(Asks):
    view: CallView

    async def __call__(self, view: CallView) -> Decision:
        self.view = view
        await trio.sleep(0.5)
        return inside(self.view)


def lets_through(view: CallView) -> Decision:
    return Allow()


async def cannot_be_cancelled(view: CallView) -> Decision:
    with trio.move_on_after(20, shield=True):
        await trio.sleep(10)
    return inside(view)


async def asks_again_and_again(view: CallView) -> Decision:
    while True:
        try:
            await trio.sleep(0.5)
        except trio.Cancelled:
            continue
        return inside(view)


class KeepsAPermit(Asks):
    async def __call__(self, view: CallView) -> Decision:
        await self.limiter.acquire_on_behalf_of(view.token)
        await trio.sleep(0.5)
        self.limiter.release_on_behalf_of(view.token)
        return inside(view)
