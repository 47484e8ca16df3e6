"""Stage 3, around: wrappers, outermost first, nest their scopes round `await call_next()`.

Here the chain is walked, and what a wrapper returned or raised is taken in; `_next.py` holds the door between two
wrappers, with its scope and its claims.
"""

from __future__ import annotations

from collections.abc import Awaitable

from trio_tools.pipeline._claim import VOUCHED
from trio_tools.pipeline._core import Wrapper
from trio_tools.pipeline._dispatch import dispatch
from trio_tools.pipeline._faults import run_async, take_apart
from trio_tools.pipeline._next import CallNext
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import Dispatch
from trio_tools.values import ErrorCode, ToolResult, as_content, exception_error, freeze


async def around(call: CallState) -> tuple[ToolResult, bool]:
    """The call's result before review, and whether it is final (that of a wrapper that failed is).

    **Cancellation**: wrappers and body are cut; what comes of it is a result.
    """
    wrappers = call.turn.core.wrappers.functions
    if not wrappers:
        return await dispatch(call), False
    try:
        result = await _inside(call, wrappers, 0)
    except BaseException as thrown:
        return call.failed(
            exception_error(thrown, ErrorCode.WRAPPER_FAILED),
            superseded=None if call.last is None else call.last.outcome,
        ), True
    call.claim = None  # the chain is whole; a later cancel is the caller's own
    return result, False


async def _inside(call: CallState, wrappers: tuple[Wrapper, ...], place: int) -> ToolResult:
    """Run the wrapper at this place of the chain, round the wrappers after it and the body.

    Raises what a wrapper raised; a cancel that cut it comes out as a result.
    """
    innermost = place + 1 == len(wrappers)

    def inner() -> Awaitable[ToolResult]:
        return dispatch(call) if innermost else _inside(call, wrappers, place + 1)

    call_next = CallNext(call, place, inner, innermost=innermost)
    try:
        result: object = await run_async(wrappers[place], Dispatch(call, place), call_next)
    except BaseException as thrown:
        if call_next.closes_busy():
            await call_next.at_rest()
        fault = take_apart(thrown)
        if fault.interrupt is not None:
            call.turn.interrupted(fault.interrupt)
        if fault.failure is not None:
            raise fault.failure  # noqa: B904 - the same exception, or its group less the cancellations
        if not await call.is_cancelled():
            raise RuntimeError("a wrapper raised a Cancelled that no scope of this call has sent") from thrown
        return call.cut()
    if call_next.closes_busy():
        await call_next.at_rest()
    if call.minted is not None and result is call.minted:
        return call.minted
    return _adopted(call, result, wrappers[place])


def _adopted(call: CallState, result: object, wrapper: object) -> ToolResult:
    """A result that the last step of this call did not make, an earlier one's or another call's: checked anew."""
    if not isinstance(result, ToolResult):
        name = getattr(wrapper, "__qualname__", type(wrapper).__qualname__)
        raise TypeError(f"the wrapper {name} returned {type(result).__name__}, not a ToolResult")
    call.other_contexts += tuple(freeze(item) for item in result.contexts if item not in call.other_contexts)
    if result.error is None:
        own = completed(call, result.value)
        return call.mint(result) if own == result else own
    if result.code in VOUCHED:
        return call.cut()
    return call.failed(
        result.error, content=as_content(result.content), superseded=result.superseded, cause=result.cause
    )
