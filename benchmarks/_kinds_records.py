"""Types with named fields: attrs classes, dataclasses, TypedDicts, and the parameters of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from benchmarks._kinds import REFUSED, Dice, Kind, Verdict, looser, taken, together
from trio_tools.values import JSONValue


@attrs.frozen
class Field:
    """One field as JSON names it."""

    name: str
    kind: Kind
    required: bool


class Record(Kind):
    """An object with these fields and no others. `make` is given the fields that were sent."""

    def __init__(
        self, annotation: Any, fields: Sequence[Field], make: Callable[..., object], *, hashable: bool = False
    ) -> None:
        self.annotation, self.fields, self.make, self.hashable = annotation, fields, make, hashable

    def fit(self, dice: Dice) -> JSONValue:
        return {
            one.name: one.kind.draw(dice)
            for one in self.fields
            if (one.required and dice.random() >= dice.slip / 2) or (not one.required and dice.randrange(5) < 3)
        }

    def near(self, dice: Dice) -> JSONValue:
        value = {one.name: one.kind.fit(dice) for one in self.fields}
        if not value or dice.one_in(4):
            return dice.choice(({**value, "extra": None}, {**value, "": 1}, list(value.values()), "{}", None))
        name = dice.choice([*value])
        sent = value.pop(name)
        return dice.choice((value, {**value, name: None}, {**value, f"_{name}": sent}, {**value, f"{name}s": sent}))

    def judge(self, value: JSONValue) -> Verdict:
        if not isinstance(value, dict):
            return REFUSED
        kinds = {one.name: one.kind for one in self.fields}
        missing = [one.name for one in self.fields if one.required and one.name not in value]
        if missing or value.keys() - kinds.keys():
            return REFUSED
        names = [*value]
        return together([kinds[name].judge(value[name]) for name in names], lambda values: self._made(names, values))

    def _made(self, names: list[str], values: list[object]) -> Verdict:
        try:
            return taken(self.make(**dict(zip(names, values, strict=True))))
        except Exception:
            return looser("classes")


def as_dict(**values: object) -> dict[str, object]:
    """What a TypedDict is made with, and the parameters of a function."""
    return values


class Chain(Record):
    """A class that stands within itself through one of its fields; now and then deeper than arguments may be."""

    def __init__(
        self,
        annotation: Any,
        fields: Sequence[Field],
        make: Callable[..., object],
        link: Callable[[JSONValue], JSONValue],
    ) -> None:
        super().__init__(annotation, fields, make)
        self.link = link

    def fit(self, dice: Dice) -> JSONValue:
        # mostly the smallest of its values, so that what is drawn ends
        value = super().fit(dice) if dice.one_in(3) else self.link(None)
        if dice.deep and dice.one_in(30):
            if dice.one_in(3):
                value = self.near(dice)  # what is wrong is found at the bottom, and in a time that is no power of two
            # about as deep as arguments may be: some of these are a level too deep, some are not
            for _ in range(dice.randint(60, 205)):
                value = self.link(value)
        return value
