"""What docs/types.md says of each type, told a second time, so that a check does not ask the code that it checks.

A `Kind` stands for one type: it knows the annotation, draws JSON values that fit or nearly do, and judges a value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from random import Random
from typing import Any

import attrs

from trio_tools.values import JSONValue, freeze

# The rows of the list "where schema and run time differ, on purpose".
DIFFERENCES = ("int", "float", "dates", "path", "twins", "bounds", "classes", "depth")


class Dice(Random):
    """A seeded generator; `slip` is the chance that what is drawn at a place is a near miss, `deep` whether values may
    be as deep as arguments may be, and deeper."""

    slip: float = 0.0
    deep: bool = False

    def one_in(self, times: int) -> bool:
        return self.randrange(times) == 0


@attrs.frozen
class Verdict:
    """What comes of a JSON value: a typed `value`; or a refusal, which the schema has no words for if `looser` names
    rows of the list."""

    taken: bool
    value: object = None
    looser: frozenset[str] = frozenset()


REFUSED = Verdict(False)


def taken(value: object) -> Verdict:
    return Verdict(True, value)


def looser(*rows: str) -> Verdict:
    """A refusal that the schema may know nothing of."""
    return Verdict(False, looser=frozenset(rows))


def together(parts: Iterable[Verdict], combine: Callable[[list[object]], Verdict]) -> Verdict:
    """The verdict on a whole. What no part is refused for without a listed reason is at worst a listed difference."""
    verdicts = list(parts)
    refusals = [one for one in verdicts if not one.taken]
    if not refusals:
        return combine([one.value for one in verdicts])
    if all(one.looser for one in refusals):
        return looser(*(row for one in refusals for row in one.looser))
    return REFUSED


def identity(value: JSONValue) -> object:
    """Equal for values that are equal as JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, list):
        return ("array", tuple(identity(one) for one in value))
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(one)) for key, one in value.items()))
    return ("number" if type(value) in (int, float) else type(value).__name__, value)


# A value of every kind, and what is easily taken for another, as JSON: what a parameter is sent that does not take it.
FOREIGN = (
    *(
        "null",
        "true",
        "false",
        "0",
        "1",
        "1.0",
        "0.5",
        '"1"',
        '""',
        '"a"',
        '"true"',
        '"null"',
        '"\\u0000"',
        '"\\u0663"',
    ),
    *("1e25", str(2**53 + 1), "-0.0", "[]", "[1]", '["a", "a"]', "[1, 1.0, true]", "{}", '{"a": 1}', '{"": null}'),
    *('"2026-11-30"', '"2026-11-30T08:30:00Z"', '"YQ=="'),
)


def foreign(dice: Dice) -> JSONValue:
    found: JSONValue = json.loads(dice.choice(FOREIGN))
    return found


class Kind:
    """One type. `annotation` is what a parameter is annotated with."""

    annotation: Any
    hashable: bool = True
    # whether its instances may be None, int or float, as the rules for null and for numbers in unions ask
    nullable: bool = False
    number: str = ""
    # what bounds its schema has words for, and what bounds can be told of it at all: size, length
    shown: frozenset[str] = frozenset()
    bindable: frozenset[str] = frozenset()

    def fit(self, dice: Dice) -> JSONValue:
        """A value that fits, apart from the slips within it."""
        raise NotImplementedError

    def near(self, dice: Dice) -> JSONValue:
        """A value that nearly fits."""
        return foreign(dice)

    def judge(self, value: JSONValue) -> Verdict:
        raise NotImplementedError

    def draw(self, dice: Dice) -> JSONValue:
        return self.near(dice) if dice.random() < dice.slip else self.fit(dice)


# Whole numbers that are of no account, and those at which JSON's numbers change: the last that a float tells from its
# neighbours, the machine words, and one with more digits than a float holds.
PLAIN = (0, 1, 2, 3, 4, 5, 7, 10, 42, -1, -2, -7, 100, 1_000_000)
EDGES = (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53), -(2**53) - 1, 2**63, -(2**63), 2**64 + 1, 10**25, 10**309)
POINTED = (0.0, -0.0, 1.0, 3.0, -7.0, 2.0**53, 2.0**53 + 2, -(2.0**53), -(2.0**53) - 2, 2.0**63, 1e25, -1e25, 1e300)
BROKEN = (0.5, -0.5, 1.5, 2.25, 0.1, 19.9, 19.99, -2.75, 1e-9, 5e-324, 1.5e10)


