"""The messages of a transcript in each form, as far as calls and results go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from trio_tools.formats._message import blocks_of, refuse_unless_assistant, role_of
from trio_tools.formats._parts import (
    Answer,
    Call,
    Message,
    misplaced,
    read_own_id,
    says_nothing,
    tells_failure,
    text_in,
)
from trio_tools.formats._span import NotATurn, Span


def _read_openai(message: Span) -> Message:
    members = message.some("role", "content", "tool_calls", "function_call", "tool_call_id", "name", "choices")
    if "choices" in members:
        raise NotATurn(f"{message.place} is a whole response, which has choices; give the message in it")
    role = role_of(message, members)
    for kind, block in blocks_of(members):
        if kind in {"tool_use", "tool_result"}:
            raise NotATurn(f"{block.place} is a {kind}, which this form has not")
    calls = _openai_calls(members)
    if calls:
        refuse_unless_assistant(role, calls[0].span)
    if role in {"tool", "function"}:
        name, is_old = text_in(members, "name"), role == "function"
        own_id = name if is_old else read_own_id(members, "tool_call_id")
        failure = tells_failure(members.get("content"))
        return Message(message, units=(Answer(message, own_id, name, is_failure=failure, is_old=is_old),))
    return Message(message, calls, is_empty=role == "assistant" and says_nothing(message))


def _openai_calls(members: dict[str, Span]) -> tuple[Call, ...]:
    found: list[Call] = []
    if (listed := members.get("tool_calls")) is not None and listed.kind != "null":
        for item in listed.items():
            parts = item.some("id", "function", "custom")
            inner = parts.get("function") or parts.get("custom")
            name = text_in(inner.some("name"), "name") if inner is not None and inner.kind == "an object" else None
            found.append(Call(item, read_own_id(parts, "id"), name))
    if (old := members.get("function_call")) is not None and old.kind != "null":
        name = old.needed(old.some("name"), "name").string()
        found.append(Call(old, name, name, is_old=True))
    return tuple(found)


def _read_anthropic(message: Span) -> Message:
    members = message.some("role", "content")
    role = role_of(message, members)
    calls: list[Call] = []
    units: list[Answer | Span] = []
    for kind, block in blocks_of(members):
        if kind == "tool_use":
            refuse_unless_assistant(role, block)
            parts = block.some("id", "name")
            calls.append(Call(block, read_own_id(parts, "id"), text_in(parts, "name")))
        elif kind == "tool_result":
            if role != "user":
                raise misplaced(block, role)
            parts = block.some("tool_use_id", "content", "is_error")
            failure = ("is_error" in parts and parts["is_error"].raw == "true") or tells_failure(parts.get("content"))
            units.append(Answer(block, read_own_id(parts, "tool_use_id"), is_failure=failure))
        else:
            units.append(block)
    is_empty = role == "assistant" and says_nothing(message)
    return Message(message, tuple(calls), tuple(units), is_users=role == "user", is_empty=is_empty)


def _read_plain(message: Span) -> Message:
    members = message.some("calls", "id", "tool", "text", "is_error", "position")
    if "calls" in members:
        return Message(message, tuple(_plain_call(item) for item in members["calls"].items()))
    if "tool" not in members:
        raise NotATurn(f"{message.place} has neither calls nor a tool, so it is neither a turn nor a result")
    position = members.get("position")
    failure = "is_error" in members and members["is_error"].raw == "true"
    at = int(position.raw) if position is not None and position.raw.isdecimal() and len(position.raw) < 9 else None
    own_id = members.get("id")
    answer = Answer(
        message,
        None if own_id is None or own_id.kind == "null" else own_id.string(),
        members["tool"].string(),
        at,
        is_failure=failure or tells_failure(members.get("text")),
    )
    return Message(message, units=(answer,))


def _plain_call(item: Span) -> Call:
    parts = item.some("id", "name")
    own_id = parts.get("id")
    called = item.needed(parts, "name").string()
    return Call(item, None if own_id is None or own_id.kind == "null" else own_id.string(), called)


READERS: Mapping[str, Callable[[Span], Message]] = MappingProxyType(
    {"plain": _read_plain, "openai": _read_openai, "anthropic": _read_anthropic}
)
