"""A body's value becomes a result: unstructured, checked against the tool's contract, frozen, rendered."""

from __future__ import annotations

import reprlib
from collections.abc import Awaitable, Callable
from types import CoroutineType

from trio_tools.pipeline._faults import run_sync
from trio_tools.pipeline._state import CallState
from trio_tools.tool import Tool
from trio_tools.values import (
    Content,
    Image,
    Json,
    JSONValue,
    NotJSON,
    Outcome,
    Text,
    ToolResult,
    as_content,
    block_value,
    freeze,
    invalid_output,
    printable,
    render,
    size_in_bytes,
    to_plain,
)

# Characters of a value that could not be kept, shown so that the model knows what the tool came to.
MAX_SHOWN = 2_000

# Bytes beyond twice the bound of a result at which one is not looked at any further.
ROUGHLY = 64 * 1024

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = MAX_SHOWN

# the name that a class was given, past what its metaclass says of it
_TYPE_NAME: Callable[[type], str] = type.__dict__["__name__"].__get__

_BLOCKS = (Text, Image, Json)


_PLAIN = (str, int, dict, list, type(None), bool, float)


def completed(call: CallState, value: object) -> ToolResult:
    """A success with this value, or the failure to keep it, which says that the body ran."""
    tool = call.tool
    assert tool is not None
    kind = type(value)  # what it says itself of its class may be a proxy's, or raise
    if kind not in _PLAIN and issubclass(kind, Awaitable):
        if kind is CoroutineType:
            CoroutineType.close(value)  # type: ignore[arg-type]  # never awaited, and so it shall not warn
        problem = "an awaitable; declare the tool with async def"
        return _unkept(call, value, problem)  # pyright: ignore[reportUnknownArgumentType]
    try:
        content, frozen = run_sync(_written, value, tool)
        size = size_in_bytes(content)
        problems = [] if tool.output is None else run_sync(tool.output.violations, frozen, "value")
    except NotJSON as error:
        return _unkept(call, value, f"value is not lossless JSON: {error}")
    except BaseException as thrown:  # accessors of the value, which may do anything, also exit
        fault = call.turn.fault_in(thrown)
        return _unkept(call, value, f"value snapshot failed: {printable(fault.failure or thrown)}")
    if size > tool.max_result_bytes:
        problem = f"{size:,} bytes, more than the {tool.max_result_bytes:,} that a result may have"
        return _unkept(call, value, problem)
    if problems:
        return _unkept(call, value, "; ".join(problems))
    return call.mint(ToolResult(call.call.id, call.name, content, frozen, dispatched=call.attempts > 0))


def _written(value: object, tool: Tool) -> tuple[Content, JSONValue]:
    """What a model reads of a value, and the value as JSON."""
    blocks = None if type(value) is str else _blocks(value, tool.nan_as_null)
    if blocks is not None:
        return blocks, _value_of(blocks, alone=isinstance(value, _BLOCKS))
    # counted roughly, so that what is much too large is not written first; a text is written already
    most = None if type(value) is str else 2 * tool.max_result_bytes + ROUGHLY
    frozen = to_plain(value, nan_as_null=tool.nan_as_null, max_bytes=most)
    return render(frozen), frozen


def _blocks(value: object, nan_as_null: bool) -> Content | None:
    """The content that a body returned as such: a block, or a list or tuple with blocks in it. Of what else is in it
    text becomes a block of text, and other values one of JSON."""
    if isinstance(value, _BLOCKS):
        return as_content((value,))
    if not isinstance(value, (list, tuple)):
        return None
    items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
    if not any(isinstance(item, _BLOCKS) for item in items):
        return None
    return as_content(tuple(_block(item, nan_as_null) for item in items))


def _block(item: object, nan_as_null: bool) -> object:
    if isinstance(item, _BLOCKS):
        return item
    return Text(item) if isinstance(item, str) else Json(to_plain(item, nan_as_null=nan_as_null))


def _value_of(content: Content, *, alone: bool) -> JSONValue:
    return block_value(content[0]) if alone else freeze([block_value(block) for block in content])


def returned(result: ToolResult) -> object:
    """What a body returned to come to this success: blocks, if its content is such, else its value."""
    content = result.content
    if len(content) == 1 and result.value == _value_of(content, alone=True):
        return content[0]
    return content if content and result.value == _value_of(content, alone=False) else result.value


def _unkept(call: CallState, value: object, problems: str) -> ToolResult:
    shown = Outcome((Text(_shown(call, value)),))
    return call.failed(invalid_output(call.name, problems), superseded=shown)


def _shown(call: CallState, value: object) -> str:
    try:
        text = run_sync(_repr.repr, value)
    except BaseException as thrown:
        call.turn.fault_in(thrown)
        text = ""
    if not text:
        text = f"<a {_TYPE_NAME(type(value))} that cannot be shown>"
    return text[:MAX_SHOWN].encode(errors="backslashreplace").decode()
