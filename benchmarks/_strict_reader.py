"""The rules of argument text, told a second time: a plain, slow reader that shares no code with what it judges.

It follows RFC 8259 token by token and keeps its own stack, and it does not use `json`. `read` gives the object that a
text stands for, or the rule by which the text is refused.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

Plain: TypeAlias = "dict[str, object]"

# The rules' own numbers (D28), written out so that a change of the package's is noticed.
MOST_BYTES = 1_048_576  # bytes of UTF-8: one MiB
MOST_LEVELS = 200  # levels of arrays and objects, the outermost being one
MOST_DIGITS = 4_300  # decimal digits of an integer, as many as CPython turns to text and back
MOST_VALUES = 12_000  # values at any depth, the outermost object being one; more would hold up the event loop
MOST_CONTAINERS = 6_000  # arrays and objects among them, which cost more than others

_SPACE = re.compile(r"[ \t\n\r]*")
_BLANKS = frozenset(" \t\n\r")
_STRING = re.compile(r'"([^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+)"')
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}


class Refused(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """A text that is not one unambiguous object, and why."""


def read(text: str) -> Plain:
    """The object that a text stands for. Raises `Refused`."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Refused("raw surrogate") from None
    if size > MOST_BYTES:
        raise Refused("size")
    if not text.strip(" \t\n\r"):
        return {}
    value = _Reader(text).document()
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused("not an object")
    return value  # pyright: ignore[reportUnknownVariableType]


class _Reader:
    """One text, and how far it is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values = 0
        self.containers = 0
        self.open: list[dict[str, object] | list[object]] = []
        self.keys: list[str] = []  # of the objects that are open, the one whose value is read
        self.is_due = False  # a value has to follow
        self.done: list[object] = []  # the outermost value, once it is read

    def document(self) -> object:
        self.space()
        self.begin()
        while self.open:
            self.go_on()
        self.space()
        if self.at != len(self.text):
            raise Refused("trailing text")
        return self.done[0]

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def next(self) -> str:
        if self.text[self.at : self.at + 1] in _BLANKS:
            self.space()
        return self.text[self.at : self.at + 1]

    def begin(self) -> None:
        """Read a scalar, or enter a container."""
        self.is_due = False
        self.values += 1
        if self.values > MOST_VALUES:
            raise Refused("values")
        opening = self.next()
        if opening not in ("[", "{"):
            self.put(self.scalar(opening))
            return
        self.at += 1
        self.containers += 1
        if len(self.open) >= MOST_LEVELS:
            raise Refused("depth")
        if self.containers > MOST_CONTAINERS:
            raise Refused("containers")
        self.open.append([] if opening == "[" else {})
        if self.next() == ("]" if opening == "[" else "}"):
            self.close()
            return
        if opening == "{":
            self.key()
        self.is_due = True

    def go_on(self) -> None:
        """Take one more step inside the innermost container; so no text is too deep for this reader itself."""
        if self.is_due:
            self.begin()
            return
        mark, inner = self.next(), self.open[-1]
        if mark == ("]" if isinstance(inner, list) else "}"):
            self.close()
        elif mark == ",":
            self.at += 1
            if isinstance(inner, dict):
                self.key()
            self.is_due = True
        else:
            raise Refused("syntax")

    def key(self) -> None:
        if self.next() != '"':
            raise Refused("syntax")
        key, inner = self.string(), self.open[-1]
        if key in inner:
            raise Refused("repeated key")
        if self.next() != ":":
            raise Refused("syntax")
        self.at += 1
        self.keys.append(key)
        assert isinstance(inner, dict)
        inner[key] = None  # until its value is read; so its place and its being there are known

    def close(self) -> None:
        self.at += 1
        self.put(self.open.pop())

    def put(self, value: object) -> None:
        if not self.open:
            self.done.append(value)
            return
        inner = self.open[-1]
        if isinstance(inner, list):
            inner.append(value)
        else:
            inner[self.keys.pop()] = value

    def scalar(self, opening: str) -> object:
        if opening == '"':
            return self.string()
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            return _number(number[1], number[2], number[3])
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        raise Refused("syntax")

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise Refused("syntax")
        self.at = found.end()
        if "\\" not in found[1]:
            return found[1]
        units = _ESCAPE.sub(_unescaped, found[1])
        # halves that stand side by side are one character, others none at all
        try:
            return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be")
        except UnicodeDecodeError:
            raise Refused("surrogate") from None


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _SHORT.get(found[2], found[2])


def _number(whole: str, fraction: str | None, exponent: str | None) -> object:
    if fraction is None and exponent is None:
        if len(whole.lstrip("-")) > MOST_DIGITS:
            raise Refused("digits")
        return int(whole)
    number = float(whole + (fraction or "") + (exponent or ""))
    if not math.isfinite(number):
        raise Refused("not finite")
    return number


def same(one: object, other: object) -> bool:
    """Equal in value and in JSON's type, down to 1, 1.0 and true, and to the sign of a zero."""
    left = [(one, other)]
    while left:
        one, other = left.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            mine: Plain = one  # pyright: ignore[reportUnknownVariableType]
            theirs: Plain = other  # pyright: ignore[reportUnknownVariableType]
            if list(mine) != list(theirs):
                return False
            left += zip(mine.values(), theirs.values(), strict=True)
        elif isinstance(one, list) and isinstance(other, list):
            here: list[object] = one  # pyright: ignore[reportUnknownVariableType]
            there: list[object] = other  # pyright: ignore[reportUnknownVariableType]
            if len(here) != len(there):
                return False
            left += zip(here, there, strict=True)
        elif not _same_scalar(one, other):  # pyright: ignore[reportUnknownArgumentType]
            return False
    return True


def _same_scalar(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other and (one != 0 or repr(one) == repr(other))
