"""Plain functions run in a worker thread, and are never abandoned there."""

from __future__ import annotations

import contextvars
import threading
from math import inf

import trio
from trio.lowlevel import RunVar

from trio_tools.pipeline._context import ThreadContext
from trio_tools.pipeline._state import CallState
from trio_tools.tool import Tool

# The call holds its pool's token already when it gets here; Trio's own wait for one must neither block nor be cut.
_unlimited: RunVar[trio.CapacityLimiter] = RunVar("trio_tools.unlimited")


def _no_limit() -> trio.CapacityLimiter:
    try:
        return _unlimited.get()
    except LookupError:
        limiter = trio.CapacityLimiter(inf)
        _unlimited.set(limiter)
        return limiter


async def run_in_thread(call: CallState, tool: Tool) -> object:
    """Run the body in a thread, in the call's context variables; what it sets there is seen by observers.

    **Cancellation**: the thread is told (`check_cancelled`) and awaited.
    """
    call.seen = min(call.seen, trio.current_effective_deadline())  # the thread may ask, and cannot look itself
    positional, named = tool.signature.bind(call.values, ThreadContext(call) if tool.signature.context else None)
    context = contextvars.copy_context()

    def body() -> tuple[object]:
        call.thread = threading.get_ident()
        try:
            return (context.run(tool.body, *positional, **named),)
        finally:
            call.thread = None

    try:
        (value,) = await trio.to_thread.run_sync(body, limiter=_no_limit(), thread_name=f"{tool.name} (trio_tools)")
        return value
    finally:
        for variable, value in context.items():
            if variable.get(None) is not value:
                variable.set(value)
