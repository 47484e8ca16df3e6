"""An expression of `grep`, ready for either engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

import attrs

from trio_tools.toolkits.files._automaton import Automaton, automaton
from trio_tools.toolkits.files._characters import Characters, complement, joined, overlap
from trio_tools.toolkits.files._nodes import Char, Edge, Either, Node, Repeat, Row
from trio_tools.toolkits.files._syntax import parse

# Steps that `re` may take over one line at the very worst: some tenths of a second, for which it holds Python's lock
# and cannot be interrupted. A line that could take more is matched by the automaton.
MAX_STEPS = 20_000_000
# Repetitions within which ways are counted; more of them come to more than any line allows.
MAX_POWER = 20


@attrs.frozen
class Expression:
    """A regular expression, read and checked. For one thread at a time. Make one with `compile_expression`.

    Attributes:
        ripgrep: How it is written for ripgrep.
        literal: Bytes that are in every line that matches; empty if there are none to tell.
        longest: Characters of a line up to which `plain` is surely quick.
        plain: The expression as Python's own.
        automaton: The expression for any line, long ones too.
    """

    ripgrep: str
    literal: bytes
    longest: int
    plain: re.Pattern[str]
    automaton: Automaton

    def find(self, line: str) -> int:
        """A place in the match that comes first; -1 if the line does not match."""
        if len(line) > self.longest:
            return self.automaton.find(line)
        found = self.plain.search(line)
        return -1 if found is None else found.start()


def compile_expression(pattern: str) -> Expression:
    """Read an expression. Raises `ValueError`, saying which piece is wrong and what to write instead."""
    node = parse(pattern)
    return Expression(
        ripgrep=_for_ripgrep(node),
        literal=max(_literals(node), key=len).encode(),
        longest=_longest(node),
        plain=re.compile(_for_python(node), re.ASCII),
        automaton=automaton(node),
    )


def _for_ripgrep(node: Node) -> str:
    match node:
        case Char(((low, high),)) if low == high:
            return chr(low) if chr(low).isalnum() and low < 128 else f"\\x{{{low:x}}}"
        case Char(characters):
            return "[" + "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in characters) + "]"
        case Edge(kind):
            return {"^": "(?:^\\x{feff}?)", "$": "$", "b": "(?-u:\\b)"}[kind]
        case Row(items):
            return "".join(map(_for_ripgrep, items))
        case Either(options):
            return f"(?:{'|'.join(map(_for_ripgrep, options))})"
        case Repeat(item, least, most):
            return f"(?:{_for_ripgrep(item)}){_bounds(least, most)}"


def _for_python(node: Node) -> str:
    match node:
        case Char(((low, high),)) if low == high:
            return re.escape(chr(low))
        case Char(characters):
            return _set(characters)
        case Edge(kind):  # a line may hold lone carriage returns, which end a line as well
            return {"^": "(?<![^\\r])\\ufeff?", "$": "(?![^\\r])", "b": "\\b"}[kind]
        case Row(items):
            return "".join(map(_for_python, items))
        case Either(options):
            return f"(?:{'|'.join(map(_for_python, options))})"
        case Repeat(item, least, most):
            return f"(?:{_for_python(item)}){_bounds(least, most)}"


def _set(characters: Characters) -> str:
    """As what it leaves out where that is quicker: Python compares one range after the other."""
    negated = characters[-1][1] > 0xFFFF
    if negated:
        kept = complement(characters)
        characters = ((0x00, 0x00), (0x0A, 0x0A), (0x0D, 0x0D), (0xD800, 0xDFFF), *kept)
    ranges = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in characters)
    return f"[{'^' if negated else ''}{ranges}]"


def _bounds(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case _:
            return f"{{{least},{'' if most is None else most}}}"


def _literals(node: Node) -> Iterator[str]:
    """Texts that are in whatever matches, the empty one among them."""
    run = ""
    for piece in _pieces(node):
        match piece:
            case Char(((low, high),)) if low == high:
                run += chr(low)
            case Edge():
                pass
            case _:
                yield run
                run = ""
    yield run


def _pieces(node: Node) -> Iterator[Node]:
    if isinstance(node, Row):
        for item in node.items:
            yield from _pieces(item)
    elif isinstance(node, Repeat) and node.least:
        yield from _pieces(node.item)
        yield node
    else:
        yield node


def _longest(node: Node) -> int:
    """How long a line may be for `re` to be through it within `MAX_STEPS`.

    It tries every place to begin, from each in every way. A repetition that must be followed by what it cannot eat has
    one way; another has as many as characters; alternatives multiply.
    """
    choices, power = _ways(node, ())
    if choices == inf:
        return 0
    return int((MAX_STEPS / choices) ** (1 / (power + 2)))


def _ways(node: Node, after: Characters | None) -> tuple[float, int]:
    """In how many ways a piece can match from one place: so many, times the line's length to a power. `after` is what
    must come next: nothing more if empty, None if that is not known."""
    match node:
        case Row(items):
            choices, power = 1.0, 0
            for item in reversed(items):
                more, further = _ways(item, after)
                choices, power = min(choices * more, inf), power + further
                after = _start(item, after)
            return choices, power
        case Either(options):
            ways = [_ways(option, after) for option in options]
            return sum(choices for choices, _ in ways), max(power for _, power in ways)
        case Repeat():
            return _ways_of_repeat(node, after)
        case _:
            return 1.0, 0


def _ways_of_repeat(node: Repeat, after: Characters | None) -> tuple[float, int]:
    item, least, most = node.item, node.least, node.most
    choices, power = _ways(item, None)
    if isinstance(item, Char) and (least == most or (after is not None and not overlap(item.characters, after))):
        return 1.0, 0
    if most is None:
        return (1.0, 1) if (choices, power) == (1.0, 0) else (inf, 0)
    if power * most > MAX_POWER or (choices > 1 and most > MAX_POWER) or choices > MAX_STEPS:
        return inf, 0
    return (most - least + 1) * choices**most, power * most


def _start(item: Node, after: Characters | None) -> Characters | None:
    """What must come next before a piece that is followed by `after`; more, if in doubt, and None for anything."""
    match item:
        case Char(characters):
            return characters
        case Edge(kind):
            return {"$": (), "b": after, "^": None}[kind]
        case Row(items):
            for one in reversed(items):
                after = _start(one, after)
            return after
        case Either(options):
            return _union(*(_start(option, after) for option in options))
        case Repeat(inner, least, most):
            first = _start(inner, after if most == 1 else None)
            return first if least else _union(first, after)


def _union(*sets: Characters | None) -> Characters | None:
    return None if None in sets else joined(one for characters in sets for one in characters or ())
