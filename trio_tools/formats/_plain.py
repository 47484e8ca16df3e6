"""The plain form: a turn is one line of JSON, `{"calls": [{"id", "name", "arguments"}]}`, and so is a result.

The shape of a turn is read strictly: what is not understood is refused with its place, never passed over. Arguments
are not part of the shape. They go on as the text they stand in, whether the model wrote an object, a string that holds
one, or something else, since it is the registry that answers bad arguments, with a result the model can read.
"""

from __future__ import annotations

from trio_tools.formats._span import Span
from trio_tools.values import JSONValue, ToolCall, ToolResult, to_json


def read_plain(turn: Span) -> tuple[ToolCall, ...]:
    """The calls of a turn. An `id` may repeat, be null or absent; `arguments` may be an object, its JSON text, null or
    absent, and anything else is left to the registry to refuse.

    Raises `NotATurn` for keys that are unknown, missing or repeated, and for values of another type.
    """
    calls = turn.needed(turn.members("calls"), "calls")
    return tuple(_call(item) for item in calls.items())


def _call(item: Span) -> ToolCall:
    members = item.members("id", "name", "arguments")
    name, own_id, arguments = item.needed(members, "name").string(), members.get("id"), members.get("arguments")
    return ToolCall(
        name,
        "" if arguments is None else arguments.string() if arguments.kind == "a string" else arguments.raw,
        id=None if own_id is None or own_id.kind == "null" else own_id.string(),
    )


def write_result(result: ToolResult) -> dict[str, JSONValue]:
    """A result as plain JSON: what a reader asks for first (`id`, `tool`, `code`, `is_error`, `text`), then all of
    `to_json`. Without `id`, `code`, `is_error` and `text` it is what `from_json` reads."""
    return {
        "id": result.call_id,
        "tool": result.tool,
        "code": result.code,
        "is_error": result.is_error,
        "text": result.text,
        **to_json(result),
    }
