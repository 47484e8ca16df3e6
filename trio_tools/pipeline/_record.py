"""The recorder seam: what is told to a journal, when, and what a failure there means.

Before the body has run, a call that cannot be recorded does not run. Afterwards the result stands, the failure is
logged, and new calls are refused.
"""

from __future__ import annotations

import trio

from trio_tools.pipeline._core import logger
from trio_tools.pipeline._faults import run_async, take_apart
from trio_tools.pipeline._state import CallState
from trio_tools.values import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
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
        parent=None if parent is None else f"{parent.turn.name}/{parent.position}",
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


async def _record(call: CallState, event: CallEvent) -> ErrorInfo | None:
    """Tell every recorder, in order; the first failure is what is returned."""
    core = call.turn.core
    failed: ErrorInfo | None = None
    # bounded by recorder_grace: the record of a cancelled call has to be written although all around it is cancelled
    with trio.CancelScope(shield=True, relative_deadline=core.recorder_grace) as shield:
        for recorder in core.recorders.functions:
            try:
                await run_async(recorder, event)
            except BaseException as thrown:
                fault = take_apart(thrown)
                if fault.interrupt is not None:
                    call.turn.interrupted(fault.interrupt)
                late = trio.current_time() >= shield.deadline
                error = _why(fault.failure, core.recorder_grace if late else None)
                core.failed_recorders.add(recorder)
                logger.error("recording %s of call %r failed: %s", type(event).__name__, call.name, error.message)
                failed = failed or error
    return failed


def _why(failure: BaseException | None, grace: float | None) -> ErrorInfo:
    if failure is not None:
        error = exception_error(failure, ErrorCode.RECORD_FAILED)
        return ErrorInfo(error.name, ErrorCode.RECORD_FAILED, f"the call could not be recorded: {error.message}")
    what = "was interrupted" if grace is None else f"took longer than {grace:g} s"
    return ErrorInfo("RecordError", ErrorCode.RECORD_FAILED, f"the call could not be recorded: recording {what}")


async def _refusable(call: CallState, event: CallEvent) -> ErrorInfo | None:
    """Record what comes before the body: a failure refuses this call, and no later one for its sake."""
    failed = await _record(call, event)
    if failed is not None:
        call.turn.core.failed_recorders.clear()
    return failed


async def record_accepted(call: CallState) -> ErrorInfo | None:
    """The call has passed intake, or failed it. What is returned refuses it."""
    event = CallAccepted(ref=ref(call), at=trio.current_time(), arguments=_raw(call), metadata=call.call.metadata)
    return await _refusable(call, event)


async def record_decided(call: CallState, denial: ErrorInfo | None) -> ErrorInfo | None:
    """The policies have spoken. What is returned refuses the call."""
    reason = None if denial is None else denial.message
    event = CallDecided(ref=ref(call), at=trio.current_time(), allowed=denial is None, reason=reason)
    return await _refusable(call, event)


async def record_dispatching(call: CallState) -> ErrorInfo | None:
    """The body is about to run. What is returned refuses the call."""
    event = CallDispatching(ref=ref(call), at=trio.current_time(), attempt=call.attempts + 1)
    return await _refusable(call, event)


async def record_settled(call: CallState, result: ToolResult) -> None:
    """The result, exactly once. A failure here refuses new calls until its recorder is removed."""
    cancelled_at = None if call.cause is None else call.cancelled_at
    event = CallSettled(
        ref=ref(call), at=trio.current_time(), result=result, cancelled_at=cancelled_at, cause=call.cause
    )
    await _record(call, event)
