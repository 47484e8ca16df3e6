"""Stage 6, settle: classify, finalize the content, freeze, record, and publish once.

Classification is one synchronous step after every `call_next()` of the call has ended; later cancels change nothing.
"""

from __future__ import annotations

import attrs
import trio

from trio_tools.pipeline._core import logger, name_of
from trio_tools.pipeline._faults import run_either, run_sync
from trio_tools.pipeline._record import record_settled
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import SettledView
from trio_tools.values import (
    Content,
    Effect,
    EffectState,
    ErrorCode,
    ErrorInfo,
    Text,
    ToolResult,
    as_content,
    effects_text,
    exception_error,
    failure_content,
    printable,
)


async def settle(call: CallState, result: ToolResult) -> None:
    """Make the one result of a call and hand it to everybody.

    **Cancellation**: not cut; recorders and observers have bounds of their own.
    """
    turn = call.turn
    core = turn.core
    result = _finalized(call, _classified(call, result))
    if call.effects:
        _tell_around(call)
        if result.error is not None:
            result = _naming_effects(call, result)
    if call.heard:
        call.enter("settle")
        await record_settled(call, result)
    call.result = result
    turn.decided(call)
    if turn.on_settled is not None:
        try:
            run_sync(turn.on_settled, call.position, result)
        except BaseException as thrown:
            _listener_failed(call, "on_settled", thrown)
    if core.observers.functions:
        await _observe(call, result)
    if call.exception is not None:
        call.exception = None  # its traceback holds the frames that hold the call
    core.left(call)


def _classified(call: CallState, result: ToolResult) -> ToolResult:
    result = call.recheck(result)
    call.over = True
    call.scope, call.scopes = None, ()
    contexts = (*call.body_contexts, *call.other_contexts)
    concludes = call.concludes and result.error is None
    dispatched = call.attempts > 0
    if call.effects:
        call.effects = tuple([_at_the_end(effect) for effect in call.effects])
    if contexts or call.effects or concludes or result.dispatched is not dispatched:
        result = attrs.evolve(
            result, contexts=contexts, effects=call.effects, concludes_turn=concludes, dispatched=dispatched
        )
    return result


def _finalized(call: CallState, result: ToolResult) -> ToolResult:
    """The tool's own last word on what a model reads, for every outcome, exactly once."""
    finalize = None if call.tool is None else call.tool.finalize_content
    if finalize is None:
        return result
    try:
        content: str | Content | None = run_sync(finalize, result)
        return result if content is None else attrs.evolve(result, content=as_content(content))
    except BaseException as thrown:
        fault = call.turn.fault_in(thrown)
        error = exception_error(fault.failure or thrown, ErrorCode.FINALIZER_FAILED)
        if result.error is not None:
            logger.error("finalizing the content of call %r failed: %s", call.name, error.message)
            return result
        error = ErrorInfo(error.name, ErrorCode.FINALIZER_FAILED, error.message)
        superseded = call.without_secrets(result)
        return attrs.evolve(
            result,
            content=failure_content(error, superseded),
            error=error,
            value=None,
            superseded=superseded,
            concludes_turn=False,
        )


def _at_the_end(effect: Effect) -> Effect:
    if effect.state is not EffectState.BEGUN:
        return effect
    return attrs.evolve(effect, state=EffectState.UNKNOWN, error="the tool let go of it before it had ended")


def _tell_around(call: CallState) -> None:
    """The result of the call whose body made this one names its effects too, and so on outwards. What a policy has seen
    to here is told no further there."""
    around = call.around_it
    if around is None or around.over:
        return
    place = call.identity.place
    told = [effect if effect.call is not None else attrs.evolve(effect, call=place) for effect in call.effects]
    around.effects = (*around.effects, *told)
    around.reviewed = around.reviewed or call.reviewed


def _naming_effects(call: CallState, result: ToolResult) -> ToolResult:
    """A failure that says which effects are not to be repeated. Here, because policies, claims and finalizers replace
    what stood before. If a policy did, receipts are not told: what it took out may be in them."""
    text = effects_text(call.effects, receipts=not call.reviewed)
    if not text:
        return result
    # alone it would read as if all was well
    content = result.content if result.text.strip() else (Text(f"Error: {result.code}"),)
    return attrs.evolve(result, content=(*content, Text(text)))


async def _observe(call: CallState, result: ToolResult) -> None:
    core = call.turn.core
    call.enter("settle")
    view = SettledView(call)
    # bounded by observer_grace: whoever listens hears of a cancelled call as well
    with trio.CancelScope(shield=True, relative_deadline=core.observer_grace):
        for observer in core.observers.functions:
            try:
                await run_either(observer, view, result)
            except BaseException as thrown:
                name = name_of(observer)
                _listener_failed(call, f"observer {name}", thrown)


def _listener_failed(call: CallState, listener: str, thrown: BaseException) -> None:
    fault = call.turn.fault_in(thrown)
    what = "was cut off" if fault.failure is None else f"failed: {type(thrown).__name__}: {printable(thrown)}"
    logger.warning("%s of call %r %s; the result stands", listener, call.name, what)
