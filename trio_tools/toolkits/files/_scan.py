"""The lines of one file that match, read in blocks, whatever their length.

A line is what a line feed ends, and a carriage return before that. A lone carriage return ends a line too, as `read`
counts: what an expression's `^`, `$` and `.` see, and the numbers told, go by that; but of what lies between two line
feeds, which is what ripgrep takes for a line, only the first line that matches is found.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator

import attrs

from trio_tools.toolkits.files._automaton import END
from trio_tools.toolkits.files._expression import Expression
from trio_tools.toolkits.files._found import MAX_SHOWN_BYTES, Found
from trio_tools.toolkits.files._text import NotText

# Bytes read at once: nearly every source file in one go, and some milliseconds of work between two looks at whether
# the call was cancelled.
BLOCK_BYTES = 131_072
# Bytes of a line from which on it is not held any more, but searched piece by piece.
LONG_LINE_BYTES = 1_048_576
# Characters kept of a line to be shown: one byte each at least, one that may be a byte order mark,
# and one to tell that there are more.
_KEPT_CHARS = MAX_SHOWN_BYTES + 2


def scan(descriptor: int, expression: Expression, step: Callable[[], None]) -> Found:
    """Search an open file to its end. `step` is called before each block.

    Raises `NotText` for a NUL anywhere in it, as binary files have; `OSError`; and what `step` raises.
    """
    found = _Scan(expression)
    for data in _blocks(descriptor, step):
        found.take(data)
    found.finish()
    return found.found


def _blocks(descriptor: int, step: Callable[[], None]) -> Iterator[bytes]:
    while True:
        step()
        data = os.read(descriptor, BLOCK_BYTES)
        if not data:
            return
        if b"\0" in data:
            raise NotText("there is a NUL byte in it, as in a binary file")
        yield data


@attrs.define
class _Scan:
    """A file on its way: the beginning of a line that is not whole yet, as bytes or, if it is long, as a search."""

    expression: Expression
    found: Found = attrs.field(factory=Found)
    line: int = 1  # the number of the first line that was not looked at yet
    rest: bytearray = attrs.field(factory=bytearray)
    long: LongLine | None = None

    def take(self, data: bytes) -> None:
        """Look at what comes next."""
        if self.long is not None:
            end = data.find(b"\n")
            self.long.feed(data if end < 0 else data[:end])
            if end < 0:
                return
            self.end_long(ended=True)
            data = data[end + 1 :]
        end = data.rfind(b"\n") + 1
        if end:
            self.search(bytes(self.rest) + data[:end] if self.rest else data[:end])
            self.rest.clear()
        self.rest += data[end:]
        if len(self.rest) > LONG_LINE_BYTES:
            self.long = LongLine(self.expression)
            self.long.feed(bytes(self.rest))
            self.rest.clear()

    def finish(self) -> None:
        """Look at a last line without an end."""
        if self.long is not None:
            self.end_long(ended=False)
        if self.rest:
            self.search(bytes(self.rest))

    def end_long(self, *, ended: bool) -> None:
        long, self.long = self.long, None
        if long is not None:
            long.finish(ended=ended)
            if long.matches:
                self.found.add(self.line + long.number, long.head)
            self.line += long.returns + ended

    def search(self, block: bytes) -> None:
        """Look at whole lines."""
        if self.expression.literal:
            self.search_literal(block)
        else:
            self.search_all(block)

    def search_literal(self, block: bytes) -> None:
        """Only lines with the bytes that each match holds can match."""
        literal, done, number = self.expression.literal, 0, self.line
        at = block.find(literal)
        while at >= 0:
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            end = len(block) if end < 0 else end + 1
            line = _stripped(block[start:end].decode(errors="surrogateescape"))
            place = self.expression.find(line)
            if place >= 0:
                number += _ends(block[done:start])
                done = start
                self.add(number, line, place)
            at = block.find(literal, end)
        self.line = number + _ends(block[done:])

    def search_all(self, block: bytes) -> None:
        number, find = self.line, self.expression.find
        text = block.decode(errors="surrogateescape")
        returns = "\r" in text
        if returns:
            text = text.replace("\r\n", "\n")
        for line in text.split("\n")[: -1 if text.endswith("\n") else None]:
            place = find(line)
            if place >= 0:
                self.add(number, line, place)
            number += 1 + line.count("\r") if returns else 1
        self.line += _ends(block)

    def add(self, number: int, line: str, place: int) -> None:
        """Take in what lies between two line feeds, the first of which bears this number, and matches at a place."""
        start = line.rfind("\r", 0, place) + 1
        self.found.add(number + line.count("\r", 0, start), line[start:].partition("\r")[0])


def _stripped(line: str) -> str:
    """A line without the line feed that ends it, and the carriage return before that."""
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _ends(data: bytes) -> int:
    """How many line ends there are, a carriage return and a line feed counted once."""
    ends = data.count(b"\n")
    return ends if b"\r" not in data else ends + data.count(b"\r") - data.count(b"\r\n")


class LongLine:
    """A line that comes in pieces: whether it matches, and what is needed to show it.

    Attributes: `matches`; `head`, the beginning of the line to show; `number`, how many lone carriage returns lie
    before that; `returns`, how many there are at all.
    """

    def __init__(self, expression: Expression) -> None:
        self._automaton = expression.automaton
        self._place = self._automaton.begin()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._held = ""  # a carriage return that may belong to the line's end
        self._settled = False  # whether `head` is what will be shown
        self.matches = False
        self.head = ""
        self.number = self.returns = 0

    def feed(self, data: bytes, *, final: bool = False) -> None:
        text = self._held + self._decoder.decode(data, final)
        self._held = "\r" if text.endswith("\r") else ""
        self._feed(text[: len(text) - len(self._held)])

    def finish(self, *, ended: bool) -> None:
        """The line is over, by a line feed or by the file's end."""
        self.feed(b"", final=True)
        if self._held and not ended:
            self._return()
        self._go(END)

    def _feed(self, text: str) -> None:
        first, *others = text.split("\r")
        self._part(first)
        for part in others:
            self._return()
            self._part(part)

    def _part(self, text: str) -> None:
        if not self.matches:
            self._place, at = self._automaton.run(self._place, text)
            self.matches = at >= 0
        if not self._settled and len(self.head) < _KEPT_CHARS:
            self.head += text[: _KEPT_CHARS - len(self.head)]

    def _return(self) -> None:
        self._go("\r")
        self.returns += 1
        self._settled = self.matches
        if not self._settled:
            self.head = ""
            self.number = self.returns

    def _go(self, character: str) -> None:
        if not self.matches:
            self._place = self._place[character]
            self.matches = self._place is self._automaton.there
