"""How calls are asked for, and what is given back. What is wrong with the asking is a programming error, raised at
once, and no result."""

from __future__ import annotations

import trio

from trio_tools.pipeline._carried import ZONE, is_within
from trio_tools.pipeline._core import Core
from trio_tools.pipeline._state import CallState
from trio_tools.values import Session, ToolCall, ToolResult


def check_asked(core: Core, scope: object, session: object) -> None:
    """Raise `TypeError` without a scope and for a session that is none, `RuntimeError` for a scope that was entered
    before, for a registry that is closed and inside of an effect."""
    if not isinstance(scope, trio.CancelScope):
        raise TypeError(f"scope must be a trio.CancelScope that you own, not {type(scope).__name__}")
    if scope.is_relative is None:
        raise RuntimeError("this scope was entered before; a cancel scope serves one call or turn, make a new one")
    if session is not None and not isinstance(session, Session):
        raise TypeError(f"session must be a Session, not {type(session).__name__}")
    check_still(core, None)


def check_still(core: Core, maker: CallState | None) -> None:
    """Raise `RuntimeError` for a registry that is closed, inside of an effect, and for a call that the context of
    `maker` makes in a task which is inside of neither that call, as long as it has not settled, nor a job that it has
    started."""
    if core.closed:
        raise RuntimeError("the registry is closed: calls end with the block of open_registry")
    inside = ZONE.get()
    if inside is not None and inside.is_open:
        raise RuntimeError(f"no call is made inside of an effect ({inside.name!r}): make it before or after")
    if maker is not None and not is_within(maker):
        why = "it has settled" if maker.over else "this task is in a nursery from elsewhere"
        raise RuntimeError(f"a context makes calls inside of its own call, and {why}")


def checked(call: object) -> ToolCall:
    """The call, if it is one. Raises `TypeError`."""
    if not isinstance(call, ToolCall):
        raise TypeError(f"calls must be ToolCall, not {type(call).__name__}")
    return call


def all_of(results: tuple[ToolResult, ...]) -> tuple[ToolResult, ...]:
    """What a turn gives."""
    return results


def only(results: tuple[ToolResult, ...]) -> ToolResult:
    """What a turn of one gives."""
    (result,) = results
    return result
