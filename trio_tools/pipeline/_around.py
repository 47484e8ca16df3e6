"""Stage 3, around: wrappers, outermost first, nest their scopes round `await call_next()`.

Here the chain is walked, and what a wrapper returned or raised is taken in; `_next.py` holds the door between two
wrappers, with its scope and its claims.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from functools import partial

import trio

from trio_tools.pipeline._claim import VOUCHED
from trio_tools.pipeline._core import Wrapper
from trio_tools.pipeline._dispatch import dispatch
from trio_tools.pipeline._faults import run_awaitable, run_sync, take_apart
from trio_tools.pipeline._next import CallNext
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import Dispatch
from trio_tools.values import ErrorCode, ToolResult, as_content, freeze, plain_error


async def around(call: CallState, wrappers: tuple[Wrapper, ...], place: int) -> ToolResult:
    """Run the wrapper at this place of the chain, round the wrappers after it and the body.

    A plain function that returned its `call_next()` as it was has returned: nothing of it stands round what it passed
    on, and the chain goes on without it. Raises what a wrapper raised; a cancel that cut it comes out as a result.

    **Cancellation**: wrappers and body are cut; what comes of it is a result.
    """
    while place < len(wrappers):
        wrapper = wrappers[place]
        place += 1
        inner = partial(dispatch, call) if place == len(wrappers) else partial(around, call, wrappers, place)
        call_next = CallNext(call, place - 1, inner, innermost=place == len(wrappers))
        answer: Awaitable[ToolResult] | None = None
        try:
            answer = run_sync(wrapper, Dispatch(call, place - 1), call_next)
            if call_next.is_passed_on(answer):
                continue
            if call_next.is_own(answer):
                result: object = await answer
            else:
                call.seen = min(call.seen, trio.current_effective_deadline())  # it may shield
                result = await run_awaitable(answer)
        except BaseException as thrown:
            if isinstance(answer, Coroutine):
                answer.close()  # Ctrl-C may have come between its making and its first step
            return await _cut(call, call_next, thrown)
        if call_next.closes_busy():
            await call_next.at_rest()
        return call.minted if call.minted is not None and result is call.minted else _adopted(call, result, wrapper)
    return await dispatch(call)


async def _cut(call: CallState, call_next: CallNext, thrown: BaseException) -> ToolResult:
    """What a wrapper raised goes on, without the cancellations in it; nothing but those is a result."""
    if call_next.closes_busy():
        await call_next.at_rest()
    fault = take_apart(thrown)
    if fault.interrupt is not None:
        call.turn.interrupted(fault.interrupt)
    if fault.failure is not None:
        raise fault.failure
    if not await call.is_cancelled():
        raise RuntimeError("a wrapper raised a Cancelled that no scope of this call has sent") from thrown
    return call.cut()


def wrapper_failed(call: CallState, thrown: BaseException) -> ToolResult:
    """The result of a call that a wrapper failed; what the body had come to stays known."""
    error = plain_error(thrown, ErrorCode.WRAPPER_FAILED)
    return call.failed(error, superseded=None if call.last is None else call.last.outcome)


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
