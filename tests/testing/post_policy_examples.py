"""Post-policies that keep every promise but one, each with a mistake that people make."""

from __future__ import annotations

import trio

from trio_tools import Block, CallView, ReplaceContent, ReplaceValue, ToolResult
from trio_tools.values import Review

SECRET = "the password is hunter2"


def redacts(view: CallView, result: ToolResult) -> Review:
    """Never lets a password out, whatever became of the call."""
    return Block("it held a password") if "hunter2" in result.text else None


class Asks:
    """Asks a service, one result at a time."""

    def __init__(self) -> None:
        self.limiter = trio.CapacityLimiter(1)

    async def __call__(self, view: CallView, result: ToolResult) -> Review:
        async with self.limiter:
            await trio.sleep(0.1)
            return ReplaceContent(result.text.replace("hunter2", "***")) if "hunter2" in result.text else None


# --- bad ones ------------------------------------------------------------------------------------------------------


def answers_a_text(view: CallView, result: ToolResult) -> str:
    return result.text.replace("hunter2", "***")


def expects_a_text(view: CallView, result: ToolResult) -> Review:
    assert isinstance(result.value, str) or result.error is not None, "no text"
    return redacts(view, result)


def forgives_failures(view: CallView, result: ToolResult) -> Review:
    return ReplaceValue("never mind") if result.code == "TOOL_FAILED" else None


async def dawdles(view: CallView, result: ToolResult) -> Review:
    await trio.sleep(10)
    return redacts(view, result)


def looks_at_successes_only(view: CallView, result: ToolResult) -> Review:
    return None if result.error is not None else redacts(view, result)


class SharesItsState:
    result: ToolResult

    async def __call__(self, view: CallView, result: ToolResult) -> Review:
        self.result = result
        await trio.sleep(0.1)
        return redacts(view, self.result)


async def waits_for_the_cancel_to_pass(view: CallView, result: ToolResult) -> Review:
    while view.cancel_requested:
        await trio.lowlevel.checkpoint()
    return redacts(view, result)


async def leaves_a_task(view: CallView, result: ToolResult) -> Review:
    trio.lowlevel.spawn_system_task(trio.sleep_forever)
    return redacts(view, result)
