"""Whether a history is one that a provider takes: each call with its one answer, right behind it and in order."""

from __future__ import annotations

from typing import Any

FORMS = ("plain", "openai", "anthropic")


def unbalanced(messages: Any, form: str) -> list[str]:
    """Where a history is one that its provider would refuse: a call without its one answer right behind it."""
    found: list[str] = []
    waiting: list[str | None] = []
    for place, message in enumerate(messages):
        asked, answered = asked_and_answered(message, form)
        if asked and waiting:
            found.append(f"{waiting} are not answered before message {place}")
        if answered != waiting[: len(answered)]:
            found.append(f"message {place} answers {answered}, not {waiting}")
        waiting = asked or waiting[len(answered) :]
    return [*found, *([f"{waiting} are never answered"] if waiting else [])]


def asked_and_answered(message: Any, form: str) -> tuple[list[str | None], list[str | None]]:
    """The ids of the calls that a message makes, and of those that it answers."""
    if form == "plain":
        is_turn = "calls" in message
        return ([one["id"] for one in message["calls"]], []) if is_turn else ([], [message["id"]])
    if form == "openai":
        asked = [one["id"] for one in message.get("tool_calls", ())]
        return asked, [message["tool_call_id"]] if message["role"] == "tool" else []
    blocks = message["content"]
    answered = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
    return [one["id"] for one in blocks if one["type"] == "tool_use"], answered
