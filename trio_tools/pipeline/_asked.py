"""How calls are asked for, and what is given back. What is wrong with the asking is a programming error, raised at
once, and no result."""

from __future__ import annotations

import trio

from trio_tools.pipeline._core import Core
from trio_tools.values import Session, ToolCall, ToolResult


def check_asked(core: Core, scope: object, session: object) -> None:
    """Raise `TypeError` without a scope and for a session that is none, `RuntimeError` for a scope that was entered
    before and for a registry that is closed."""
    if not isinstance(scope, trio.CancelScope):
        raise TypeError(f"scope must be a trio.CancelScope that you own, not {type(scope).__name__}")
    if scope.is_relative is None:
        raise RuntimeError("this scope was entered before; a cancel scope serves one call or turn, make a new one")
    if session is not None and not isinstance(session, Session):
        raise TypeError(f"session must be a Session, not {type(session).__name__}")
    if core.closed:
        raise RuntimeError("the registry is closed: calls end with the block of open_registry")


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
