"""The way of one call through its stages, in a task of its own."""

from __future__ import annotations

from contextlib import nullcontext

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._around import around
from trio_tools.pipeline._gate import gate
from trio_tools.pipeline._post import review
from trio_tools.pipeline._record import record_accepted
from trio_tools.pipeline._settle import settle
from trio_tools.pipeline._state import CallState, current_call
from trio_tools.values import ErrorCode, ToolResult, exception_error

_IN_THE_NURSERYS = nullcontext()


@enable_ki_protection
async def carry(call: CallState, skipped: bool) -> None:
    """The task of one call, from launch to publication. Never raises: a fault of ours is kept by the turn, and goes on
    when the others have settled (L015).

    **Cancellation**: the waits of user code are cut, nothing else is; the call always comes to be published.
    """
    turn = call.turn
    call.task = trio.lowlevel.current_task()
    current_call.set(call)
    try:
        if turn.core.recorders.functions and not call.unrecordable:
            unrecorded = await record_accepted(call)
            call.refused = call.refused or unrecorded
        if call.refused is not None:
            result = call.failed(call.refused)
        elif call.cause is not None:
            result = call.cut()
        else:
            result = await _started(call)
        await settle(call, result)
    except BaseException as fault:
        turn.fault = turn.fault or fault
    finally:
        call.task = None  # it holds this call in its context
        turn.ended(call, skipped)


async def _started(call: CallState) -> ToolResult:
    """Stages 2 to 5, in a scope that is this call's alone: the nursery's, where no other call is in it."""
    turn = call.turn
    core = turn.core
    own = turn.nursery.cancel_scope if len(turn.calls) == 1 else trio.CancelScope()
    call.scopes = ((own, ()),)
    result: ToolResult | None = None
    try:
        with _IN_THE_NURSERYS if own is turn.nursery.cancel_scope else own:
            decision = None
            if core.pre_policies.functions or core.recorders.functions:
                decision = await gate(call)
            result, final = decision or await around(call)
            if not final:
                result = await review(call, result) if core.post_policies.functions else call.recheck(result)
    except RuntimeError as thrown:
        if result is None:
            raise
        # the body left a scope of its own open, and Trio tells whoever leaves next
        result = call.failed(exception_error(thrown, ErrorCode.TOOL_FAILED), superseded=call.without_secrets(result))
    assert result is not None  # every stage returns one, and no Cancelled gets as far as this scope
    return result
