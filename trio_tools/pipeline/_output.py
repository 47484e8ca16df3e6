"""A body's value becomes a result: unstructured, checked against the tool's contract, frozen, rendered."""

from __future__ import annotations

import reprlib
from functools import cache

import cattrs

from trio_tools.pipeline._state import CallState
from trio_tools.values import (
    JSONValue,
    NotJSON,
    Outcome,
    Text,
    ToolResult,
    freeze,
    invalid_output,
    printable,
    render,
)

# Characters of a value that could not be kept, shown so that the model knows what the tool came to.
MAX_SHOWN = 2_000

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = MAX_SHOWN


_PLAIN = (str, int, dict, list, type(None), bool, float)


@cache
def _converter() -> cattrs.Converter:
    return cattrs.Converter(unstruct_collection_overrides={tuple: list})


def _frozen(value: object) -> JSONValue:
    """The value as JSON: itself, or what its attrs classes, dataclasses and tuples unstructure to."""
    try:
        return freeze(value)
    except NotJSON as error:
        try:
            plain: object = _converter().unstructure(value)
        except Exception:
            raise error from None
        return freeze(plain)


def completed(call: CallState, value: object) -> ToolResult:
    """A success with this value, or the failure to keep it, which says that the body ran."""
    tool = call.tool
    assert tool is not None
    if type(value) not in _PLAIN and hasattr(value, "__await__"):
        close = getattr(value, "close", None)
        if close is not None:
            close()  # never awaited, and so it shall not warn
        return _unkept(call, value, "an awaitable; declare the tool with async def")
    try:
        frozen = _frozen(value)
    except NotJSON as error:
        return _unkept(call, value, f"value is not lossless JSON: {error}")
    except Exception as error:
        return _unkept(call, value, f"value snapshot failed: {printable(error)}")
    if tool.output is not None:
        problems: list[str] = []
        tool.output.read(frozen, "value", problems)
        if problems:
            return _unkept(call, value, "; ".join(problems))
    return call.mint(ToolResult(call.call.id, call.name, render(frozen), frozen, dispatched=call.attempts > 0))


def _unkept(call: CallState, value: object, problems: str) -> ToolResult:
    shown = Outcome((Text(_shown(value)),))
    return call.failed(invalid_output(call.name, problems), superseded=shown)


def _shown(value: object) -> str:
    try:
        text = _repr.repr(value)
    except Exception:
        text = f"<a value of type {type(value).__name__} that cannot be shown>"
    return text[:MAX_SHOWN].encode(errors="backslashreplace").decode()
