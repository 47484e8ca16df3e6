"""Stage 4, dispatch: the base of `call_next()`. A last look, the mark, the body, and what comes of it as a result.

Whether a body was cut is for the scopes to say, never for the type of what it raised: a timeout of its own on a live
call is its failure, and a value that comes back from a cancelled call is an abort that finished late.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable
from math import inf

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._context import BodyContext
from trio_tools.pipeline._faults import run_body
from trio_tools.pipeline._intake import structure
from trio_tools.pipeline._look import earliest_deadline, is_over
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._record import record_dispatching
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._thread import run_in_thread
from trio_tools.tool import Tool
from trio_tools.values import EffectState, ErrorCode, ErrorInfo, ToolResult, exception_error, says_unknown


def dispatch(call: CallState) -> Awaitable[ToolResult]:
    """Run the body, if the call has not been given up by then.

    **Cancellation**: cut before the body is entered, the result says that it never ran. Once it is entered it is
    awaited to its end, whatever is cancelled.
    """
    tool = call.tool
    assert tool is not None
    if tool.pool is None and tool.signature.is_async:
        return _enter(call, tool)
    return _with_token(call, tool, tool.pool or trio.to_thread.current_default_thread_limiter())


async def _with_token(call: CallState, tool: Tool, pool: trio.CapacityLimiter) -> ToolResult:
    # borrowed in the call's name, given back when the work has really ended
    call.looked = None
    call.enter("around")
    try:
        limiter = await _borrowed(call, pool)
    except trio.Cancelled:
        await call.is_cancelled()
        return call.cut()
    call.holds = pool
    try:
        return await _enter(call, tool)
    finally:
        call.holds = None
        limiter.release_on_behalf_of(call)


async def _borrowed(call: CallState, pool: trio.CapacityLimiter) -> trio.CapacityLimiter:
    """A token of the pool, or if all are taken that of a call around this one, which waits for it, and lends it to one
    call at a time (B35): whichever is free first.

    **Cancellation**: none is held.
    """
    lender = call.around_it
    while lender is not None and lender.holds is not pool:
        lender = lender.around_it
    call.awaits, call.lender = pool, lender
    try:
        if lender is None:
            await pool.acquire_on_behalf_of(call)
            return pool
        await trio.lowlevel.checkpoint_if_cancelled()
        with contextlib.suppress(trio.WouldBlock):
            pool.acquire_on_behalf_of_nowait(call)
            return pool
        if lender.lending is None:
            lender.lending = trio.CapacityLimiter(1)
        return await _first_free(call, pool, lender.lending)
    finally:
        call.awaits = call.lender = None


async def _first_free(call: CallState, *limiters: trio.CapacityLimiter) -> trio.CapacityLimiter:
    got: list[trio.CapacityLimiter] = []

    @enable_ki_protection
    async def take(limiter: trio.CapacityLimiter) -> None:
        await limiter.acquire_on_behalf_of(call)
        got.append(limiter)
        nursery.cancel_scope.cancel("a token was free")

    try:
        async with trio.open_nursery() as nursery:
            for limiter in limiters:
                nursery.start_soon(take, limiter)
    except BaseException:
        for limiter in got:
            limiter.release_on_behalf_of(call)
        await trio.lowlevel.checkpoint_if_cancelled()  # bare, and in no group
        raise
    for limiter in got[1:]:  # both were, in one pass
        limiter.release_on_behalf_of(call)
    return got[0]


async def _enter(call: CallState, tool: Tool) -> ToolResult:
    if call.heard or call.attempts:
        failure = await _hindered(call, tool)
        if failure is not None:
            return call.failed(failure, superseded=None if call.last is None else call.last.outcome)
    if _may_be_over(call) and await is_over(call):
        return call.cut()
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
    call.last = result = completed(call, value)
    if call.unrecorded is not None:
        result = _unrecorded(call, call.unrecorded, result)
    if result.error is None:
        if _ran_out(call):
            return call.cut() if await is_over(call) else result
        try:
            await trio.lowlevel.checkpoint_if_cancelled()
        except trio.Cancelled:
            return call.cut()
    return result


async def _hindered(call: CallState, tool: Tool) -> ErrorInfo | None:
    """Why the body cannot be entered: it cannot be recorded, or at a further attempt its arguments cannot be read."""
    unrecorded: ErrorInfo | None = None
    if call.heard:
        call.looked = None
        unrecorded = await record_dispatching(call)
    if unrecorded is not None or not call.attempts:
        return unrecorded
    assert call.arguments is not None
    refused = structure(call, tool, call.arguments)  # the earlier attempt may have changed what it was given
    if refused is None:
        return None
    # validators that change their mind; not INVALID_ARGS, which says that nothing has run
    return ErrorInfo(refused.name, ErrorCode.TOOL_FAILED, f"no further attempt: {refused.message}")


def _may_be_over(call: CallState) -> bool:
    """The last look. A deadline that has passed counts before Trio has processed it, also behind a wrapper's shield."""
    call.since = now = trio.current_time()
    if call.cause is not None or call.turn.scope.deadline <= now:
        return True
    call.looked = deadline = earliest_deadline(call, known=call.looked)
    return deadline <= now


def _ran_out(call: CallState) -> bool:
    """Whether the call was given up, or a deadline has passed, be it while the loop was blocked."""
    if call.cause is not None:
        return True
    deadline = earliest_deadline(call, known=call.looked)
    return deadline < inf and deadline <= trio.current_time()


async def _failed(call: CallState, thrown: BaseException) -> ToolResult:
    """What a body raised, as a result: its own failure, unless it was cut."""
    fault = call.turn.fault_in(thrown)
    failure = fault.failure
    if call.unrecorded is not None:
        call.exception = failure
        return _unrecorded(call, call.unrecorded, None)
    if failure is None:
        if await call.is_cancelled():
            return call.cut()
        failure = thrown  # a Cancelled that it had kept from elsewhere
    call.exception = failure
    code = ErrorCode.EFFECT_UNKNOWN if _lost_sight(call, failure) else ErrorCode.TOOL_FAILED
    call.last = result = call.failed(exception_error(failure, code))
    return result


def _lost_sight(call: CallState, failure: BaseException) -> bool:
    """Whether a failure says that an effect is unknown, and one is: a body alone cannot speak for the registry."""
    return says_unknown(failure) and any(effect.state is EffectState.UNKNOWN for effect in call.effects)


def _unrecorded(call: CallState, why: ErrorInfo, came: ToolResult | None) -> ToolResult:
    """What a body came to whose effect was refused, since it could not be recorded: that, whatever it made of it."""
    call.last = result = call.failed(why, superseded=None if came is None else came.outcome)
    return result
