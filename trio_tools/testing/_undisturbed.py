"""The run that nothing disturbs: whether there is anything to explore, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.testing._probe import BUDGET
from trio_tools.testing._record import Run
from trio_tools.values import ErrorCode, ToolResult

# Codes of calls that never get anywhere.
_REFUSED = (ErrorCode.INVALID_ARGS, ErrorCode.UNKNOWN_TOOL)


def results_of(run: Run) -> tuple[ToolResult, ...]:
    """The results of its calls, so far as they have any."""
    return tuple(life.result for life in run.lives if life.result is not None)


def check_usable(run: Run) -> None:
    """Raises `ValueError` if none of the calls can run at all."""
    __tracebackhide__ = True
    refused = [life for life in run.lives if life.result is not None and _is_refused(life.result, run)]
    if len(refused) == len(run.lives):
        why = "; ".join(f"{life.name}: {life.result.text}" for life in refused if life.result is not None)
        raise ValueError(f"there is nothing to explore, the call cannot run: {why}")


def _is_refused(result: ToolResult, run: Run) -> bool:
    return result.code in _REFUSED or (result.is_error and bool(run.missing))


def not_seen(run: Run) -> Iterator[str]:
    """What does not follow from runs that are like this one, in words."""
    if run.seconds >= BUDGET:
        yield f"undisturbed, the call has no end of its own: a budget that it was given cut it after {BUDGET:,.0f} s"
    for one in results_of(run):
        if one.is_error and one.cause is None:
            yield f"undisturbed, {one.tool} does not succeed, and what it would do then was not seen: {one.text}"
