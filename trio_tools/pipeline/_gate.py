"""Stage 2, gate: every pre-policy is asked, in order. The first Deny ends it, any Ask asks, Allow overrides nothing."""

from __future__ import annotations

from math import inf

import trio

from trio_tools.pipeline._faults import run_either
from trio_tools.pipeline._record import record_decided
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import CallView
from trio_tools.values import Allow, Ask, Deny, ErrorCode, ErrorInfo, ToolResult, plain_error, safe


async def gate(call: CallState) -> ToolResult | None:
    """None if the call may go on; else its result, which is final if a policy failed; a denial and a cancelled wait
    are still reviewed.

    **Cancellation**: the policy that waits is cut, and the call is aborted before dispatch unless that policy answers
    or fails otherwise.
    """
    core = call.turn.core
    denial: ErrorInfo | None = None
    try:
        if core.pre_policies.functions:
            denial = await _ask_all(call)
    except BaseException as thrown:
        return await _policy_ended(call, thrown)
    finally:
        call.turn.decided(call)
    unrecorded = await record_decided(call, denial) if call.heard else None
    if denial is not None:
        return call.failed(denial)
    if unrecorded is not None:
        call.final = True
        return call.failed(unrecorded)
    if call.due_outside(trio.current_time()) < inf:
        return call.cut()  # given up while the policies decided: no wrapper is entered any more
    return None


async def _policy_ended(call: CallState, thrown: BaseException) -> ToolResult:
    fault = call.turn.fault_in(thrown)
    if fault.failure is None and await call.is_cancelled():
        return call.cut()
    call.final = True
    call.exception = fault.failure or thrown
    return call.failed(plain_error(call.exception, ErrorCode.POLICY_FAILED))


async def _ask_all(call: CallState) -> ErrorInfo | None:
    view = CallView(call)
    call.enter("gate")
    asked: Ask | None = None
    for policy in call.turn.core.pre_policies.live():
        decision: object = await run_either(policy, view)
        match decision:
            case None | Allow():
                pass
            case Ask(str() | None):
                asked = asked or decision
            case Deny(str() as reason):
                return _denied(reason)
            case _:
                raise TypeError(f"a pre-policy answers Allow, Deny or Ask with a text, or None, not {_shown(decision)}")
    if asked is None:
        return None
    # nobody answers yet; the approval policy comes with its own issue
    return _denied(asked.reason or f'tool "{call.name}" requires approval (not yet supported)')


def _shown(decision: object) -> str:
    name = type(decision).__name__
    reason = decision.reason if isinstance(decision, (Deny, Ask)) else None
    return name if reason is None else f"{name} with {type(reason).__name__}"


def _denied(reason: str) -> ErrorInfo:
    return ErrorInfo("DeniedError", ErrorCode.DENIED, safe(reason))
