"""Matching in a time that grows with the length of the text, and with nothing else, whatever the expression.

All ways through an expression are followed at once, one character after another, and what a set of ways comes to is
remembered: so each character costs one look into a dictionary, as a rule. It is some ten times slower than `re` where
that does well, and needs no more than the place where it stands, so that a text may come in pieces.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from trio_tools.toolkits.files._characters import WORDS, Characters, holds
from trio_tools.toolkits.files._nodes import Char, Edge, Either, Node, Repeat, Row

# Moves remembered before all are forgotten: some 100 bytes each.
MAX_MOVES = 50_000
# Stands for the end of a line where characters are expected.
END = ""

# What a step of the program does: eat a character, stand at an edge, go on in several places, be there.
_Step: TypeAlias = (
    "tuple[Literal['eat'], Characters] | tuple[Literal['edge'], str] | tuple[Literal['fork'], list[int]] | None"
)


class Place(dict[str, "Place"]):
    """Where a text has led: the steps that may come next, and what the last character was. Knows its next places."""

    __slots__ = ("_automaton", "_before", "_steps")

    def __init__(self, automaton: Automaton, steps: frozenset[int], before: str) -> None:
        super().__init__()
        self._automaton = automaton
        self._steps = steps
        self._before = before

    def __missing__(self, character: str) -> Place:
        place = self._automaton.move(self._steps, self._before, character)
        self[character] = place
        return place


@attrs.define
class Automaton:
    """An expression as a program, and what is known of its ways. For one thread at a time."""

    program: list[_Step]
    places: dict[tuple[frozenset[int], str], Place] = attrs.field(factory=dict[tuple[frozenset[int], str], Place])
    moves: int = 0
    there: Place = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.there = Place(self, frozenset(), "there")

    def begin(self) -> Place:
        """The place before a line's first character."""
        return self._place(frozenset(), "edge")

    def run(self, place: Place, text: str) -> tuple[Place, int]:
        """Go on from a place by a text. Where that leads, and behind how many characters the expression was found: -1
        if it was not. What ends at the very end of the text is found with the next character, or `END`."""
        there = self.there
        for at, character in enumerate(text):
            place = place[character]
            if place is there:
                return there, at
        return place, -1

    def find(self, text: str) -> int:
        """Behind how many characters of a whole line the expression is found; -1 if it is not."""
        place, at = self.run(self.begin(), text)
        return len(text) if at < 0 and place[END] is self.there else at

    def move(self, steps: frozenset[int], before: str, character: str) -> Place:
        """Where a character leads; for `Place`, which remembers it."""
        self.moves += 1
        if self.moves > MAX_MOVES:
            for place in self.places.values():
                place.clear()
            self.places.clear()
            self.moves = 0
        after = _kind(character)
        ready = self._reached(steps, before, after)
        if ready is None:
            return self.there
        code = ord(character) if character else -1
        eaten = (at + 1 for at, characters in ready if code >= 0 and holds(characters, code))
        return self._place(frozenset(eaten), after)

    def _place(self, steps: frozenset[int], before: str) -> Place:
        place = self.places.get((steps, before))
        if place is None:
            place = self.places[steps, before] = Place(self, steps, before)
        return place

    def _reached(self, steps: frozenset[int], before: str, after: str) -> list[tuple[int, Characters]] | None:
        """The steps that can eat the next character, with what they eat; None if the expression is through."""
        ready: list[tuple[int, Characters]] = []
        pending = [*steps, 0]  # a match may begin anywhere
        seen: set[int] = set()
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            match self.program[at]:
                case None:
                    return None
                case ("eat", characters):
                    ready.append((at, characters))
                case ("edge", kind):
                    if _stands(kind, before, after):
                        pending.append(at + 1)
                case ("fork", targets):
                    pending.extend(targets)
        return ready


def _kind(character: str) -> str:
    if character in (END, "\r"):
        return "edge"
    return "word" if holds(WORDS, ord(character)) else "other"


def _stands(kind: str, before: str, after: str) -> bool:
    if kind == "b":
        return (before == "word") != (after == "word")
    return (before if kind == "^" else after) == "edge"


def automaton(node: Node) -> Automaton:
    """The automaton of an expression."""
    program: list[_Step] = []
    _write(node, program)
    return Automaton([*program, None])


def _write(node: Node, program: list[_Step]) -> None:
    """Append what a piece does; it goes on behind its last step."""
    match node:
        case Char(characters):
            program.append(("eat", characters))
        case Edge(kind):
            program.append(("edge", kind))
            if kind == "^":  # a byte order mark is no part of its line
                _write(Repeat(Char(((0xFEFF, 0xFEFF),)), 0, 1), program)
        case Row(items):
            for item in items:
                _write(item, program)
        case Either(options):
            _write_either(options, program)
        case Repeat():
            _write_repeat(node, program)


def _write_either(options: tuple[Node, ...], program: list[_Step]) -> None:
    starts: list[int] = []
    leave: list[list[int]] = []
    program.append(("fork", starts))
    for option in options:
        starts.append(len(program))
        _write(option, program)
        leave.append([])
        program.append(("fork", leave[-1]))
    for targets in leave:
        targets.append(len(program))


def _write_repeat(node: Repeat, program: list[_Step]) -> None:
    for _ in range(node.least):
        _write(node.item, program)
    first = len(program)
    skips: list[list[int]] = []
    for _ in range(1 if node.most is None else node.most - node.least):
        skips.append([len(program) + 1])
        program.append(("fork", skips[-1]))
        _write(node.item, program)
    if node.most is None:
        program.append(("fork", [first]))
    for targets in skips:
        targets.append(len(program))
