"""What a call's result must say, by what was done to the call and what its body did."""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.pipeline import take_apart
from trio_tools.testing._case import Mode
from trio_tools.testing._life import Life
from trio_tools.testing._record import Run
from trio_tools.values import Cause, ErrorCode, ToolResult

# What may stand over an end from outside (the precedence of settlement): before the body has run, and after.
_BEFORE = {ErrorCode.INVALID_ARGS, ErrorCode.UNKNOWN_TOOL, ErrorCode.RECORD_FAILED}
_AFTER = {ErrorCode.INVALID_TOOL_OUTPUT, ErrorCode.RECORD_FAILED}
# What a plugin may make of it besides.
_BY_PLUGINS = {ErrorCode.DENIED, ErrorCode.POLICY_FAILED, ErrorCode.WRAPPER_FAILED, ErrorCode.BLOCKED}


def untruths(run: Run, baseline: Run) -> Iterator[str]:
    """Each result has the code and the cause of what happened."""
    for life, undisturbed in zip(run.lives, baseline.lives, strict=True):
        result = life.result
        if result is None:
            continue
        if result.dispatched is not (life.entered is not None):
            ran = "ran" if life.entered is not None else "never ran"
            yield f"the body of {life.name} {ran}, and its result says dispatched={result.dispatched}"
        if life.ended is None:
            yield from _undisturbed(life, result, undisturbed, run)
        else:
            yield from _ended(life, result, undisturbed, run)


def _undisturbed(life: Life, result: ToolResult, undisturbed: Life, run: Run) -> Iterator[str]:
    """Nothing ended this call, so it comes to what it comes to."""
    expected = undisturbed.result
    if expected is not None and run.ended is not None and result.code != expected.code:
        yield f"nothing ended {life.name} before it was over, and it came to {_shown(result)}, not {_shown(expected)}"


def _ended(life: Life, result: ToolResult, undisturbed: Life, run: Run) -> Iterator[str]:
    own = undisturbed.result
    if own is not None and own.cause is not None and result.code == own.code:
        return  # a budget of its own ran out first
    code, cause = _expected(life, run)
    if result.code == code and (result.cause is cause or not run.plain):
        return
    if result.code is not None and _may_stand(life, result, run):
        return
    yield f"{life.name} was ended from outside: its result must be {code}, cause {cause}, and is {_shown(result)}"


def _expected(life: Life, run: Run) -> tuple[ErrorCode, Cause]:
    if life.out_of_budget is not None:
        return ErrorCode.TOOL_TIMEOUT, Cause.DEADLINE
    interrupted = run.case is not None and run.case.mode is Mode.INTERRUPT
    cause = Cause.INTERRUPT if interrupted else Cause.CALLER
    return (ErrorCode.ABORTED_BEFORE_DISPATCH if life.entered is None else ErrorCode.ABORTED), cause


def _may_stand(life: Life, result: ToolResult, run: Run) -> bool:
    """Whether another failure may stand there in its place. A success never may."""
    if result.code in (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.TOOL_TIMEOUT):
        return False
    if life.out_of_budget is None and (_failed(life) or result.code in (_BEFORE if life.entered is None else _AFTER)):
        return True
    return not run.plain and (result.code in _BY_PLUGINS or result.code not in ErrorCode.__members__)


def _failed(life: Life) -> bool:
    """Whether the body raised more than the Cancelled that it was cut with."""
    return life.raised is not None and take_apart(life.raised).failure is not None


def _shown(result: ToolResult) -> str:
    return "a success" if result.code is None else f"{result.code}, cause {result.cause}"
