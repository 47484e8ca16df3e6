"""The grammar of JSON, written in every spelling that it allows: the sound texts that hostile ones are made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from benchmarks._hostile_pieces import KEYS, LETTERS, NUMBERS, SHORT, SPACES, WORDS


@cache
def escaped(letter: str) -> str:
    r"""A character as `\uXXXX`, two of them beyond the basic plane."""
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


class Writer:
    """Writes sound JSON, as `rng` has it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.is_spaced = rng.random() < 0.3  # some texts have white space wherever it may be
        self.escapes = rng.choice((0.0, 0.0, 0.1, 1.0))  # share of characters that are escaped without need

    def gap(self) -> str:
        return self.rng.choice(SPACES) if self.is_spaced and self.rng.random() < 0.5 else ""

    def text(self) -> str:
        """What a string may stand for."""
        if self.rng.random() < 0.5:
            return self.rng.choice(WORDS)
        return "".join(self.rng.choices(LETTERS, k=self.rng.randint(1, 12)))

    def spelt(self, text: str) -> str:
        """A string that stands for this text."""
        return f'"{"".join(map(self._letter, text))}"'

    def _letter(self, letter: str) -> str:
        if self.escapes and self.rng.random() < self.escapes:
            hexed = escaped(letter)
            return hexed if self.rng.random() < 0.7 else hexed.upper().replace("U", "u")
        if letter in SHORT and (letter != "/" or self.escapes):
            return SHORT[letter]
        return escaped(letter) if letter < " " else letter

    def string(self) -> str:
        return self.spelt(self.text())

    def key(self) -> str:
        return self.rng.choice(KEYS) if self.rng.random() < 0.9 else self.text()

    def number(self) -> str:
        if self.rng.random() < 0.5:
            return self.rng.choice(NUMBERS)
        whole = str(self.rng.randint(-(10 ** self.rng.randint(1, 20)), 10**6))
        return (
            whole if self.rng.random() < 0.6 else f"{whole}.{self.rng.randint(0, 10**6)}e{self.rng.randint(-330, 280)}"
        )

    def value(self, levels: int) -> str:
        draw = self.rng.random()
        if draw < 0.3:
            return self.string()
        if draw < 0.6:
            return self.number()
        if draw < 0.75 or not levels:
            return self.rng.choice(("true", "false", "null"))
        if draw < 0.88:
            return self.array([self.value(levels - 1) for _ in range(self.rng.randint(0, 3))])
        return self.object(self.members(levels - 1))

    def members(self, levels: int) -> list[tuple[str, str]]:
        """Keys, each once, and their values as text."""
        keys = {self.key() for _ in range(self.rng.randint(0, 3))}
        return [(key, self.value(levels)) for key in sorted(keys)]

    def array(self, items: list[str]) -> str:
        return f"[{self.gap()}{f'{self.gap()},{self.gap()}'.join(items)}{self.gap()}]"

    def object(self, members: list[tuple[str, str]]) -> str:
        pairs = [f"{self.spelt(key)}{self.gap()}:{self.gap()}{value}" for key, value in members]
        return self.joined(pairs)

    def joined(self, pairs: list[str]) -> str:
        return f"{{{self.gap()}{f'{self.gap()},{self.gap()}'.join(pairs)}{self.gap()}}}"

    def around(self, value: str) -> str:
        """An object that holds this value somewhere, under a parameter's name or another key."""
        for _ in range(self.rng.choice((0, 0, 0, 1, 2, 3))):
            if self.rng.random() < 0.5:
                items = [self.value(0) for _ in range(self.rng.randint(0, 2))]
                items.insert(self.rng.randint(0, len(items)), value)
                value = self.array(items)
            else:
                value = self.object([(self.key(), value)])
        members = [("label", self.string())] if self.rng.random() < 0.7 else []
        members.insert(self.rng.randint(0, len(members)), (self.rng.choice(tuple(FITTING)[1:]), value))
        return self.object(members)

    def arguments(self) -> str:
        """An object that fits the tool, or is near to it."""
        names = [name for name in FITTING if name == "label" or self.rng.random() < 0.35]
        self.rng.shuffle(names)
        members = [(name, FITTING[name](self)) for name in names]
        if members and self.rng.random() < 0.15:
            at = self.rng.randrange(len(members))
            members[at] = (members[at][0], self.value(2))  # of another type, perhaps
        return self.gap() + self.object(members) + self.gap()

    def whole(self) -> str:
        return self.rng.choice(("0", "-0", "7", "-12", "3.0", "1e2", "9007199254740993", "1234567890123456789"))

    def real(self) -> str:
        return self.rng.choice(("0", "-0.0", "1.5", "1e-7", "3", "9007199254740992", "2.5E+3"))

    def some(self, write: Callable[[], str]) -> list[str]:
        return [write() for _ in range(self.rng.randint(0, 3))]


# A value that fits each parameter of the tool that the texts are aimed at.
FITTING: dict[str, Callable[[Writer], str]] = {
    "label": Writer.string,
    "count": Writer.whole,
    "ratio": Writer.real,
    "flag": lambda writer: writer.rng.choice(("true", "false")),
    "tags": lambda writer: writer.array(writer.some(writer.string)),
    "opts": lambda writer: writer.object(writer.members(2)) if writer.rng.random() < 0.8 else "null",
    "grid": lambda writer: writer.object([("a", writer.array(writer.some(writer.whole))), ("b", "[]")]),
    "points": lambda writer: writer.array([*writer.some(writer.real), "null"]),
    "target": lambda writer: writer.whole() if writer.rng.random() < 0.5 else writer.string(),
}
