"""The way of one call through its stages, in a task of its own."""

from __future__ import annotations

import trio

from trio_tools.pipeline._around import around
from trio_tools.pipeline._gate import gate
from trio_tools.pipeline._post import review
from trio_tools.pipeline._record import record_accepted
from trio_tools.pipeline._settle import settle
from trio_tools.pipeline._state import CallState, current_call
from trio_tools.values import ToolResult


async def carry(call: CallState) -> None:
    """From launch to publication; a call that was given up before it started takes the short way.

    **Cancellation**: the waits of user code are cut, nothing else is; the call always comes to be published.
    """
    turn = call.turn
    call.task = trio.lowlevel.current_task()
    current_call.set(call)
    unrecorded = None if call.refused is not None else await record_accepted(call)
    if call.refused is not None:
        result = call.failed(call.refused)
    elif unrecorded is not None:
        result = call.failed(unrecorded)
    elif call.cause is not None:
        result = call.cut()
    elif len(turn.calls) == 1:
        # the nursery holds this call alone: its scope is the call's own
        call.scopes = (turn.nursery.cancel_scope,)
        result = await _reviewed(call)
    else:
        result = await _in_own_scope(call)
    await settle(call, result)


async def _in_own_scope(call: CallState) -> ToolResult:
    own = trio.CancelScope()
    call.scopes = (own,)
    with own:
        return await _reviewed(call)
    raise AssertionError("every stage returns a result; no Cancelled gets as far as this scope")


async def _reviewed(call: CallState) -> ToolResult:
    denial = await gate(call)
    if denial is not None:
        result, final = denial
    else:
        result, final = await around(call)
    return result if final else await review(call, result)
