"""Anthropic's Messages: calls are blocks of an assistant's message, and one user's message answers all of a turn."""

from __future__ import annotations

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
from trio_tools.formats._span import Span
from trio_tools.values import (
    ContentBlock,
    Image,
    JSONValue,
    NotJSON,
    ToolCall,
    ToolResult,
    as_text,
    freeze_mapping,
    parse_arguments,
    thaw,
)

_FORM = "anthropic"
# The pictures that the API takes.
_PICTURES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def read_anthropic(turn: Span) -> tuple[ToolCall, ...]:
    """The calls of a message, which a whole response is too. Arguments go on as the JSON text they stand in.

    Blocks that are not `tool_use` are let pass; `server_tool_use` is run by the provider. Raises `NotATurn` for what is
    of another shape.
    """
    members = turn.some("role", "content")
    role = role_of(turn, members)
    calls = [block for kind, block in blocks_of(members) if kind == "tool_use"]
    if calls:
        refuse_unless_assistant(role, calls[0])
    return tuple(_read_call(block) for block in calls)


def _read_call(block: Span) -> ToolCall:
    members = block.some("id", "name", "input")
    own_id, name = read_id(block, members), block.needed(members, "name").string()
    return ToolCall(name, block.needed(members, "input").raw, id=own_id)


def anthropic_user_message(results: Sequence[ToolResult]) -> dict[str, JSONValue]:
    """The message that answers all calls of a turn; give its results in call order.

    Left out is text that is blank, which the API refuses. An image is told as `[image content]` if it is of a kind that
    the API does not take, and in a failure, which may hold text alone. Raises `NotInForm` if a call had no id, and
    `ValueError` for no results: the API takes no such message.
    """
    if not results:
        raise ValueError("a message with results must have at least one")
    return {"role": "user", "content": [anthropic_answer(one, answered_id(one, _FORM)) for one in results]}


def anthropic_answer(result: ToolResult, own_id: str) -> JSONValue:
    """The block that answers the call of this id."""
    made: dict[str, JSONValue] = {"type": "tool_result", "tool_use_id": own_id}
    if content := [_write_block(block, result) for block in told(result) if as_text((block,)).strip()]:
        made["content"] = content
    if result.is_error:
        made["is_error"] = True
    return made


def _write_block(block: ContentBlock, result: ToolResult) -> JSONValue:
    if isinstance(block, Image) and block.media_type in _PICTURES and block.data and not result.is_error:
        source: JSONValue = {"type": "base64", "media_type": block.media_type, "data": block.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": as_text((block,))}


def anthropic_assistant_message(calls: Sequence[ToolCall]) -> dict[str, JSONValue]:
    """The message that an assistant made these calls in, for a history.

    Raises `NotInForm` for a call without an id, and for arguments that are not one JSON object: the form has no place
    for other text, and an object made up around it would be arguments that the model never wrote. Raises `ValueError`
    for no calls: the API takes no such message.
    """
    if not calls:
        raise ValueError("a message with tool calls must have at least one")
    return {"role": "assistant", "content": [_write_call(call) for call in calls]}


def _write_call(call: ToolCall) -> JSONValue:
    own_id, name, arguments = id_of(call, _FORM), name_of(call, _FORM), call.arguments
    try:
        read = parse_arguments(arguments) if isinstance(arguments, str) else freeze_mapping(arguments)
    except NotJSON as error:
        place, remedy = f"arguments{error.path}", "give one JSON object, one that holds the text for instance"
        raise NotInForm(call.name, _FORM, place, error.problem, remedy) from None
    return {"type": "tool_use", "id": own_id, "name": name, "input": thaw(read)}
