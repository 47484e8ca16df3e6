"""The recorder seam: what is told to a journal, when, and what a failure there means.

What cannot be recorded before it happens does not happen: neither a body nor an effect of it. Afterwards the result
stands, the failure is logged, and new calls are refused.
"""

from __future__ import annotations

import trio

from trio_tools.pipeline._core import Recorder, logger
from trio_tools.pipeline._faults import run_async
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


def ref(call: CallState) -> CallRef:
    """How events name this call."""
    parent = call.parent
    return CallRef(
        turn=call.turn.name,
        position=call.position,
        call_id=call.call.id,
        tool=call.name,
        session=call.turn.session,
        parent=None if parent is None else parent.place,
        root=call.identity.root.place,
    )


def _raw(call: CallState) -> JSONValue:
    """The arguments as they came, so far as a record can hold them."""
    arguments = call.call.arguments
    if not isinstance(arguments, str):
        return call.arguments
    try:
        return check_text(arguments[:MAX_RAW_CHARACTERS])
    except NotJSON:
        return arguments[:MAX_RAW_CHARACTERS].encode(errors="backslashreplace").decode()


async def _record(
    call: CallState, recorders: tuple[Recorder, ...], event: CallEvent
) -> list[tuple[Recorder, ErrorInfo]]:
    """Tell these recorders, in order. Those that failed or overran are returned, each with why."""
    failed: list[tuple[Recorder, ErrorInfo]] = []
    for recorder in recorders:
        error = await _told(call, recorder, event)
        if error is not None:
            failed.append((recorder, error))
            logger.error("recording %s of call %r: %s", type(event).__name__, call.name, error.message)
    return failed


async def _announce(call: CallState, recorders: tuple[Recorder, ...], event: CallEvent) -> list[Recorder]:
    """Tell them of what is about to happen, and return those that failed. `call.unrecorded` then says why it is not to
    happen: nor is anything later of this call."""
    failed = await _record(call, recorders, event)
    if failed and call.unrecorded is None:
        call.unrecorded = failed[0][1]
    return [recorder for recorder, _ in failed]


async def _report(call: CallState, event: CallEvent) -> None:
    """Tell those who heard of the call of what has happened. Who loses it has new calls refused until he is removed."""
    lost = await _record(call, call.heard, event)
    call.turn.core.failed_recorders.extend(lost)


async def _told(call: CallState, recorder: Recorder, event: CallEvent) -> ErrorInfo | None:
    grace = call.turn.core.recorder_grace
    failure: BaseException | None = None
    late = False
    # bounded by recorder_grace: the record of a cancelled call has to be written although all around it is cancelled
    with trio.CancelScope(shield=True, relative_deadline=grace) as shield:
        try:
            await run_async(recorder, event)
        except BaseException as thrown:
            fault = call.turn.fault_in(thrown)
            failure = fault.failure
            if failure is None and fault.interrupt is not None:
                failure = thrown
        late = trio.current_time() >= shield.deadline
    return _why(failure, grace) if late or failure is not None else None


def _why(failure: BaseException | None, grace: float) -> ErrorInfo:
    if failure is None:
        why = f"recording took longer than {grace:g} s"
        return ErrorInfo("RecordError", ErrorCode.RECORD_FAILED, f"the call could not be recorded: {why}")
    error = exception_error(failure, ErrorCode.RECORD_FAILED)
    return ErrorInfo(error.name, ErrorCode.RECORD_FAILED, f"the call could not be recorded: {error.message}")


async def record_accepted(call: CallState) -> ErrorInfo | None:
    """The call has passed intake, or failed it. What is returned refuses it; those who heard of it hear of its end."""
    recorders = call.turn.core.recorders.functions
    event = CallAccepted(ref=ref(call), at=trio.current_time(), arguments=_raw(call), metadata=call.call.metadata)
    failed = await _announce(call, recorders, event)
    call.heard = tuple(one for one in recorders if not any(one is other for other in failed))
    return call.unrecorded


async def record_decided(call: CallState, denial: ErrorInfo | None) -> ErrorInfo | None:
    """The policies have spoken. What is returned refuses the call."""
    reason = None if denial is None else denial.message
    event = CallDecided(ref=ref(call), at=trio.current_time(), allowed=denial is None, reason=reason)
    await _announce(call, call.heard, event)
    return call.unrecorded


async def record_dispatching(call: CallState) -> ErrorInfo | None:
    """The body is about to run. What is returned refuses the call."""
    read_only = call.tool is not None and call.tool.read_only
    event = CallDispatching(ref=ref(call), at=trio.current_time(), attempt=call.attempts + 1, read_only=read_only)
    await _announce(call, call.heard, event)
    return call.unrecorded


async def record_effect_begun(call: CallState, effect: Effect) -> ErrorInfo | None:
    """An effect is about to happen. What is returned refuses it, and the call."""
    event = EffectBegun(ref=ref(call), at=trio.current_time(), name=effect.name, key=effect.key)
    await _announce(call, call.heard, event)
    return call.unrecorded


async def record_effect_ended(call: CallState, effect: Effect) -> None:
    """An effect came to an end. A failure here refuses new calls until its recorder is removed."""
    await _report(call, EffectEnded(ref=ref(call), at=trio.current_time(), effect=effect))


async def record_settled(call: CallState, result: ToolResult) -> None:
    """The result, exactly once. A failure here refuses new calls until its recorder is removed."""
    event = CallSettled(
        ref=ref(call),
        at=trio.current_time(),
        result=result,
        cancelled_at=call.claimed_at if call.cause is None else call.cancelled_at,
        cause=call.cause or result.cause,
    )
    await _report(call, event)
