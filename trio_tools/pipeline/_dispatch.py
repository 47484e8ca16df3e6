"""Stage 4, dispatch: the base of `call_next()`. A last look, the mark, the body, and what comes of it as a result.

Whether a body was cut is for the scopes to say, never for the type of what it raised: a timeout of its own on a live
call is its failure, and a value that comes back from a cancelled call is an abort that finished late.
"""

from __future__ import annotations

import trio

from trio_tools.pipeline._context import BodyContext
from trio_tools.pipeline._faults import run_body, take_apart
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._record import record_dispatching
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._thread import run_in_thread
from trio_tools.tool import Tool
from trio_tools.values import ErrorCode, Outcome, ToolResult, exception_error


async def dispatch(call: CallState) -> ToolResult:
    """Run the body, if the call has not been given up by then.

    **Cancellation**: cut before the body is entered, the result says that it never ran. Once it is entered it is
    awaited to its end, whatever is cancelled.
    """
    tool = call.tool
    assert tool is not None
    limiter = tool.pool
    if limiter is None:
        if tool.signature.is_async:
            return await _enter(call, tool)
        limiter = trio.to_thread.current_default_thread_limiter()
    # one token for one call: borrowed in its name, given back when the work has really ended
    try:
        await limiter.acquire_on_behalf_of(call)
    except trio.Cancelled:
        return call.cut()
    try:
        return await _enter(call, tool)
    finally:
        limiter.release_on_behalf_of(call)


async def _enter(call: CallState, tool: Tool) -> ToolResult:
    if call.turn.core.recorders.functions:
        unrecorded = await record_dispatching(call)
        if unrecorded is not None:
            return call.failed(unrecorded)
    # the last look: an expired deadline that Trio has not processed yet still counts
    if call.cause is not None or trio.current_effective_deadline() <= trio.current_time():
        await call.is_cancelled()
        return call.cut()
    if call.attempts:
        assert call.arguments is not None
        call.values = tool.signature.read(call.arguments, [])  # an earlier attempt may have changed what it was given
    call.attempts += 1
    call.last = None
    call.stage = "dispatch"
    try:
        if tool.signature.is_async:
            context = BodyContext(call) if tool.signature.context else None
            positional, named = tool.signature.bind(call.values, context)
            value = await run_body(tool.body, positional, named)
        else:
            value = await run_in_thread(call, tool)
    except BaseException as thrown:
        return await _failed(call, thrown)
    result = completed(call, value)
    call.last = Outcome(result.content, result.value, result.error)
    if result.error is None and await call.is_cancelled():
        return call.cut()
    return result


async def _failed(call: CallState, thrown: BaseException) -> ToolResult:
    """What a body raised, as a result: its own failure, unless it was cut."""
    fault = take_apart(thrown)
    if fault.interrupt is not None:
        call.turn.interrupted(fault.interrupt)
    failure = fault.failure
    if failure is None:
        if await call.is_cancelled():
            return call.cut()
        failure = thrown  # a Cancelled that it had kept from elsewhere
    result = call.failed(exception_error(failure, ErrorCode.TOOL_FAILED))
    call.last = Outcome(result.content, error=result.error)
    return result