class Whole(Kind):
    annotation = int
    number = "int"
    shown = bindable = frozenset({"size"})

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice((*PLAIN, *PLAIN, *EDGES)) if dice.randrange(8) else dice.choice(POINTED)

    def near(self, dice: Dice) -> JSONValue:
        return dice.choice((*POINTED, *BROKEN, True, False, "3", None, 1e25, -1e25))

    def judge(self, value: JSONValue) -> Verdict:
        if type(value) is int:
            return taken(value)
        if type(value) is float and value.is_integer():
            return taken(int(value)) if abs(value) < 2**53 else looser("int")
        return REFUSED


class Number(Kind):
    annotation = float
    number = "float"
    shown = bindable = frozenset({"size"})

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice((*BROKEN, *POINTED, *PLAIN))

    def near(self, dice: Dice) -> JSONValue:
        return dice.choice((*EDGES, *EDGES, True, False, "1.5", "NaN", None))

    def judge(self, value: JSONValue) -> Verdict:
        if type(value) is float:
            return taken(value)
        if type(value) is not int:
            return REFUSED
        try:
            return taken(float(value)) if int(float(value)) == value else looser("float")
        except OverflowError:
            return looser("float")


class Flag(Kind):
    annotation = bool

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice((True, False))

    def near(self, dice: Dice) -> JSONValue:
        return dice.choice((0, 1, 1.0, "true", "false", None))

    def judge(self, value: JSONValue) -> Verdict:
        return taken(value) if type(value) is bool else REFUSED


class Text(Kind):
    annotation = str
    shown = bindable = frozenset({"length"})

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice(("", "a", "ab", "abc", "A b", "größe", "\U0001f600", "e\u0301", "\0", "null", "3", " x "))

    def judge(self, value: JSONValue) -> Verdict:
        return taken(value) if type(value) is str else REFUSED


class Nothing(Kind):
    annotation = None
    nullable = True

    def fit(self, dice: Dice) -> JSONValue:
        return None

    def judge(self, value: JSONValue) -> Verdict:
        return taken(None) if value is None else REFUSED


class Anything(Kind):
    """`object`, `Any`: the value as it is, frozen."""

    hashable = False
    nullable = True

    def __init__(self, annotation: Any = object) -> None:
        self.annotation = annotation

    def fit(self, dice: Dice) -> JSONValue:
        return foreign(dice)

    def judge(self, value: JSONValue) -> Verdict:
        return taken(freeze(value))


class Choice(Kind):
    """`Literal`, `Enum`: one of the `members`, which are told by their JSON form."""

    def __init__(self, annotation: Any, members: Sequence[object]) -> None:
        self.annotation = annotation
        self.forms = [(as_json(one), one) for one in members]
        self.nullable = any(form is None for form, _ in self.forms)

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice(self.forms)[0]

    def near(self, dice: Dice) -> JSONValue:
        form = self.fit(dice)
        if isinstance(form, str):
            return dice.choice((form.upper(), form + "\n", "", form[:-1], None))
        return retyped(form, dice)

    def judge(self, value: JSONValue) -> Verdict:
        sent = identity(value)
        return next((taken(member) for form, member in self.forms if identity(form) == sent), REFUSED)


def as_json(member: object) -> JSONValue:
    """The JSON form of what stands in a `Literal`, or of a member of an `Enum`."""
    value = member.value if isinstance(member, Enum) else member
    assert value is None or isinstance(value, (bool, int, float, str))
    return value


def retyped(value: JSONValue, dice: Dice) -> JSONValue:
    """The same to a careless reader: 1 for 1.0, for true, for "1"."""
    match value:
        case bool():
            return dice.choice((int(value), float(value), str(value).lower()))
        case int():
            exact = abs(value) < 10**300
            return dice.choice((float(value) if exact else 1e300, str(value), value + 1, value - 1, bool(value)))
        case float():
            return dice.choice((int(value), str(value), value + 0.5, bool(value), -value))
        case str():
            texts = (value.upper(), value.lower(), f"{value}\n", f" {value}", value[:-1])
            return dice.choice(texts) if dice.randrange(4) else [value]
        case None:
            return dice.choice((False, 0, "", "null"))
        case _:
            return foreign(dice)
