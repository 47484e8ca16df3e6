"""Odd calls and odd values: what models and tools come up with, for policies to be tried on."""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.testing.contracts._recorder_events import DEEP, ODD_TEXTS
from trio_tools.values import MAX_ARGUMENT_BYTES, Image, Json, Text, ToolCall

# Bytes of the largest text that is tried: what raw arguments may have, with room for the rest of them.
LARGE = MAX_ARGUMENT_BYTES - 1024


def odd_calls() -> Iterator[tuple[str, ToolCall]]:
    """Calls of stand-ins, each with what is odd about it. The names are odd, too."""
    yield "a call without arguments", ToolCall("ordinary")
    yield "a call with null for each argument", ToolCall("ordinary", {"path": None, "text": None, "command": None})
    yield "a call with a list where a text is usual", ToolCall("ordinary", {"path": [], "text": {}, "command": 1.5})
    yield "a call with an argument of no name", ToolCall("ordinary", {"": ""})
    yield "a call with raw arguments", ToolCall("ordinary", '{"path": "a", "number": 1e300}')
    yield "a call with many arguments", ToolCall("ordinary", {f"argument_{number}": number for number in range(500)})
    yield "a call with nearly 1 MiB of arguments", ToolCall("ordinary", {"text": "x" * LARGE})
    deep: object = {}
    for _ in range(DEEP):
        deep = [deep]
    yield "a call with arguments of many levels", ToolCall("ordinary", {"deep": deep})
    for text in ODD_TEXTS:
        call = ToolCall("ordinary", {"path": text, "text": text, "command": text})
        yield f"a call with {text[:20]!r} for each argument", call


def odd_values() -> Iterator[tuple[str, object]]:
    """Values that a tool may come to, each with what is odd about it."""
    yield "no value", None
    yield "a number", 1.5
    yield "true", True
    yield "an empty list", []
    yield "an object", {"a": [1, None, {"b": "c"}], "": ""}
    yield "content of several kinds", (Text("of text"), Image("iVBORw0KGgo=", "image/png"), Json({"a": 1}))
    yield "1 MiB of text", "x" * MAX_ARGUMENT_BYTES
    for text in ODD_TEXTS:
        yield f"the text {text[:20]!r}", text
