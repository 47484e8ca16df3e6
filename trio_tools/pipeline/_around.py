"""Stage 3, around: wrappers, outermost first, nest their scopes round `await call_next()`.

Here the chain is walked, and what a wrapper returned or raised is taken in; `_next.py` holds the door between two
wrappers, with its scope and its claims.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from functools import partial
from typing import NoReturn

import trio

from trio_tools.pipeline._claim import VOUCHED
from trio_tools.pipeline._core import Wrapper, name_of
from trio_tools.pipeline._dispatch import dispatch
from trio_tools.pipeline._faults import run_awaitable, run_sync
from trio_tools.pipeline._next import CallNext, Door
from trio_tools.pipeline._output import completed, returned
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import Dispatch
from trio_tools.values import ErrorCode, ToolResult, as_content, freeze, plain_error


def around(call: CallState, wrappers: tuple[Wrapper, ...], place: int = 0) -> Awaitable[ToolResult]:
    """The chain from this place on: a wrapper round the wrappers after it and the body.

    A plain function that returned its `call_next()` as it was has returned: nothing of it stands round what it passed
    on, and the chain goes on without it. Awaiting this raises what a wrapper raised, but for the outermost, whose
    exception is the call's failure; a cancel that cut a wrapper comes out as a result.

    **Cancellation**: wrappers and body are cut; what comes of it is a result.
    """
    outermost = place == 0
    while place < len(wrappers):
        inner = partial(around, call, wrappers, place + 1)
        door = Door(call, place, inner, innermost=place + 1 == len(wrappers))
        try:
            answer: object = run_sync(wrappers[place], Dispatch(call, place), CallNext(door))
        except BaseException as thrown:
            answer = _raise(thrown)
        if not door.is_passed_on(answer):
            return _wrapped(call, wrappers[place], door, answer, outermost)
        place += 1
    return dispatch(call)


async def _raise(thrown: BaseException) -> NoReturn:
    raise thrown


async def _wrapped(call: CallState, wrapper: Wrapper, door: Door, answer: object, outermost: bool) -> ToolResult:
    try:
        try:
            result: object = answer  # that of a plain function that answers itself, or wrongly
            if door.is_own(answer):
                result = await answer
            elif isinstance(answer, Awaitable):
                door.watched = True
                call.enter("around")
                call.seen = min(call.seen, trio.current_effective_deadline())  # it may shield
                result = await run_awaitable(answer)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        except BaseException as thrown:
            if isinstance(answer, Coroutine):
                answer.close()  # Ctrl-C may have come between its making and its first step
            return await _cut(call, door, thrown)
        if door.closes_busy():
            await door.at_rest()
        return call.minted if call.minted is not None and result is call.minted else _adopted(call, result, wrapper)  # pyright: ignore[reportUnknownArgumentType]
    except BaseException as thrown:
        if not outermost:
            raise
        call.final = True
        call.exception = thrown
        superseded = None if call.last is None else call.last.outcome
        return call.failed(plain_error(thrown, ErrorCode.WRAPPER_FAILED), superseded=superseded)


async def _cut(call: CallState, door: Door, thrown: BaseException) -> ToolResult:
    """What a wrapper raised goes on, without the cancellations in it; nothing but those is a result."""
    if door.closes_busy():
        await door.at_rest()
    fault = call.turn.fault_in(thrown)
    if fault.failure is not None:
        raise fault.failure
    if not await call.is_cancelled():
        raise RuntimeError("a wrapper raised a Cancelled that no scope of this call has sent") from thrown
    return call.cut()


def _adopted(call: CallState, result: object, wrapper: object) -> ToolResult:
    """A result that the last step of this call did not make, an earlier one's or another call's: checked anew."""
    if not isinstance(result, ToolResult):
        name = name_of(wrapper)
        raise TypeError(f"the wrapper {name} returned {type(result).__name__}, not a ToolResult")
    call.other_contexts += tuple(freeze(item) for item in result.contexts)
    if result.error is None:
        own = completed(call, returned(result))
        return call.mint(result) if own == result else own
    if result.code in VOUCHED:
        return call.cut()
    return call.failed(
        result.error, content=as_content(result.content), superseded=result.superseded, cause=result.cause
    )
