"""JSON text that is looked into and not rewritten: where each value in it begins and ends, and where it stands.

So a part of a line can go on as the very text it stands in: numbers keep their digits, and repeated keys stay to be
found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import NoReturn

import attrs

# Characters of a key, or of a name, that a message shows. Enough to find it; it can be as long as its line.
SHOWN = 60
# What a whole line, or a whole file, is called in a message. Its members are called by their keys alone.
_TURN, TRANSCRIPT = "a turn", "the transcript"


class NotATurn(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A line that is not a turn. Its text says what is wrong and where: `calls[1].name must be a string`.

    `form` is the form that the line is in, or was to be in; None if that cannot be told.
    """

    def __init__(self, message: str, *, form: str | None = None) -> None:
        super().__init__(message)
        self.form = form


# The JSON type of a value by its first character.
_KINDS = {"{": "an object", "[": "an array", '"': "a string", "t": "a boolean", "f": "a boolean", "n": "null"}


@attrs.frozen
class Span:
    """A value inside a text that is known to be JSON: where it begins and ends, and what it is called in a message."""

    text: str
    start: int
    end: int
    place: str

    @property
    def kind(self) -> str:
        """Its JSON type, in words."""
        return _KINDS.get(self.text[self.start], "a number")

    @property
    def raw(self) -> str:
        """The text it stands in."""
        return self.text[self.start : self.end]

    def must_be(self, kind: str) -> NotATurn:
        """The error of a value that is of another kind."""
        return NotATurn(f"{self.place} must be {kind}, not {self.kind}")

    def string(self) -> str:
        """The string it is. Raises `NotATurn` if it is none."""
        if self.kind != "a string":
            raise self.must_be("a string")
        value: str = json.loads(self.raw)
        return value

    def entries(self) -> tuple[tuple[str, Span], ...]:
        """The members of an object with their keys, in order, repeated ones too. Raises `NotATurn` if it is none."""
        if self.kind != "an object":
            raise self.must_be("an object")
        return self._entries

    @cached_property
    def _entries(self) -> tuple[tuple[str, Span], ...]:
        # kept: the form of a turn is told by the same members that are read then
        found: list[tuple[str, Span]] = []
        prefix = "" if self.place in {_TURN, TRANSCRIPT} else f"{self.place}."
        text, at = self.text, _past_space(self.text, self.start + 1)
        while text[at] != "}":
            key, end = _KEY(text, at)
            start = _past(_COLON, text, end)
            _, end = _END(text, start)
            found.append((key, Span(text, start, end, f"{prefix}{key}")))
            at = _past(_COMMA, text, end)
        return tuple(found)

    def members(self, *known: str) -> dict[str, Span]:
        """The members of an object that has no others. Raises `NotATurn` for a key that is unknown, or repeated."""
        found: dict[str, Span] = {}
        for key, value in self.entries():
            if key not in known:
                raise NotATurn(f"{self.place} has an unknown key {shown(key)}; known: {', '.join(known)}")
            self._keep(found, key, value)
        return found

    def some(self, *keys: str) -> dict[str, Span]:
        """Some members of an object that may have others. Raises `NotATurn` if one of these is repeated."""
        found: dict[str, Span] = {}
        for key, value in self.entries():
            if key in keys:
                self._keep(found, key, value)
        return found

    def needed(self, members: dict[str, Span], key: str) -> Span:
        """One of its members. Raises `NotATurn` if it is not there."""
        if key not in members:
            raise NotATurn(f"{self.place} has no {key}")
        return members[key]

    def items(self) -> tuple[Span, ...]:
        """The items of an array, in order. Raises `NotATurn` if it is none."""
        if self.kind != "an array":
            raise self.must_be("an array")
        return self._items

    @cached_property
    def _items(self) -> tuple[Span, ...]:
        found: list[Span] = []
        text, at = self.text, _past_space(self.text, self.start + 1)
        while text[at] != "]":
            _, end = _END(text, at)
            found.append(Span(text, at, end, f"{self.place}[{len(found)}]"))
            at = _past(_COMMA, text, end)
        return tuple(found)

    def _keep(self, found: dict[str, Span], key: str, value: Span) -> None:
        if key in found:
            raise NotATurn(f"{self.place} has the key {shown(key)} more than once")
        found[key] = value


def whole(line: bytes | str) -> Span:
    """The one value of a line. Raises `NotATurn` if it is not UTF-8, or not JSON all through, and `RecursionError` if
    it is nested deeper than Python reads."""
    try:
        text = line if isinstance(line, str) else line.decode()
    except UnicodeDecodeError as error:
        raise NotATurn(f"not UTF-8 at byte {error.start}") from None
    start = _past_space(text, 0)
    try:
        _, end = _END(text, start)
    except json.JSONDecodeError as error:
        raise NotATurn(f"not JSON: {error.msg} at character {error.pos}") from None
    if (after := _past_space(text, end)) != len(text):
        raise NotATurn(f"not JSON: more text after the value, at character {after}")
    return Span(text, start, end, _TURN)


def shown(text: str) -> str:
    """What others wrote, quoted, escaped and cut, for a message."""
    return json.dumps(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def _refuse_constant(name: str) -> NoReturn:
    raise NotATurn(f"not JSON: {name}")


# For finding where values end: numbers stay text, or one of 5,000 digits would be refused here and not by the registry.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)
_END: Callable[[str, int], tuple[object, int]] = _DECODER.raw_decode
_KEY: Callable[[str, int], tuple[str, int]] = _DECODER.raw_decode  # where a string is known to stand
_SPACE = re.compile(r"[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")


def _past(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    return at if found is None else found.end()


def _past_space(text: str, at: int) -> int:
    return _past(_SPACE, text, at)
