"""Codes, causes and errors: what a result may say of how its call ended."""

from __future__ import annotations

import re
import sys
from enum import StrEnum

import attrs

CODE = re.compile(r"[A-Z][A-Z0-9_]{2,63}")


class ErrorCode(StrEnum):
    """The registry's own codes. A tool's error may carry any other code that matches `^[A-Z][A-Z0-9_]{2,63}$`."""

    ABORTED_BEFORE_DISPATCH = "ABORTED_BEFORE_DISPATCH"  # cancelled, and the body never ran
    ABORTED = "ABORTED"  # cancelled, and the body ran: it may have had effects
    TOOL_TIMEOUT = "TOOL_TIMEOUT"  # its own budget ran out, before or while the body ran
    DENIED = "DENIED"  # a pre-policy said no
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    INVALID_ARGS = "INVALID_ARGS"
    INVALID_TOOL_OUTPUT = "INVALID_TOOL_OUTPUT"  # the body ran, and what it returned cannot be kept
    TOOL_FAILED = "TOOL_FAILED"  # the body raised
    EFFECT_UNKNOWN = "EFFECT_UNKNOWN"  # an effect began, and nobody knows whether it went through
    POLICY_FAILED = "POLICY_FAILED"
    WRAPPER_FAILED = "WRAPPER_FAILED"
    BLOCKED = "BLOCKED"  # a post-policy withheld the result
    FINALIZER_FAILED = "FINALIZER_FAILED"
    RECORD_FAILED = "RECORD_FAILED"  # a recorder could not note what was about to happen, so it did not happen


class Cause(StrEnum):
    """Who ended a call, apart from its code."""

    CALLER = "caller"  # the scope handed over, its deadline, or a scope around it
    INTERRUPT = "interrupt"  # Ctrl-C
    DEADLINE = "deadline"  # the call's budget
    IDLE = "idle"  # the call's budget for going without progress
    WRAPPER = "wrapper"  # a wrapper's scope that claimed nothing
    OPERATOR = "operator"  # Registry.cancel
    SHUTDOWN = "shutdown"  # the registry was leaving
    CRASH = "crash"  # the process ended first; a journal closed the books


@attrs.frozen
class ErrorInfo:
    """A failure: `name` of the error (an exception's type), `code`, and `message` without the `Error: ` prefix."""

    name: str
    code: str
    message: str


class ToolError(Exception):
    """A failure that a tool wants its model to read.

    Arguments: `message`, shown as it is after `Error: `; `code`, a code of the tool's own such as `BASH_TIMEOUT`. A
    code that does not match `^[A-Z][A-Z0-9_]{2,63}$`, or that is one of `ErrorCode`, is reported as `TOOL_FAILED`:
    a tool cannot speak for the registry.
    """

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class EffectUnknownError(ToolError):
    """It cannot be said whether an effect went through.

    Raised by an effect's action that has lost sight of it: what it was to do is sent, and the answer does not come. The
    effect is then unknown, and not failed, and the call's failure has the code `EFFECT_UNKNOWN`. Raised by
    `irreversible` too: when the effect's own bound runs out, and for a key whose effect has begun once and never ended,
    until somebody decides.

    Argument: `message`, what the model reads of it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, code=ErrorCode.EFFECT_UNKNOWN)


def check_seconds(name: str, seconds: object) -> float:
    """The number itself, if it is a positive number of seconds that a clock can count to: finite, and no more than a
    float holds. Raises `ValueError` naming it otherwise."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= sys.float_info.max:
        raise ValueError(f"{name} must be a positive finite number of seconds, not {seconds!r}")
    return seconds


def is_own_code(code: object) -> bool:
    """Whether this is a code that a tool may use: well formed, and not one of the registry's."""
    return isinstance(code, str) and CODE.fullmatch(code) is not None and code not in ErrorCode.__members__
