"""What the messages of all providers have in common: a role, content that is text or typed blocks, calls with an id.

A message is open: it is the provider's, who adds keys as he likes, and those that are not read are let pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.formats._draft import NotInForm
from trio_tools.formats._span import NotATurn, Span, shown
from trio_tools.values import Content, NotJSON, Text, ToolCall, ToolResult, check_text, safe

# Whoever speaks in a conversation. A role that is not one of these is of a form that nobody here reads.
_ROLES = ("assistant", "user", "system", "developer", "tool", "function")


def role_of(message: Span, members: dict[str, Span]) -> str:
    """Who speaks. Raises `NotATurn` for a role that is missing or unknown."""
    place = message.needed(members, "role")
    if (role := place.string()) not in _ROLES:
        raise NotATurn(f"{place.place} must be one of {', '.join(_ROLES)}, not {shown(role)}")
    return role


def refuse_unless_assistant(role: str, calls: Span) -> None:
    """Raises `NotATurn` for calls in the message of somebody else: they are the user's text, or a mistake."""
    if role != "assistant":
        raise NotATurn(f"{calls.place} stands in a message of the role {role}; only an assistant's has calls")


def blocks_of(members: dict[str, Span]) -> Iterator[tuple[str, Span]]:
    """The blocks of a message's content with their types; none if it is text, null or absent.

    Raises `NotATurn` for other content, and for a block without a type: it may be a call.
    """
    content = members.get("content")
    if content is None or content.kind in {"a string", "null"}:
        return
    if content.kind != "an array":
        raise content.must_be("a string or an array")
    for block in content.items():
        yield block.needed(block.some("type"), "type").string(), block


def read_id(call: Span, members: dict[str, Span]) -> str:
    """The id that an answer to a call has to name. Raises `NotATurn` for one that is missing, or that UTF-8 cannot
    carry and so an answer cannot either."""
    place = call.needed(members, "id")
    try:
        return check_text(place.string())
    except NotJSON as error:
        raise NotATurn(f"{place.place} cannot be sent back: {error.problem}") from None


def answered_id(result: ToolResult, form: str) -> str:
    """The id of the call that a result answers. Raises `NotInForm` if it has none."""
    if result.call_id is None:
        raise NotInForm(result.tool, form, "call_id", "the call had no id, so no answer can name it", "give it one")
    return result.call_id


def id_of(call: ToolCall, form: str) -> str:
    """The id of a call. Raises `NotInForm` if it has none."""
    if call.id is None:
        raise NotInForm(call.name, form, "id", "the call has no id, so no answer can name it", "give it one")
    return call.id


def name_of(call: ToolCall, form: str) -> str:
    """The name that is called. Raises `NotInForm` if UTF-8 cannot carry it."""
    try:
        return check_text(call.name)
    except NotJSON as error:
        raise NotInForm(call.name, form, "name", error.problem, "call a tool that there is") from None


def told(result: ToolResult) -> Content:
    """What a model reads of a result, as a provider takes it. A failure is always told, also where a policy took all
    its text."""
    if result.is_error and not result.text.strip():
        return (Text(f"Error: {result.code}"),)
    return tuple(Text(sendable(block.text)) if isinstance(block, Text) else block for block in result.content)


def sendable(text: str) -> str:
    """The text as a provider takes it: one NUL in a history has every later request refused, and half characters
    cannot be sent at all."""
    return safe(text).replace("\0", "\ufffd")
