"""The way of one call through its stages, in a task of its own."""

from __future__ import annotations

from contextlib import nullcontext

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._around import around, wrapper_failed
from trio_tools.pipeline._dispatch import dispatch
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
        await settle(call, await _through(call))
    except BaseException as fault:
        turn.fault = turn.fault or fault
    finally:
        call.task = None  # it holds this call in its context
        turn.ended(call, skipped)


async def _through(call: CallState) -> ToolResult:
    """Stages 2 to 5, in a scope that is this call's alone: the nursery's, where no other call is in it."""
    turn = call.turn
    core = turn.core
    refused_unrecorded = call.refused is not None and call.refused.code == ErrorCode.RECORD_FAILED
    if core.recorders.functions and not refused_unrecorded:
        unrecorded = await record_accepted(call)
        call.refused = call.refused or unrecorded
    if call.refused is not None:
        return call.failed(call.refused)
    if call.cause is not None:
        return call.cut()
    own = turn.nursery.cancel_scope if len(turn.calls) == 1 else trio.CancelScope()
    call.scopes = ((own, ()),)
    result: ToolResult | None = None
    try:
        with _IN_THE_NURSERYS if own is turn.nursery.cancel_scope else own:
            if (core.pre_policies.functions or call.heard) and (decision := await gate(call)):
                result, final = decision
                return result if final else await review(call, result)
            try:
                wrappers = core.wrappers.functions
                result = await (around(call, wrappers, 0) if wrappers else dispatch(call))
            except BaseException as thrown:
                return wrapper_failed(call, thrown)
            call.claim = None  # the chain is whole; a later cancel is the caller's own
            result = await review(call, result) if core.post_policies.functions else call.recheck(result)
    except RuntimeError as thrown:
        if result is None:
            raise
        # the body left a scope of its own open, and Trio tells whoever leaves next
        result = call.failed(exception_error(thrown, ErrorCode.TOOL_FAILED), superseded=call.without_secrets(result))
    assert result is not None  # every stage returns one, and no Cancelled gets as far as this scope
    return result
