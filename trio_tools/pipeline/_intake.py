"""Stage 1, intake: find the tool and its finalizer, snapshot and freeze the arguments, structure them.

A turn receives all its calls at entry, so that nobody can change them while they wait; each tool is found again when
its call starts. What is wrong here wins over every cancel: nobody is asked about a call that cannot run.
"""

from __future__ import annotations

from collections.abc import Mapping

from trio_tools.pipeline._faults import run_sync
from trio_tools.pipeline._state import CallState
from trio_tools.tool import Tool
from trio_tools.values import (
    ErrorCode,
    ErrorInfo,
    FrozenDict,
    NotJSON,
    freeze_arguments,
    invalid_arguments,
    parse_arguments,
    plain_error,
    unknown_tool,
)

NOT_LOSSLESS = "tool execution arguments must be losslessly JSON-serializable"


def receive(call: CallState) -> None:
    """Find the tool first (R008), then read the arguments, once."""
    call.tool = call.turn.reach.find(call.name)
    arguments = call.call.arguments
    try:
        if isinstance(arguments, str):
            call.arguments = parse_arguments(arguments)
        else:
            call.arguments = run_sync(freeze_arguments, arguments)
    except NotJSON as error:
        problem = str(error) if isinstance(arguments, str) else f"{NOT_LOSSLESS}\n{error}"
        call.refused = _unreadable(arguments, problem)
    except BaseException as thrown:  # an accessor of the mapping raised
        call.refused = _accessor_failed(call, thrown)


def _unreadable(arguments: Mapping[str, object] | str, problem: str) -> ErrorInfo:
    if isinstance(arguments, str):
        return invalid_arguments([f"not a JSON object: {problem}"])
    return ErrorInfo("ToolArgsError", ErrorCode.INVALID_ARGS, problem)


def _accessor_failed(call: CallState, thrown: BaseException) -> ErrorInfo:
    fault = call.turn.fault_in(thrown)
    if fault.failure is None:
        return ErrorInfo(type(thrown).__name__, ErrorCode.INVALID_ARGS, "reading the arguments was interrupted")
    return plain_error(fault.failure, ErrorCode.INVALID_ARGS)


def admit(call: CallState, *, anew: bool) -> None:
    """Fix the tool that runs, budgets and finalizes this call, and give it its typed values.

    `anew`: the call had to wait, so the tool is looked up as it is now (D25) and asked again whether it fits.
    """
    if call.arguments is None:
        return
    if anew:
        call.tool = call.turn.reach.find(call.name)
    core = call.turn.core
    refusal = core.refusal if core.failed_recorders else None
    if call.tool is None:
        call.refused = unknown_tool(call.name)
    elif refusal is not None:
        call.refused = ErrorInfo("RecordError", ErrorCode.RECORD_FAILED, refusal)
    else:
        call.refused = structure(call, call.tool, call.arguments)


def structure(call: CallState, tool: Tool, arguments: FrozenDict) -> ErrorInfo | None:
    """Give the call its typed values; what is wrong with the arguments, if anything is."""
    problems: list[str] = []
    read = tool.signature.read
    if tool.signature.trusted:
        call.values = read(arguments, problems)
    else:
        try:
            call.values = run_sync(read, arguments, problems)
        except BaseException as thrown:  # validators and converters are code of the tool's author
            return _accessor_failed(call, thrown)
    return invalid_arguments(problems) if problems else None


def is_parallel(call: CallState) -> bool:
    """Whether this call may overlap with others of its turn: only a literal True says so (R116)."""
    if call.tool is None or call.arguments is None or call.refused is not None:
        return False
    parallel = call.tool.parallel
    if isinstance(parallel, bool):
        return parallel
    try:
        return run_sync(parallel, call.arguments) is True
    except BaseException as thrown:
        call.turn.fault_in(thrown)
        return False
