"""Conversations drawn at random, and then damaged as crashes, cancels, trimming and bad clients damage them."""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

from hypothesis import strategies as st

Message: TypeAlias = dict[str, Any]

NAMES = st.sampled_from(["read", "write", "bash"])


@st.composite
def conversations(draw: st.DrawFn, form: str) -> list[Message]:
    """One that is balanced: its ids are 0, 1, 2, and each result says which call it is of."""
    made: list[Message] = []
    count = 0
    for _ in range(draw(st.integers(0, 4))):
        if form != "plain" and draw(st.booleans()):
            made.append({"role": "user", "content": draw(st.sampled_from(["go on", "why?"])), "x-kept": [count, 1.5]})
        names = draw(st.lists(NAMES, min_size=1, max_size=3))
        calls = [(f"id{count + at}", name) for at, name in enumerate(names)]
        count += len(calls)
        made += _turn(form, calls, draw(st.booleans()))
    return made


def _turn(form: str, calls: list[tuple[str, str]], failing: bool) -> list[Message]:
    texts = [f"{'Error: ' if failing else ''}what {own_id} came to" for own_id, _ in calls]
    if form == "plain":
        asked: list[Message] = [{"id": own_id, "name": name, "arguments": {}} for own_id, name in calls]
        told = zip(calls, texts, strict=True)
        return [{"calls": asked}, *({"id": own_id, "tool": name, "text": said} for (own_id, name), said in told)]
    if form == "openai":
        listed = [{"id": own_id, "type": "function", "function": {"name": name}} for own_id, name in calls]
        answers = [
            {"role": "tool", "tool_call_id": own_id, "content": said}
            for (own_id, _), said in zip(calls, texts, strict=True)
        ]
        return [{"role": "assistant", "content": None, "tool_calls": listed}, *answers]
    blocks = [{"type": "tool_use", "id": own_id, "name": name, "input": {"n": 1}} for own_id, name in calls]
    thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "so"}]
    results: list[Message] = [
        {"type": "tool_result", "tool_use_id": own_id, "content": said}
        for (own_id, _), said in zip(calls, texts, strict=True)
    ]
    user = {"role": "user", "content": [*results, *([{"type": "text", "text": "and"}] if failing else [])]}
    return [{"role": "assistant", "content": [*thinking, *blocks]}, user]


@st.composite
def damaged(draw: st.DrawFn, form: str) -> list[Message]:
    """One that something has happened to, up to five times."""
    messages = draw(conversations(form))
    for _ in range(draw(st.integers(0, 5))):
        if messages:
            _damage(draw, messages, form)
    return messages


def _damage(draw: st.DrawFn, messages: list[Message], form: str) -> None:
    at = draw(st.integers(0, len(messages) - 1))
    to = draw(st.integers(0, len(messages) - 1))
    match draw(st.sampled_from(["lose", "repeat", "move", "rename", "rename", "say", "inside"])):
        case "lose":
            del messages[at]
        case "repeat":
            messages.insert(to, copy.deepcopy(messages[at]))
        case "move":
            messages.insert(to, messages.pop(at))
        case "rename":
            _rename(draw, draw(st.sampled_from(parts_of(messages[at], form) or [{}])), form)
        case "say" if form != "plain":
            empty: Message = {"role": "assistant", "content": draw(st.sampled_from([None, "", []]))}
            messages.insert(at, draw(st.sampled_from([empty, {"role": "user", "content": "wait"}])))
        case _:
            if form == "anthropic" and (blocks := blocks_of(messages[at])):
                _damage_blocks(draw, blocks)


def _damage_blocks(draw: st.DrawFn, blocks: list[Message]) -> None:
    at, to = (draw(st.integers(0, len(blocks) - 1)) for _ in range(2))
    match draw(st.sampled_from(["lose", "repeat", "move"])):
        case "lose":
            del blocks[at]
        case "repeat":
            blocks.insert(to, copy.deepcopy(blocks[at]))
        case _:
            blocks.insert(to, blocks.pop(at))


def _rename(draw: st.DrawFn, part: Message, form: str) -> None:
    keys = [key for key in ("id", "tool_call_id", "tool_use_id") if key in part]
    nothing = [""] if form != "plain" else list[str]()
    is_other = draw(st.booleans())
    if keys and is_other:
        part[keys[0]] = draw(st.sampled_from(["id0", "id1", "id2", "id9", None, *nothing]))
    elif keys:
        del part[keys[0]]
    if form == "plain" and "tool" in part:
        part.setdefault("id", None)


def blocks_of(message: Message) -> list[Message]:
    """The very blocks that a message's content is made of."""
    content: list[Message] = message["content"] if isinstance(message.get("content"), list) else list[Message]()
    return content


def parts_of(message: Message, form: str) -> list[Message]:
    """The calls and results in a message."""
    if form == "anthropic":
        return [one for one in blocks_of(message) if "tool_" in one["type"]]
    if "tool_call_id" in message or message.get("role") == "tool" or "tool" in message:
        return [message]
    return [*(message.get("tool_calls") or []), *(message.get("calls") or [])]


def is_result(part: Message) -> bool:
    """Whether a part is a result."""
    return part.get("role") == "tool" or part.get("type") == "tool_result" or "tool" in part
