"""Effects: `await ctx.irreversible(name, action)`, the point of no return.

Before it, whatever waits can be cut. At its door is one last look. Past it the action runs to its end, whatever is
cancelled meanwhile, and what came of it is recorded and stands in the result. A callable and not a block, because a
block cannot be skipped.

How far it got changes in `call.effects` at once; whatever is awaited comes before or after.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeAlias

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._carried import ZONE, Zone, is_inside
from trio_tools.pipeline._faults import run_either, run_sync
from trio_tools.pipeline._look import is_given_up
from trio_tools.pipeline._record import record_effect_begun, record_effect_ended
from trio_tools.pipeline._state import CallState
from trio_tools.tool import MAX_RESULT_BYTES
from trio_tools.values import (
    Effect,
    EffectState,
    ErrorCode,
    JSONValue,
    ToolError,
    exception_error,
    safe,
    to_plain,
)

Action: TypeAlias = Callable[[], Awaitable[object]]


@enable_ki_protection
async def irreversible(call: CallState, name: str, action: Action) -> JSONValue:
    """Run the action of an effect, and return its receipt. See `ToolContext.irreversible`.

    **Cancellation**: as there.
    """
    _check(call, name, action)
    name = safe(name)
    if await is_given_up(call):
        await _refuse(name)
    place = len(call.effects)
    call.effects = (*call.effects, Effect(name, EffectState.BEGUN))
    if call.heard:
        unrecorded = await record_effect_begun(call, name)
        given_up = unrecorded is None and await is_given_up(call)
        if unrecorded is not None or given_up:
            why = "the call was given up first" if unrecorded is None else unrecorded.message
            _stands(call, place, Effect(name, EffectState.FAILED, error=f"it never began: {why}"))
            await record_effect_ended(call, call.effects[place])
            if unrecorded is not None:
                raise ToolError(unrecorded.message)
            await _refuse(name)
    return await _performed(call, place, action)


def _check(call: CallState, name: object, action: object) -> None:
    """Refuse what is no effect, and one that is asked for where nothing would wait for it, or inside another."""
    if inspect.iscoroutine(action):
        action.close()  # never awaited, and so it shall not warn
        raise TypeError("an effect's action is an async function without arguments: pass it as it is, uncalled")
    if not callable(action):
        raise TypeError(f"an effect's action is an async function without arguments, not {type(action).__name__}")
    if not isinstance(name, str):
        raise TypeError(f"an effect's name must be a string, not {type(name).__name__}")
    if not name:
        raise ValueError("an effect needs a name: it is what the model reads of it")
    inside = ZONE.get()
    if inside is not None and inside.is_open:
        raise RuntimeError(f"no effect ({name!r}) is made inside of another ({inside.name!r}): make it before or after")
    if not is_inside(call):
        why = "it has settled" if call.over else "this task is in a job, or in a nursery from elsewhere"
        raise RuntimeError(f"an effect ({name!r}) is made inside of its own call, and {why}")


async def _refuse(name: str) -> NoReturn:
    await trio.lowlevel.checkpoint_if_cancelled()
    # A shield of the body's own hides the scopes that have been cancelled. A Cancelled from within it is one that Trio
    # has not sent: the next nursery would take it for its own and swallow it, and the body go on as if all was done.
    raise ToolError(f"{name} was not begun: the call was given up before it, behind a shield of the tool's own")


async def _performed(call: CallState, place: int, action: Action) -> JSONValue:
    inside = Zone(call.effects[place].name)
    before = ZONE.set(inside)
    receipt: JSONValue = None
    try:
        # unbounded on purpose: cut in the middle, nobody could say whether it went through; a bound is the action's own
        with trio.CancelScope(shield=True):
            receipt = _returned(call, place, await run_either(action))
    except BaseException as thrown:
        if call.effects[place].state is EffectState.BEGUN:  # if not, it has returned
            _stands(call, place, _broken_off(call, inside.name, thrown))
        raise
    finally:
        inside.is_open = False
        ZONE.reset(before)
        if call.heard:
            await record_effect_ended(call, call.effects[place])
    return receipt


def _stands(call: CallState, place: int, effect: Effect) -> None:
    call.effects = (*call.effects[:place], effect, *call.effects[place + 1 :])


def _returned(call: CallState, place: int, answer: object) -> JSONValue:
    """The action's answer as a receipt. What cannot be one is the body's failure, and the effect went through."""
    name = call.effects[place].name
    if issubclass(type(answer), Awaitable):
        if inspect.iscoroutine(answer):
            answer.close()
        _stands(call, place, Effect(name, EffectState.UNKNOWN, error="its action returned what is yet to be awaited"))
        raise TypeError(f"the action of {name!r} returned an awaitable, {type(answer).__name__}: await it in there")
    try:
        receipt = run_sync(_written, answer)
    except BaseException as thrown:  # NotJSON, or whatever an accessor raised
        failure = call.turn.fault_in(thrown).failure
        why = "Ctrl-C" if failure is None else exception_error(failure, ErrorCode.TOOL_FAILED).message
        _stands(call, place, Effect(name, EffectState.COMMITTED, error=f"its receipt cannot be kept: {why}"))
        raise
    _stands(call, place, Effect(name, EffectState.COMMITTED, receipt))
    return receipt


def _written(answer: object) -> JSONValue:
    return to_plain(answer, max_bytes=MAX_RESULT_BYTES)


def _broken_off(call: CallState, name: str, thrown: BaseException) -> Effect:
    """What an action came to that raised: a failure, unless it was stopped and nobody can say how far it had got."""
    fault = call.turn.fault_in(thrown)
    if fault.interrupt is not None:
        return Effect(name, EffectState.UNKNOWN, error="Ctrl-C came in the middle of it")
    if fault.failure is None:
        return Effect(name, EffectState.UNKNOWN, error="a scope of its own was cancelled in the middle of it")
    return Effect(name, EffectState.FAILED, error=exception_error(fault.failure, ErrorCode.TOOL_FAILED).message)
