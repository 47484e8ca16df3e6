"""OpenAI's chat completions: calls stand in an assistant's message, and each is answered by a message of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trio_tools.formats._draft import NotInForm
from trio_tools.formats._message import (
    answered_id,
    blocks_of,
    id_of,
    name_of,
    read_id,
    refuse_unless_assistant,
    role_of,
    told,
)
from trio_tools.formats._span import NotATurn, Span, shown
from trio_tools.values import JSONValue, NotJSON, ToolCall, ToolResult, as_text, check_text, freeze_mapping

_FORM = "openai"


def read_openai(turn: Span) -> tuple[ToolCall, ...]:
    """The calls of a message, or of the message in a whole response. Arguments go on as the text that the model wrote.

    Raises `NotATurn` for what is of another shape, for calls that are not of functions, and for a response with calls
    that holds several messages.
    """
    found = turn.some("choices", "role", "content", "tool_calls")
    if "choices" not in found:
        return _read_message(turn)
    if others := [key for key in found if key != "choices"]:
        raise NotATurn(f"{turn.place} is a whole response, which has choices, and a message, which has {others[0]}")
    choices = [*found["choices"].items()]
    read = [_read_message(one.needed(one.some("message"), "message")) for one in choices]
    if len(read) > 1 and any(read):
        raise NotATurn(f"choices holds {len(read)} messages, with calls: send just the one that is to be answered")
    return tuple(call for calls in read for call in calls)


def _read_message(message: Span) -> tuple[ToolCall, ...]:
    members = message.some("role", "content", "tool_calls", "function_call")
    role = role_of(message, members)
    for kind, block in blocks_of(members):
        if kind == "tool_use":
            raise NotATurn(f"{block.place} is a tool_use, which this form has not: its calls stand in tool_calls")
    old, calls = members.get("function_call"), members.get("tool_calls")
    if old is not None and old.kind != "null":
        raise NotATurn(f"{old.place} is a call without an id, as OpenAI had them once; only tool_calls are read")
    if calls is None or calls.kind == "null":
        return ()
    read = tuple(_read_call(item) for item in calls.items())
    if read:
        refuse_unless_assistant(role, calls)
    return read


def _read_call(item: Span) -> ToolCall:
    members = item.some("id", "type", "function")
    kind = members.get("type")  # some servers leave it out, or null
    if kind is not None and kind.kind != "null" and (named := kind.string()) != "function":
        raise NotATurn(f'{kind.place} must be "function", not {shown(named)}')
    own_id, function = read_id(item, members), item.needed(members, "function")
    parts = function.some("name", "arguments")
    name, arguments = function.needed(parts, "name").string(), function.needed(parts, "arguments").string()
    return ToolCall(name, arguments, id=own_id)


def openai_tool_message(result: ToolResult) -> dict[str, JSONValue]:
    """The message that answers one call. It holds text alone: an image is told as `[image content]`.

    Raises `NotInForm` if the call had no id.
    """
    return openai_answer(result, answered_id(result, _FORM))


def openai_answer(result: ToolResult, own_id: str) -> dict[str, JSONValue]:
    """The message that answers the call of this id."""
    return {"role": "tool", "tool_call_id": own_id, "content": as_text(told(result))}


def openai_assistant_message(calls: Sequence[ToolCall]) -> dict[str, JSONValue]:
    """The message that an assistant made these calls in, for a history. Argument text stays as it is.

    Raises `NotInForm` for a call without an id, or with text or arguments that JSON cannot carry, and `ValueError` for
    no calls: the API takes no such message.
    """
    if not calls:
        raise ValueError("a message with tool calls must have at least one")
    return {"role": "assistant", "content": None, "tool_calls": [_write_call(call) for call in calls]}


def _write_call(call: ToolCall) -> JSONValue:
    own_id, name, arguments = id_of(call, _FORM), name_of(call, _FORM), call.arguments
    try:
        text = check_text(arguments) if isinstance(arguments, str) else json.dumps(freeze_mapping(arguments))
    except NotJSON as error:
        place, remedy = f"arguments{error.path}", "give arguments that JSON can carry"
        raise NotInForm(call.name, _FORM, place, error.problem, remedy) from None
    return {"id": own_id, "type": "function", "function": {"name": name, "arguments": text}}
