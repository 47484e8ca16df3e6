"""Stage 5, post: policies review the result, and may replace or withhold it.

They run under one bounded shield, so that a redactor is never cut off. One that fails or overruns withholds the
content. What is done to a result is done to the outcome that it superseded too, or the secret would leave by that door.
"""

from __future__ import annotations

import attrs
import trio

from trio_tools.pipeline._faults import run_either
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import CallView
from trio_tools.values import (
    Block,
    Content,
    ErrorCode,
    ErrorInfo,
    Outcome,
    ReplaceContent,
    ReplaceValue,
    Text,
    ToolResult,
    plain_error,
)

WITHHELD = "tool result blocked by post-execute policy"


async def review(call: CallState, result: ToolResult) -> ToolResult:
    """The result as the post-policies leave it.

    **Cancellation**: not cut, but bounded by `policy_grace`.
    """
    result = call.recheck(result)
    call.last = None  # from here on the result is what the policies make of it
    policies = call.turn.core.post_policies.functions
    call.enter("post")
    view = CallView(call)
    grace = call.turn.core.policy_grace
    # bounded by policy_grace: a secret must not get out because the call was cancelled
    with trio.CancelScope(shield=True, relative_deadline=grace) as shield:
        for policy in policies:
            try:
                decision: object = await run_either(policy, view, result)
                if trio.current_time() >= shield.deadline:
                    return withheld(call, result, f"a post-policy took longer than {grace:g} s")
                result = _reviewed(call, result, decision)
            except BaseException as thrown:
                fault = call.turn.fault_in(thrown)
                if fault.failure is not None:
                    call.exception = fault.failure
                    return withheld(call, result, plain_error(fault.failure, ErrorCode.POLICY_FAILED))
                return withheld(call, result, f"a post-policy was cut off after {grace:g} s")
    return call.recheck(result)


def withheld(call: CallState, result: ToolResult, why: ErrorInfo | str) -> ToolResult:
    """The failure that stands where nobody may read the result."""
    call.reviewed = True
    error = ErrorInfo("PolicyError", ErrorCode.POLICY_FAILED, why) if isinstance(why, str) else why
    return call.failed(error, cause=result.cause)


def _reviewed(call: CallState, result: ToolResult, decision: object) -> ToolResult:
    if decision is None:
        return result
    call.reviewed = True
    match decision:
        case ReplaceContent(content):
            call.redacted = True
            return call.mint(attrs.evolve(result, content=content, superseded=_over(result, content)))
        case ReplaceValue(value):
            if result.error is not None:
                raise ValueError("a post-policy cannot replace the value of a failed result")
            call.redacted = False
            return completed(call, value)
        case Block(feedback):
            message = _message(feedback)
            shown = feedback or (Text(message),)
            error = ErrorInfo("BlockedError", ErrorCode.BLOCKED, message)
            return call.failed(error, content=shown, superseded=_over(result, shown), cause=result.cause)
        case _:
            raise TypeError(
                f"a post-policy answers ReplaceContent, ReplaceValue, Block or None, not {type(decision).__name__}"
            )


def _over(result: ToolResult, content: Content) -> Outcome | None:
    """What the superseded outcome becomes when content is replaced: the same content, and no value."""
    if result.superseded is None:
        return None
    return Outcome(content, error=result.superseded.error and result.error)


def _message(feedback: Content) -> str:
    return (
        "\n".join(
            block.text if isinstance(block, Text) else f"[{type(block).__name__.lower()} content]" for block in feedback
        )
        or WITHHELD
    )
