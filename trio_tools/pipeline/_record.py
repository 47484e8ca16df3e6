"""The recorder seam: what is told to a journal, when, and what a failure there means.

What cannot be recorded before it happens does not happen: neither a body nor an effect of it. Afterwards the result
stands, the failure is logged, and new calls are refused.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias

import trio

from trio_tools.pipeline._acknowledge import Acknowledgement
from trio_tools.pipeline._core import Recorder, logger
from trio_tools.pipeline._faults import run_awaitable, run_sync
from trio_tools.pipeline._state import CallState
from trio_tools.values import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Effect,
    EffectBegun,
    EffectEnded,
    ErrorCode,
    ErrorInfo,
    JSONValue,
    NotJSON,
    ToolResult,
    check_text,
    exception_error,
)

# Characters of raw argument text that an event keeps. A whole valid text fits (1 MiB); a runaway one is cut.
MAX_RAW_CHARACTERS = 1024 * 1024

# Recorders that failed at an event or overran, each with what its call is refused for.
Lost: TypeAlias = "tuple[tuple[Recorder, ErrorInfo], ...]"


def ref(call: CallState) -> CallRef:
    """How events name this call. Made when an event first does."""
    if call.ref is None:
        turn, parent = call.turn, call.parent
        call.ref = CallRef(
            turn=turn.name,
            position=call.position,
            call_id=call.call.id,
            tool=call.name,
            session=turn.session,
            parent=None if parent is None else parent.place,
            root=f"{turn.name}/{call.position}" if parent is None else call.identity.root.place,
        )
    return call.ref


def _raw(call: CallState) -> JSONValue:
    """The arguments as they came, so far as a record can hold them."""
    arguments = call.call.arguments
    if not isinstance(arguments, str):
        return call.arguments
    try:
        return check_text(arguments[:MAX_RAW_CHARACTERS])
    except NotJSON:
        return arguments[:MAX_RAW_CHARACTERS].encode(errors="backslashreplace").decode()


def _tell(call: CallState, recorders: tuple[Recorder, ...], event: CallEvent) -> Awaitable[Lost] | Lost:
    """Tell these recorders, in order. Those that failed or overran are returned, each with why; an awaitable of them,
    if one has to be waited for.

    No coroutine is made, and no scope, for plain functions that have nothing to wait for: either costs more than all
    else here."""
    lost: Lost = ()
    for at, recorder in enumerate(recorders):
        told = _told(call, recorder, event)
        if told is None:
            continue
        if not isinstance(told, ErrorInfo):
            return _wait(call, recorders[at:], event, told, lost)
        lost = (*lost, (recorder, told))
    return lost


def _told(call: CallState, recorder: Recorder, event: CallEvent) -> ErrorInfo | Awaitable[None] | None:
    try:
        return run_sync(recorder, event)
    except BaseException as thrown:
        return _lost(call, event, _why(call, thrown))


async def _wait(
    call: CallState, recorders: tuple[Recorder, ...], event: CallEvent, waits: Awaitable[None], lost: Lost
) -> Lost:
    """Wait for the first of these, and go on with those behind it."""
    error = await _heard(call, waits)
    if error is not None:
        lost = (*lost, (recorders[0], _lost(call, event, error)))
    if len(recorders) == 1:
        return lost
    told = _tell(call, recorders[1:], event)
    return (*lost, *(told if isinstance(told, tuple) else await told))


async def _heard(call: CallState, waits: Awaitable[None]) -> ErrorInfo | None:
    if not isinstance(waits, Acknowledgement):
        return await _bounded(call, waits)
    if not await call.turn.core.recording.wait(waits):
        return _overran(call)
    return None if waits.error is None else _why(call, waits.error)


def _lost(call: CallState, event: CallEvent, error: ErrorInfo) -> ErrorInfo:
    logger.error("recording %s of call %r: %s", type(event).__name__, call.name, error.message)
    return error


async def _bounded(call: CallState, waits: Awaitable[None]) -> ErrorInfo | None:
    # bounded by recorder_grace: the record of a cancelled call has to be written although all around it is cancelled
    with trio.CancelScope(shield=True, relative_deadline=call.turn.core.recording.seconds) as shield:
        try:
            await run_awaitable(waits)
        except BaseException as thrown:
            return _why(call, thrown, late=trio.current_time() >= shield.deadline)
        if trio.current_time() < shield.deadline:
            return None
    return _overran(call)


def _why(call: CallState, thrown: BaseException, *, late: bool = False) -> ErrorInfo:
    """What a recorder that raised this is told of by."""
    fault = call.turn.fault_in(thrown)
    if late and fault.failure is None and fault.interrupt is None:
        return _overran(call)
    error = exception_error(fault.failure or thrown, ErrorCode.RECORD_FAILED)
    return ErrorInfo(error.name, ErrorCode.RECORD_FAILED, f"the call could not be recorded: {error.message}")


def _overran(call: CallState) -> ErrorInfo:
    why = f"recording took longer than {call.turn.core.recording.seconds:g} s"
    return ErrorInfo("RecordError", ErrorCode.RECORD_FAILED, f"the call could not be recorded: {why}")


async def _announce(call: CallState, event: CallEvent) -> ErrorInfo | None:
    """Tell those who heard of the call of what is about to happen. What is returned says why it is not to: nor is
    anything later of this call."""
    told = _tell(call, call.heard, event)
    lost = told if isinstance(told, tuple) else await told
    if lost and call.unrecorded is None:
        call.unrecorded = lost[0][1]
    return call.unrecorded


async def _report(call: CallState, event: CallEvent) -> None:
    """Tell those who heard of the call of what has happened. Who loses it has new calls refused until he is removed."""
    told = _tell(call, call.heard, event)
    lost = told if isinstance(told, tuple) else await told
    if lost:
        call.turn.core.failed_recorders.extend(lost)


def is_to_be_recorded(call: CallState) -> bool:
    """Whether a call that is launched comes into the records, and is not in them. One that is refused because a
    recorder has failed does not come."""
    if call.accepted or not call.turn.core.recorders.functions:
        return False
    return call.refused is None or call.refused.code != ErrorCode.RECORD_FAILED


async def record_accepted(first: CallState) -> None:
    """This call and those of its turn that wait, which is all of them, have come. `unrecorded` of a call then refuses
    it; those who heard of it hear of its end.

    Who fails at one, or overruns, is not asked about those after it, which are refused too: or each would cost a grace.

    **Cancellation**: not raised; each event has its bound.
    """
    turn = first.turn
    failed: Lost = ()
    for call in [one for one in turn.calls if one is first or one.stage == "queued"]:
        call.accepted = True
        asked = _without(turn.core.recorders.functions, failed)
        interrupt = turn.interrupt
        event = CallAccepted(ref=ref(call), at=trio.current_time(), arguments=_raw(call), metadata=call.call.metadata)
        told = _tell(call, asked, event)
        lost = told if isinstance(told, tuple) else await told
        call.heard = _without(asked, lost)
        if failed or lost:
            call.unrecorded = (*failed, *lost)[0][1]
            if turn.interrupt is interrupt:  # or it did not fail by itself
                failed = (*failed, *lost)


def _without(recorders: tuple[Recorder, ...], lost: Lost) -> tuple[Recorder, ...]:
    if not lost:
        return recorders
    return tuple([one for one in recorders if not any(one is other for other, _ in lost)])


def record_decided(call: CallState, denial: ErrorInfo | None) -> Awaitable[ErrorInfo | None]:
    """The policies have spoken. What is returned refuses the call.

    **Cancellation**: not raised; the event has its bound.
    """
    reason = None if denial is None else denial.message
    event = CallDecided(ref=ref(call), at=trio.current_time(), allowed=denial is None, reason=reason)
    return _announce(call, event)


def record_dispatching(call: CallState) -> Awaitable[ErrorInfo | None]:
    """The body is about to run. What is returned refuses the call.

    **Cancellation**: not raised; the event has its bound.
    """
    read_only = call.tool is not None and call.tool.read_only
    event = CallDispatching(ref=ref(call), at=trio.current_time(), attempt=call.attempts + 1, read_only=read_only)
    return _announce(call, event)


def record_effect_begun(call: CallState, effect: Effect) -> Awaitable[ErrorInfo | None]:
    """An effect is about to happen. What is returned refuses it, and the call.

    **Cancellation**: not raised; the event has its bound.
    """
    event = EffectBegun(ref=ref(call), at=trio.current_time(), name=effect.name, key=effect.key)
    return _announce(call, event)


def record_effect_ended(call: CallState, effect: Effect) -> Awaitable[None]:
    """An effect came to an end. A failure here refuses new calls until its recorder is removed.

    **Cancellation**: not raised; the event has its bound.
    """
    return _report(call, EffectEnded(ref=ref(call), at=trio.current_time(), effect=effect))


def record_settled(call: CallState, result: ToolResult) -> Awaitable[None]:
    """The result, exactly once. A failure here refuses new calls until its recorder is removed.

    **Cancellation**: not raised; the event has its bound.
    """
    cause = call.cause or result.cause
    due = call.due if call.cause is None else call.cancelled_at
    # a scope may come expired, its deadline -inf: nothing is given up before it came
    cancelled_at = None if cause is None or due is None else max(due, call.turn.began)
    at = trio.current_time()
    return _report(call, CallSettled(ref=ref(call), at=at, result=result, cancelled_at=cancelled_at, cause=cause))
