"""The texts that models read, to the letter."""

from __future__ import annotations

import json
from functools import lru_cache

import attrs

from trio_tools.values._content import Content, Text
from trio_tools.values._errors import EffectUnknownError, ErrorCode, ErrorInfo, ToolError, is_own_code
from trio_tools.values._json import safe
from trio_tools.values._lines import one_line
from trio_tools.values._result import Effect, EffectState, Outcome

ABORTED_BEFORE_DISPATCH = ErrorInfo(
    "AbortError", ErrorCode.ABORTED_BEFORE_DISPATCH, "tool call aborted before dispatch"
)
ABORTED = ErrorInfo("AbortError", ErrorCode.ABORTED, "tool call aborted")
# of a call whose process ended while its body ran
CUT_OFF = ErrorInfo(
    "AbortError",
    ErrorCode.ABORTED,
    "tool call aborted\nThe process that ran it ended. How far it got is not known: check before you repeat it.",
)

UNPRINTABLE = "<unprintable thrown value>"
# Characters of one exception's text. Some carry a whole response body.
MAX_ERROR_TEXT = 16_000
# Characters of an effect's name, and of its receipt, in a text. An id or an address fits; the whole is in the result.
MAX_EFFECT_NAME, MAX_RECEIPT = 100, 300
# Effects that a text names of each kind. The last of hundreds tell a model no more than how many there were.
MAX_EFFECTS = 50

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def milliseconds(seconds: float) -> str:
    """Seconds as the milliseconds that texts show: whole where they are whole."""
    return f"{round(seconds * 1000, 3):g}" if seconds * 1000 < 1e6 else f"{round(seconds * 1000)}"


@lru_cache(maxsize=128)  # a call needs it before it knows whether it will; a program has few budgets
def timed_out(seconds: float) -> ErrorInfo:
    """The error of a call whose budget of so many seconds ran out."""
    message = f"tool call timed out after {milliseconds(seconds)}ms"
    return ErrorInfo("ToolTimeoutError", ErrorCode.TOOL_TIMEOUT, message)


@lru_cache(maxsize=128)  # as above
def went_idle(seconds: float) -> ErrorInfo:
    """The error of a call that reported no progress for so many seconds."""
    message = f"tool call timed out after {milliseconds(seconds)}ms\nThe tool reported no progress in that time."
    return ErrorInfo("ToolTimeoutError", ErrorCode.TOOL_TIMEOUT, message)


def unknown_tool(name: str) -> ErrorInfo:
    """The error of a call of a name that nobody has registered."""
    return ErrorInfo("ToolNotFoundError", ErrorCode.UNKNOWN_TOOL, f'unknown tool "{name}"')


def invalid_arguments(problems: list[str]) -> ErrorInfo:
    """The error of arguments that do not fit, with everything that is wrong with them."""
    return ErrorInfo("ToolArgsError", ErrorCode.INVALID_ARGS, f"invalid arguments: {'; '.join(problems)}")


def invalid_output(tool: str, problems: str) -> ErrorInfo:
    """The error of a value that a tool returned and that cannot be kept."""
    message = f'tool "{tool}" returned invalid output: {problems}'
    return ErrorInfo("ToolOutputError", ErrorCode.INVALID_TOOL_OUTPUT, message)


def failure_content(error: ErrorInfo, superseded: Outcome | None = None) -> Content:
    """What a model reads of a failure; what came too late is told, so that it is not done twice."""
    text = f"Error: {error.message}"
    if superseded is None:
        return (Text(text),)
    if superseded.is_error:
        return (Text(f"{text}\nThe tool itself ended with:"), *superseded.content)
    late = "The tool has run all the same. Read what it came to before you repeat it:"
    return (Text(f"{text}\n{late}"), *(superseded.content or (Text("(nothing)"),)))


def effects_text(effects: tuple[Effect, ...], *, receipts: bool) -> str:
    """What a model reads of effects that went through or may have, with their `receipts` if they are to be told; empty
    if there are none."""
    through = [_named(one, receipt=receipts) for one in effects if one.state is EffectState.COMMITTED]
    unknown = [_named(one, receipt=False) for one in effects if one.state is EffectState.UNKNOWN]
    lines = (("Went through, do not repeat", through), ("May have gone through, check before you repeat", unknown))
    return "\n".join(f"{what}: {_listed(named)}" for what, named in lines if named)


def _named(effect: Effect, *, receipt: bool) -> str:
    name = one_line(effect.name, limit=MAX_EFFECT_NAME)
    if not receipt or effect.receipt is None:
        return name
    return f"{name} (receipt {one_line(_COMPACT.encode(effect.receipt), limit=MAX_RECEIPT)})"


def _listed(named: list[str]) -> str:
    more = len(named) - MAX_EFFECTS
    return ", ".join(named if more <= 0 else [*named[:MAX_EFFECTS], f"and {more} more"])


def printable(thrown: BaseException) -> str:
    """The text of an exception, whatever its `__str__` does; empty if it has none. Cut, but for a `ToolError`'s, whose
    length its tool answers for."""
    try:
        text = safe(str(thrown))
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever it is: an exception's text must not end the process
        return UNPRINTABLE
    if isinstance(thrown, ToolError):
        return text
    return text if len(text) <= MAX_ERROR_TEXT else text[:MAX_ERROR_TEXT] + "... (cut)"


def plain_error(thrown: BaseException, code: ErrorCode) -> ErrorInfo:
    """The error of an exception that reads as its message alone, whoever raised it (R006, R022)."""
    error = exception_error(thrown, code)
    text = printable(thrown)
    return (
        error if isinstance(thrown, (BaseExceptionGroup, SystemExit)) or not text else attrs.evolve(error, message=text)
    )


def exception_error(thrown: BaseException, code: ErrorCode) -> ErrorInfo:
    """The error that an exception stands for: a `ToolError` speaks for itself, others are named by their type.

    A group of one is shown as that one, a larger one by its leaves. `code` holds unless the exception brings a valid
    code of its own.
    """
    leaves = _leaves(thrown)
    if len(leaves) == 1 and isinstance(leaves[0], ToolError):
        own = leaves[0]
        name = type(own).__name__
        message = printable(own) or name
        return ErrorInfo(name, own.code if own.code is not None and is_own_code(own.code) else code, message)
    name = type(leaves[0] if len(leaves) == 1 else thrown).__name__
    return ErrorInfo(name, code, "; ".join(_described(leaf) for leaf in leaves))


def says_unknown(thrown: BaseException) -> bool:
    """Whether it says that an effect is unknown, by itself or as one of a group."""
    return any(isinstance(leaf, EffectUnknownError) for leaf in _leaves(thrown))


def _leaves(thrown: BaseException) -> list[BaseException]:
    if not isinstance(thrown, BaseExceptionGroup):
        return [thrown]
    group: BaseExceptionGroup[BaseException] = thrown  # pyright: ignore[reportUnknownVariableType]
    return [leaf for one in group.exceptions for leaf in _leaves(one)]


def _described(thrown: BaseException) -> str:
    if isinstance(thrown, SystemExit):
        return f"the tool tried to exit the process with code {printable(thrown) or '0'}"
    text = printable(thrown)
    return f"{type(thrown).__name__}: {text}" if text else type(thrown).__name__
