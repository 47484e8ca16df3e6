"""Types made of types: arrays, sets, objects, unions, bounds, and other names for the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs

from benchmarks._kinds import REFUSED, Dice, Kind, Verdict, identity, looser, taken, together
from trio_tools.values import JSONValue

Make: TypeAlias = Callable[[list[object]], object]


def few(dice: Dice) -> int:
    """How many members: mostly one or two, so that trees stay small."""
    return dice.choice((0, 1, 1, 2, 2, 3))


class Many(Kind):
    """An array of members of one kind: `list`, `Sequence`, `tuple[T, ...]`."""

    shown = bindable = frozenset({"length"})

    def __init__(self, annotation: Any, of: Kind, make: Make = list) -> None:
        self.annotation, self.of, self.make = annotation, of, make
        self.hashable = make is tuple and of.hashable

    def fit(self, dice: Dice) -> JSONValue:
        return [self.of.draw(dice) for _ in range(few(dice))]

    def near(self, dice: Dice) -> JSONValue:
        options: tuple[JSONValue, ...] = (self.of.fit(dice), {"0": self.of.fit(dice)}, "[]", None)
        return dice.choice(options)

    def judge(self, value: JSONValue) -> Verdict:
        if not isinstance(value, list):
            return REFUSED
        return together([self.of.judge(one) for one in value], lambda values: taken(self.make(values)))


def as_tuple(values: list[object]) -> Verdict:
    return taken(tuple(values))


class Row(Kind):
    """`tuple[A, B]`: an array of just these."""

    def __init__(self, annotation: Any, parts: Sequence[Kind]) -> None:
        self.annotation, self.parts = annotation, parts
        self.hashable = all(one.hashable for one in parts)

    def fit(self, dice: Dice) -> JSONValue:
        return [one.draw(dice) for one in self.parts]

    def near(self, dice: Dice) -> JSONValue:
        value = [one.fit(dice) for one in self.parts]
        options: tuple[JSONValue, ...] = (value[:-1] if value else [None], [*value, None], value[::-1], "", None)
        return dice.choice(options)

    def judge(self, value: JSONValue) -> Verdict:
        if not isinstance(value, list) or len(value) != len(self.parts):
            return REFUSED
        return together([kind.judge(one) for kind, one in zip(self.parts, value, strict=True)], as_tuple)


class Different(Kind):
    """`set`, `frozenset`: an array without repeats; what only Python cannot tell apart is a listed difference."""

    shown = bindable = frozenset({"length"})

    def __init__(self, annotation: Any, of: Kind, make: Callable[[list[object]], object]) -> None:
        self.annotation, self.of, self.make = annotation, of, make
        self.hashable = make is frozenset

    def fit(self, dice: Dice) -> JSONValue:
        drawn = [self.of.draw(dice) for _ in range(few(dice))]
        return [one for at, one in enumerate(drawn) if identity(one) not in [identity(two) for two in drawn[:at]]]

    def near(self, dice: Dice) -> JSONValue:
        value = [self.of.fit(dice) for _ in range(4)]
        options: tuple[JSONValue, ...] = (value, [*value[:1], *value[:1]], [1, 1.0, True], [0, False], None)
        return dice.choice(options)

    def judge(self, value: JSONValue) -> Verdict:
        if not isinstance(value, list) or len({identity(one) for one in value}) < len(value):
            return REFUSED
        return together([self.of.judge(one) for one in value], self._set)

    def _set(self, members: list[object]) -> Verdict:
        return taken(self.make(members)) if len(set(members)) == len(members) else looser("twins")


class Table(Kind):
    """`dict[K, V]`, `Mapping[K, V]`: an object."""

    hashable = False
    shown = bindable = frozenset({"length"})

    def __init__(self, annotation: Any, keys: Kind, of: Kind) -> None:
        self.annotation, self.keys, self.of = annotation, keys, of

    def fit(self, dice: Dice) -> JSONValue:
        keys = [self.keys.draw(dice) for _ in range(few(dice))]
        return {key: self.of.draw(dice) for key in keys if isinstance(key, str)}

    def near(self, dice: Dice) -> JSONValue:
        pair: list[JSONValue] = [self.keys.fit(dice), self.of.fit(dice)]
        options: tuple[JSONValue, ...] = ([pair], [], {"": self.of.fit(dice)}, {"a": None}, None, "{}")
        return dice.choice(options)

    def judge(self, value: JSONValue) -> Verdict:
        if not isinstance(value, dict):
            return REFUSED
        parts = [*map(self.keys.judge, value), *map(self.of.judge, value.values())]
        return together(parts, self._table)

    def _table(self, parts: list[object]) -> Verdict:
        half = len(parts) // 2
        table = dict(zip(parts[:half], parts[half:], strict=True))
        return taken(table) if len(table) == half else looser("twins")


class Either(Kind):
    """A union: the first arm that fits, and a whole number to an `int` arm before a `float` arm."""

    def __init__(self, annotation: Any, arms: Sequence[Kind], *, plain: bool = True) -> None:
        self.annotation, self.plain = annotation, plain
        self.arms: list[Kind] = []
        for arm in arms:  # as typing does: unions within unions are one union
            self.arms += arm.arms if isinstance(arm, Either) and arm.plain else [arm]
        self.hashable = all(one.hashable for one in self.arms)
        self.nullable = any(one.nullable for one in self.arms)
        self.bindable = frozenset[str]().union(*(one.bindable for one in self.arms))

    def fit(self, dice: Dice) -> JSONValue:
        return dice.choice(self.arms).draw(dice)

    def judge(self, value: JSONValue) -> Verdict:
        arms = arms_of(self)
        verdicts = [arm.judge(value) for arm in arms]
        fitting = [(arm.number, one) for arm, one in zip(arms, verdicts, strict=True) if one.taken]
        if fitting:
            sort, first = fitting[0]
            if sort == "float" and is_whole(value):
                first = next((one for number, one in fitting if number == "int"), first)
            return first
        rows = frozenset[str]().union(*(one.looser for one in verdicts))
        return Verdict(False, looser=rows)


def is_whole(value: JSONValue) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


@attrs.frozen
class Bound:
    """What `Annotated` adds: `metadata`, the `aspect` that it binds, a test, and values at its edge."""

    metadata: object
    aspect: str  # size, length; or predicate, which no schema shows
    test: Callable[[Any], bool]
    edges: tuple[JSONValue, ...] = ()


class Bounded(Kind):
    """A type within bounds. What the schema has no words for is a listed difference."""

    def __init__(self, annotation: Any, of: Kind, bounds: Sequence[Bound]) -> None:
        self.annotation, self.of, self.bounds = annotation, of, bounds
        self.hashable, self.nullable, self.number = of.hashable, of.nullable, of.number
        self.shown, self.bindable = of.shown, of.bindable

    def fit(self, dice: Dice) -> JSONValue:
        tries = [self.of.draw(dice) for _ in range(6)]  # most bounds leave every other value in
        return next((one for one in tries if self.judge(one).taken), tries[0])

    def near(self, dice: Dice) -> JSONValue:
        edges = [edge for bound in self.bounds for edge in bound.edges]
        return dice.choice(edges) if edges and dice.one_in(2) else self.of.fit(dice)

    def judge(self, value: JSONValue) -> Verdict:
        found = self.of.judge(value)
        if not found.taken and not found.looser:
            return REFUSED
        said = [one for one in self.bounds if one.aspect in self.shown]
        if not all(one.test(value) for one in said):
            return REFUSED
        if found.taken and not all(one.test(found.value) for one in self.bounds if one not in said):
            return looser("bounds")
        return found


def bounded(annotation: Any, of: Kind, bounds: Sequence[Bound]) -> Kind:
    """A kind within bounds; those on a union bind the arms that they can bind."""
    if isinstance(of, Renamed):
        return bounded(annotation, of.of, bounds)
    if not isinstance(of, Either):
        return Bounded(annotation, of, bounds)
    arms: list[Kind] = []
    for arm in of.arms:
        binding = [one for one in bounds if one.aspect in arm.bindable]
        arms.append(bounded(arm.annotation, arm, binding) if binding else arm)
    return Either(annotation, arms, plain=False)


class Renamed(Kind):
    """Another annotation for the same: `NewType`, type aliases, type variables, a description."""

    def __init__(self, annotation: Any, of: Kind) -> None:
        self.annotation, self.of = annotation, of
        self.hashable, self.nullable, self.number = of.hashable, of.nullable, of.number
        self.shown, self.bindable = of.shown, of.bindable

    def fit(self, dice: Dice) -> JSONValue:
        return self.of.fit(dice)

    def near(self, dice: Dice) -> JSONValue:
        return self.of.near(dice)

    def judge(self, value: JSONValue) -> Verdict:
        return self.of.judge(value)


def arms_of(kind: Kind) -> list[Kind]:
    """The arms of a union, also of one under another name; of anything else itself."""
    match kind:
        case Renamed():
            return arms_of(kind.of)
        case Either():
            return [one for arm in kind.arms for one in arms_of(arm)]
        case _:
            return [kind]


class Later(Kind):
    """A class that stands within itself; looked up when a value is judged."""

    hashable = False

    def __init__(self, annotation: Any, find: Callable[[], Kind]) -> None:
        self.annotation, self.find = annotation, find

    def fit(self, dice: Dice) -> JSONValue:
        return self.find().fit(dice)

    def near(self, dice: Dice) -> JSONValue:
        return self.find().near(dice)

    def judge(self, value: JSONValue) -> Verdict:
        return self.find().judge(value)


def parts_of(kind: Kind) -> Iterable[Kind]:
    """The kinds that a kind is made of, one step down."""
    match kind:
        case Many() | Different() | Bounded() | Renamed():
            return (kind.of,)
        case Table():
            return (kind.keys, kind.of)
        case Row():
            return kind.parts
        case Either():
            return kind.arms
        case _:
            return ()
