"""The regular expressions of `grep`: what ripgrep and Python both can do, and mean the same by.

An expression is read here and by nobody else; what either engine is given is written from what was read. So a piece
that they would read differently is refused or settled here, and told of by name.
"""

from __future__ import annotations

import sys
from string import hexdigits
from typing import NoReturn

import attrs

from trio_tools.toolkits.files._characters import ANY, CLASSES, Characters, complement, folded, joined
from trio_tools.toolkits.files._nodes import Char, Edge, Either, Node, Repeat, Row, size

# Groups within groups. Nobody reads more; bounds the depth of whatever walks the expression.
MAX_NESTING = 40
# What a repetition may be told to repeat at most, and what an expression may come to when its repetitions are written
# out: bounds the memory that either engine compiles it to.
MAX_SIZE = 1_000

_CONTROLS = {"t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_GROUPS = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
    "(?P=": "a reference back",
    "(?P<": "a group with a name",
    "(?<": "a group with a name",
    "(?>": "an atomic group",
    "(?(": "a condition",
    "(?#": "a comment",
}
# Where both ends of a text or a word are meant, each engine by other letters.
_ANCHORS = {"A": "^", "Z": "$", "z": "$", "B": "\\b", "<": "< or \\b", ">": "> or \\b", "G": "^"}


def parse(pattern: str) -> Node:
    """Read an expression. Raises `ValueError`, saying which piece is wrong and what to write instead."""
    ignore_case = pattern.startswith("(?i)")
    reader = _Reader(pattern, at=4 if ignore_case else 0, ignore_case=ignore_case)
    node = reader.either(0)
    if reader.at < len(pattern):
        raise ValueError("a ) closes nothing. For the character itself write \\)")
    if size(node) > MAX_SIZE:
        raise ValueError(f"written out, its repetitions come to more than {MAX_SIZE:,} characters. Repeat less")
    return node


