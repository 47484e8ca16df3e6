"""Two conversations in the wire shape of each API, written by hand, one message a line; and a registry that gives
their results again."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

from trio_tools import Image, Registry, Text, Tool, ToolContext, ToolError, open_registry
from trio_tools.formats import read_turn

Message: TypeAlias = dict[str, Any]
FORMS = ("openai", "anthropic")


def lines_of(form: str) -> list[str]:
    """The lines of a conversation."""
    path = Path(__file__).parent / "transcripts" / f"{form}.jsonl"
    return path.read_text(encoding="utf-8").splitlines()


def recorded_answers(form: str) -> list[Message]:
    """The messages in it that answer calls."""
    messages: list[Message] = [json.loads(line) for line in lines_of(form)]
    if form == "openai":
        return [one for one in messages if one.get("role") == "tool"]
    return [one for one in messages if _results_in(one)]


def _results_in(message: Message) -> list[Message]:
    content: str | list[Message] = message["content"]
    return [] if isinstance(content, str) else [block for block in content if block["type"] == "tool_result"]


def _recorded(form: str) -> dict[str, tuple[tuple[Text | Image, ...], bool]]:
    """What each call came to by its id, and whether it failed."""
    answers = recorded_answers(form)
    if form == "openai":
        return {one["tool_call_id"]: ((Text(one["content"]),), one["content"].startswith("Error: ")) for one in answers}
    return {
        one["tool_use_id"]: (tuple(map(_block, one.get("content", ()))), one.get("is_error", False))
        for message in answers
        for one in _results_in(message)
    }


def _block(block: Message) -> Text | Image:
    if block["type"] == "text":
        return Text(block["text"])
    return Image(block["source"]["data"], block["source"]["media_type"])


@asynccontextmanager
async def replaying(form: str) -> AsyncGenerator[Registry]:
    """A registry of all tools that a conversation calls, each giving back what was recorded for the call.

    **Cancellation**: as `open_registry`.
    """
    recorded = _recorded(form)

    async def replay(ctx: ToolContext, **_: object) -> str | tuple[Text | Image, ...]:
        assert ctx.call.id is not None
        content, failed = recorded[ctx.call.id]
        if failed:
            (said,) = content
            assert isinstance(said, Text)
            raise ToolError(said.text.removeprefix("Error: "))
        return content or ""  # an empty tuple is an empty array

    names = {call.name for line in lines_of(form) for call in read_turn(line).calls}
    async with open_registry() as registry:
        for name in names:
            registry.register(Tool(name=name, description="Recorded.", parameters={"type": "object"}, body=replay))
        yield registry
