"""The plain form: a turn is one line of JSON, `{"calls": [{"id", "name", "arguments"}]}`, and so is a result.

The shape of a turn is read strictly: what is not understood is refused with its place, never passed over. Arguments
are not part of the shape. They go on as the text they stand in, whether the model wrote an object, a string that holds
one, or something else, since it is the registry that answers bad arguments, with a result the model can read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NoReturn

import attrs

from trio_tools.values import JSONValue, ToolCall, ToolResult, to_json

# Characters of a key that a message shows. Enough to find it; a key can be as long as its line.
SHOWN_KEY = 60


class NotATurn(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A line that is not a turn. Its text says what is wrong and where: `calls[1].name must be a string`."""


@attrs.frozen
class _Span:
    """A value inside a text that is known to be JSON: where it begins and ends, and what it is called in a message."""

    text: str
    start: int
    end: int
    place: str

    @property
    def kind(self) -> str:
        kinds = {"{": "an object", "[": "an array", '"': "a string", "t": "a boolean", "f": "a boolean", "n": "null"}
        return kinds.get(self.text[self.start], "a number")

    @property
    def raw(self) -> str:
        return self.text[self.start : self.end]

    def must_be(self, kind: str) -> NotATurn:
        return NotATurn(f"{self.place} must be {kind}, not {self.kind}")

    def string(self) -> str:
        if self.kind != "a string":
            raise self.must_be("a string")
        value: str = json.loads(self.raw)
        return value


def _refuse_constant(name: str) -> NoReturn:
    raise NotATurn(f"not JSON: {name}")


# For finding where values end: numbers stay text, or one of 5,000 digits would be refused here and not by the registry.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
_END: Callable[[str, int], tuple[object, int]] = _DECODER.raw_decode
_SPACE = re.compile(r"[ \t\n\r]*")


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _whole(text: str) -> _Span:
    """The one value of a text. Raises `NotATurn` if it is not JSON, all through."""
    start = _past_space(text, 0)
    try:
        _, end = _END(text, start)
    except json.JSONDecodeError as error:
        raise NotATurn(f"not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise NotATurn("not readable: nested too deep") from None
    if (after := _past_space(text, end)) != len(text):
        raise NotATurn(f"not JSON: more text after the value, at character {after}")
    return _Span(text, start, end, "a turn")


def _members(whole: _Span, allowed: tuple[str, ...], prefix: str) -> dict[str, _Span]:
    """The members of an object by key. Raises `NotATurn` for a key that is not allowed, or stands twice."""
    if whole.kind != "an object":
        raise whole.must_be("an object")
    found: dict[str, _Span] = {}
    text, at = whole.text, _past_space(whole.text, whole.start + 1)
    while text[at] != "}":
        _, end = _END(text, at)
        key = _Span(text, at, end, "a key").string()
        start = _past_space(text, _past_space(text, end) + 1)  # past the colon
        _, end = _END(text, start)
        if key not in allowed:
            raise NotATurn(f"{whole.place} has an unknown key {_shown(key)}; known: {', '.join(allowed)}")
        if key in found:
            raise NotATurn(f"{whole.place} has the key {_shown(key)} more than once")
        found[key] = _Span(text, start, end, f"{prefix}{key}")
        at = _past_separator(text, end)
    return found


def _items(whole: _Span) -> Iterator[_Span]:
    """The items of an array, in order."""
    if whole.kind != "an array":
        raise whole.must_be("an array")
    text, at, count = whole.text, _past_space(whole.text, whole.start + 1), 0
    while text[at] != "]":
        _, end = _END(text, at)
        yield _Span(text, at, end, f"{whole.place}[{count}]")
        at, count = _past_separator(text, end), count + 1


def _past_separator(text: str, end: int) -> int:
    at = _past_space(text, end)
    return _past_space(text, at + 1) if text[at] == "," else at


def _shown(key: str) -> str:
    return json.dumps(key if len(key) <= SHOWN_KEY else key[:SHOWN_KEY] + "...")


def _call(item: _Span) -> ToolCall:
    members = _members(item, ("id", "name", "arguments"), f"{item.place}.")
    if "name" not in members:
        raise NotATurn(f"{item.place} has no name")
    name, own_id, arguments = members["name"].string(), members.get("id"), members.get("arguments")
    return ToolCall(
        name,
        "" if arguments is None else arguments.string() if arguments.kind == "a string" else arguments.raw,
        id=None if own_id is None or own_id.kind == "null" else own_id.string(),
    )


def read_turn(line: bytes | str) -> list[ToolCall]:
    """The calls of a turn, from its line.

    An `id` may repeat, be null or absent; `arguments` may be an object, its JSON text, null or absent, and anything
    else is left to the registry to refuse. Raises `NotATurn` for what is not UTF-8, not exactly one JSON value, or not
    of the form of a turn: keys that are unknown, missing or repeated, and values of another type.
    """
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        raise NotATurn(f"not UTF-8 at byte {error.start}") from None
    members = _members(_whole(text), ("calls",), "")
    if "calls" not in members:
        raise NotATurn("a turn has no calls")
    return [_call(item) for item in _items(members["calls"])]


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