@attrs.define
class _Reader:
    pattern: str
    at: int
    ignore_case: bool

    def _next(self, count: int = 1) -> str:
        return self.pattern[self.at : self.at + count]

    def either(self, depth: int) -> Node:
        """What stands between two brackets, or the whole."""
        if depth > MAX_NESTING:
            raise ValueError(f"its groups are nested more than {MAX_NESTING} deep")
        options = [self._row(depth)]
        while self._next() == "|":
            self.at += 1
            options.append(self._row(depth))
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _row(self, depth: int) -> Node:
        items: list[Node] = []
        while self._next() not in ("", "|", ")"):
            items.append(self._repeated(self._item(depth)))
        return items[0] if len(items) == 1 else Row(tuple(items))

    def _item(self, depth: int) -> Node:
        character = self._next()
        self.at += 1
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case ".":
                return Char(ANY)
            case "^" | "$":
                return Edge(character)
            case "*" | "+" | "?":
                raise ValueError(
                    f"there is nothing for {character} to repeat. For the character itself write \\{character}"
                )
            case _:
                return self._characters(joined([(ord(character), ord(character))]), character)

    def _characters(self, characters: Characters, piece: str) -> Char:
        if not characters:
            raise ValueError(f"{piece!a} is not in any line of text: lines are searched one by one, without their ends")
        return Char(folded(characters) if self.ignore_case else characters)

    def _group(self, depth: int) -> Node:
        if self._next() == "?":
            if self._next(2) != "?:":
                self._refuse_group()
            self.at += 2
        node = self.either(depth + 1)
        if self._next() != ")":
            raise ValueError("a ( is never closed. For the character itself write \\(")
        self.at += 1
        return node

    def _refuse_group(self) -> NoReturn:
        opening = self.pattern[self.at - 1 : self.at + 3]
        for start, what in _GROUPS.items():
            if opening.startswith(start):
                raise ValueError(f"{start} opens {what}, which is not known here. Plain groups are ( ) and (?: )")
        raise ValueError(f"{opening} is not known here, except for (?i) at the very beginning. Plain groups are ( )")

    def _repeated(self, item: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return item
        least, most = bounds
        if isinstance(item, Edge):
            raise ValueError("a beginning or an end cannot be repeated. For ^ and $ themselves write \\^ and \\$")
        if most is not None and least > most:
            raise ValueError(f"{{{least},{most}}} runs backwards")
        if max(least, most or 0) > MAX_SIZE:
            raise ValueError(f"it repeats something more than {MAX_SIZE:,} times. Repeat less")
        if self._next() == "?":  # lazy: other spans, the same lines
            self.at += 1
        if self._next() in ("*", "+", "?") or self._braces() is not None:
            raise ValueError(f"a repetition is followed by another, {self._next()}. Put a group round the first one")
        return Repeat(item, least, most)

    def _bounds(self) -> tuple[int, int | None] | None:
        """The repetition that stands here, if one does."""
        character = self._next()
        if character in ("*", "+", "?"):
            self.at += 1
            return int(character == "+"), 1 if character == "?" else None
        braces = self._braces()
        if braces is None:  # a brace that repeats nothing is itself: code is full of them
            return None
        self.at += len(braces) + 2
        least, comma, most = braces.partition(",")
        return int(least or 0), int(most) if most else None if comma else int(least)

    def _braces(self) -> str | None:
        """What a repetition in braces says: `3`, `3,` or `3,5` or `,5`."""
        if self._next() != "{":
            return None
        inside = self.pattern[self.at + 1 : self.pattern.find("}", self.at)]
        least, comma, most = inside.partition(",")
        digits = [part for part in (least, most) if part]
        good = bool(digits) and len(inside) <= 9 and all(part.isascii() and part.isdigit() for part in digits)
        return inside if good and (least or comma) else None

    def _escape(self) -> Node:
        letter = self._next()
        if letter == "b":
            self.at += 1
            return Edge("b")
        if letter in _ANCHORS and letter:
            raise ValueError(f"\\{letter} is not known here. Write {_ANCHORS[letter]}")
        if letter in CLASSES and letter:
            self.at += 1
            return Char(CLASSES[letter])
        code = self._code()
        return self._characters(joined([(code, code)]), chr(code))

    def _code(self) -> int:
        """The code point that an escape stands for, read behind its backslash."""
        letter = self._next()
        self.at += 1
        if not letter:
            raise ValueError("it ends in a backslash. For a backslash itself write two")
        if letter in _HEX_DIGITS:
            return self._hex(letter, _HEX_DIGITS[letter])
        if letter in _CONTROLS:
            return ord(_CONTROLS[letter])
        if letter in "nr":
            raise ValueError(f"\\{letter} is in no line: lines are searched one by one, without their ends")
        if letter.isdigit():
            raise ValueError(f"\\{letter} is a reference back, which is not known here")
        if letter.isalpha():
            raise ValueError(f"\\{letter} is not known here. For the letter itself write {letter}")
        return ord(letter)

    def _hex(self, letter: str, count: int) -> int:
        digits = self._next(count)
        self.at += count
        code = int(digits, 16) if len(digits) == count and all(digit in hexdigits for digit in digits) else -1
        if not 0 <= code <= sys.maxunicode:
            raise ValueError(f"\\{letter}{digits} is not a character: it takes {count} hexadecimal digits")
        return code

    def _class(self) -> Node:
        """The class whose bracket has just been read."""
        start = self.at
        negated = self._next() == "^"
        self.at += negated
        ranges: list[tuple[int, int]] = []
        while self._next() != "]":
            self._refuse_in_class()
            low = self._member()
            if isinstance(low, tuple):
                ranges.extend(low)
            elif self._next() == "-" and self._next(2) != "-]":
                self.at += 1
                high = self._member()
                if isinstance(high, tuple) or high < low:
                    raise ValueError(f"[{self.pattern[start : self.at]} has a range that does not run from low to high")
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        if not ranges:
            raise ValueError("[] is an empty class. For ] itself write \\], in a class too")
        self.at += 1
        characters = joined(ranges)
        if self.ignore_case:
            characters = folded(characters)
        return Char(complement(characters)) if negated else self._characters(characters, self.pattern[start : self.at])

    def _refuse_in_class(self) -> None:
        character = self._next()
        if not character:
            raise ValueError("a [ is never closed. For the character itself write \\[")
        if character == "[":
            raise ValueError("a [ stands in a class. For the character itself write \\[; [:alpha:] is not known here")
        if self._next(2) in ("&&", "||", "~~", "--"):
            raise ValueError(f"{self._next(2)} stands in a class. For the character itself write it once, with a \\")

    def _member(self) -> int | Characters:
        """A character of a class, or a class in it."""
        character = self._next()
        self.at += 1
        if character != "\\":
            if not character:
                raise ValueError("a [ is never closed. For the character itself write \\[")
            return ord(character)
        if self._next() in CLASSES and self._next():
            self.at += 1
            return CLASSES[self.pattern[self.at - 1]]
        if self._next() == "b":
            raise ValueError("\\b stands in a class. For a backspace write \\x08")
        return self._code()
