"""What providers ask of calls and results in a conversation, written down apart from the code that sees to it."""

from __future__ import annotations

from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]


def unanswered(messages: list[Any], form: str) -> list[str]:
    """Everything that a provider would refuse about the calls and results of a conversation."""
    found = {"openai": _openai, "anthropic": _anthropic, "plain": _plain}[form](messages)
    return [*found, *_hollow(messages)]


def _hollow(messages: list[Message]) -> list[str]:
    return [
        f"message {at} says nothing"
        for at, one in enumerate(messages)
        if one.get("role") == "assistant" and not any(value for key, value in one.items() if key != "role")
    ]


def _openai(messages: list[Message]) -> list[str]:
    wrong: list[str] = []
    seen: set[str] = set()
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if message["role"] in {"tool", "function"}:
            wrong.append(f"message {at - 1} answers nothing")
        listed: list[Message] = message.get("tool_calls") or []
        wanted = [("tool", str(call["id"])) for call in listed]
        wrong += _ids([call["id"] for call in listed], seen)
        if old := message.get("function_call"):
            wanted.append(("function", old["name"]))
        for role, own_id in wanted:
            answer = messages[at] if at < len(messages) else {"role": "none"}
            names = answer.get("tool_call_id" if role == "tool" else "name")
            if (answer["role"], names) == (role, own_id):
                at += 1
            else:
                wrong.append(f"message {at} does not answer {own_id}")
    return wrong


def _anthropic(messages: list[Message]) -> list[str]:
    wrong: list[str] = []
    seen: set[str] = set()
    wanted: list[str] = []
    end: Message = {"role": "none"}
    for at, message in enumerate([*messages, end]):
        blocks: list[Message] = message["content"] if isinstance(message.get("content"), list) else list[Message]()
        kinds = [block["type"] == "tool_result" for block in blocks]
        if sorted(kinds, reverse=True) != kinds:
            wrong.append(f"message {at} has a result behind something else")
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if answered != wanted or (answered and message["role"] != "user"):
            wrong.append(f"message {at} answers {answered}, and {wanted} is wanted")
        wanted = [block["id"] for block in blocks if block["type"] == "tool_use"]
        wrong += _ids(wanted, seen)
    return wrong


def _plain(messages: list[Message]) -> list[str]:
    wrong: list[str] = []
    wanted: list[str | None] = []
    end: Message = {"calls": []}
    for at, message in enumerate([*messages, end]):
        if "calls" not in message:
            if not wanted or wanted.pop(0) != message["id"]:
                wrong.append(f"message {at} answers something else")
        else:
            wrong += [f"nothing answers {one}" for one in wanted]
            wanted = [call.get("id") for call in message["calls"]]
    return wrong


def _ids(ids: list[Any], seen: set[str]) -> list[str]:
    wrong = [f"{one!r} is no id" for one in ids if not isinstance(one, str) or not one]
    wrong += [f"{one!r} has come before" for at, one in enumerate(ids) if one in seen or one in ids[:at]]
    seen.update(ids)
    return wrong
