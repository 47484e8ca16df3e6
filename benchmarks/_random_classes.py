"""Random attrs classes, dataclasses and TypedDicts, made while the check runs."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeAlias

import attrs
import typing_extensions

from benchmarks._kinds import Dice, Kind, Text, Whole
from benchmarks._kinds_records import Field, Record, as_dict

# Given a generator, draws the kind of a field.
DrawKind: TypeAlias = Callable[[Dice], Kind]

# Few, so that two classes of one schema often bear the same name.
CLASS_NAMES = ("Item", "Place", "Größe", "List_int_")
FIELD_NAMES = ("a", "name", "_secret", "type", "größe", "class_", "ref", "default")
KEYS = ("a", "b-c", "$ref", "", "type", "größe", "__x")
_WRONG = (ValueError, TypeError, KeyError, AssertionError, ZeroDivisionError, AttributeError)

# The makers as values: a checker wants their arguments to be literals.
_TYPED_DICTS: tuple[Any, ...] = (typing.TypedDict, typing_extensions.TypedDict)
_REQUIRED: tuple[Any, ...] = (typing.Required, typing_extensions.Required)
_NOT_REQUIRED: tuple[Any, ...] = (typing.NotRequired, typing_extensions.NotRequired)


def a_value(kind: Kind, dice: Dice) -> list[object]:
    """A typed value of a kind, if the dice find one."""
    slip, dice.slip = dice.slip, 0.0
    tries = [kind.judge(kind.fit(dice)) for _ in range(4)]  # bounds and validators may refuse some
    dice.slip = slip
    return [one.value for one in tries if one.taken][:1]


def _refuse_falsy(name: str, error: type[Exception]) -> Callable[[object], None]:
    def after(self: object) -> None:
        if not getattr(self, name):
            raise error(f"{name} is empty")

    return after


def _drawn(dice: Dice, draw: DrawKind) -> list[tuple[str, Kind, list[object]]]:
    """Names, kinds and defaults, in an order that Python takes."""
    names = dice.sample(FIELD_NAMES, dice.randint(0, 3))
    fields = [(name, draw(dice)) for name in names]
    with_defaults = [(name, kind, a_value(kind, dice) if dice.one_in(2) else []) for name, kind in fields]
    return sorted(with_defaults, key=lambda one: bool(one[2]))


def attrs_class(dice: Dice, draw: DrawKind) -> Record:
    fields: list[Field] = []
    made: dict[str, Any] = {}
    for name, kind, default in _drawn(dice, draw):
        # to attrs, a type of None is none
        options: dict[str, Any] = {"type": type(None) if kind.annotation is None else kind.annotation}
        if default and kind.hashable:
            options["default"] = default[0]
        elif default:
            options["factory"] = _copies(default[0])
        if dice.one_in(5):
            options["alias"] = f"{name.strip('_')}Alias"
        if isinstance(kind, Whole) and dice.one_in(3):
            options["validator"] = attrs.validators.lt(50)
        if type(kind) in (Whole, Text) and dice.one_in(4):
            options["converter"] = abs if isinstance(kind, Whole) else str.strip
        options["kw_only"] = dice.one_in(5)
        made[name] = attrs.field(**options)
        fields.append(Field(options.get("alias", name.lstrip("_")), kind, not default))
    if dice.one_in(5):
        made["hidden"] = attrs.field(type=list[object], init=False, factory=list)
    body = _body(dice, fields, "__attrs_post_init__", [name for name in made if name != "hidden"])
    frozen = dice.one_in(2)
    kw_only = _ordered(made, fields) or dice.one_in(4)
    cls = attrs.make_class(
        dice.choice(CLASS_NAMES), made, class_body=body, frozen=frozen, kw_only=kw_only, slots=dice.one_in(2)
    )
    hashable = frozen and "hidden" not in made and all(one.kind.hashable for one in fields)
    return Record(cls, fields, cls, hashable=hashable)


def _ordered(made: dict[str, Any], fields: list[Field]) -> bool:
    """Whether Python would find a field without a default after one with it."""
    return len(made) > len(fields)


def _copies(value: object) -> Callable[[], object]:
    return lambda: deepcopy(value)


def _body(dice: Dice, fields: list[Field], hook: str, names: list[str]) -> dict[str, Any]:
    if not names or not dice.one_in(8):
        return {}
    return {hook: _refuse_falsy(names[0], dice.choice(_WRONG))}


def data_class(dice: Dice, draw: DrawKind) -> Record:
    fields: list[Field] = []
    made: list[tuple[str, Any, Any]] = []
    for name, kind, default in _drawn(dice, draw):
        options: dict[str, Any] = {}
        if default and kind.hashable:
            options["default"] = default[0]
        elif default:
            options["default_factory"] = _copies(default[0])
        made.append((name, kind.annotation, dataclasses.field(**options)))
        fields.append(Field(name, kind, not default))
    body = _body(dice, fields, "__post_init__", [name for name, _, _ in made])
    if dice.one_in(5):
        made.append(("hidden", int, dataclasses.field(init=False, default=3)))
    frozen = dice.one_in(2)
    cls = dataclasses.make_dataclass(
        dice.choice(CLASS_NAMES), made, namespace=body, frozen=frozen, kw_only=dice.one_in(3), slots=dice.one_in(4)
    )
    make: Any = cls
    return Record(cls, fields, make, hashable=frozen and all(one.kind.hashable for one in fields))


def typed_dict(dice: Dice, draw: DrawKind) -> Record:
    total = not dice.one_in(3)
    fields: list[Field] = []
    made: dict[str, Any] = {}
    for key in dice.sample(KEYS, dice.randint(0, 3)):
        kind, required, annotation = draw(dice), total, None
        match dice.randrange(4):
            case 0:
                required, annotation = True, dice.choice(_REQUIRED)[kind.annotation]
            case 1:
                required, annotation = False, dice.choice(_NOT_REQUIRED)[kind.annotation]
            case _:
                annotation = kind.annotation
        made[key] = annotation
        fields.append(Field(key, kind, required))
    cls = dice.choice(_TYPED_DICTS)(dice.choice(CLASS_NAMES), made, total=total)
    return Record(cls, fields, as_dict)
