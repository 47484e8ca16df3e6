"""Rows for JSON's own scalars, for anything at all, and for closed sets of values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum, Flag
from typing import Any, Literal, get_args, get_origin

import attrs

from trio_tools.tool._shape import Hook, Measure, Misfit, Problem, Shape, Walk, must_be
from trio_tools.values import JSONValue, NotJSON, freeze

# Below it every whole number is a float of its own; it itself is also what the next one is rounded to.
EXACT = 2**53


def _str(value: JSONValue, _: object) -> object:
    if type(value) is str:
        return value
    raise must_be("a string")


def _bool(value: JSONValue, _: object) -> object:
    if value is True or value is False:
        return value
    raise must_be("a boolean")


def _none(value: JSONValue, _: object) -> object:
    if value is None:
        return None
    raise must_be("null")


def _int(value: JSONValue, _: object) -> object:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():  # JSON Schema: 3.0 is an integer
        if abs(value) < EXACT:
            return int(value)
        raise Misfit([Problem(" must be an integer, and one of 2^53 or more written without a point or exponent")])
    raise must_be("an integer")


def _float(value: JSONValue, _: object) -> object:
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            number = float(value)
        except OverflowError:
            number = 0.0
        if number == value:
            return number
        raise Misfit([Problem(" must be a number that a float holds exactly")])
    raise must_be("a number")


def _anything(value: JSONValue, _: object) -> object:
    return value


def _scalar(name: str, noun: str, hook: Hook, measure: Measure = "none") -> Shape:
    return Shape(schema={"type": name}, noun=noun, hook=hook, hashable=True, measure=measure)


TEXT = _scalar("string", "a string", _str, "string")
NULL = _scalar("null", "null", _none)
ANYTHING = Shape(schema={}, noun="any JSON value", hook=_anything)

_SCALARS: dict[object, Shape] = {
    str: TEXT,
    bool: _scalar("boolean", "a boolean", _bool),
    int: _scalar("integer", "an integer", _int, "number"),
    float: _scalar("number", "a number", _float, "number"),
    type(None): NULL,
    None: NULL,
    object: ANYTHING,
    Any: ANYTHING,
}


def scalar(annotation: object, walk: Walk) -> Shape | None:
    """str, bool, int, float, None; `object` and `Any` for anything."""
    try:
        return _SCALARS.get(annotation)
    except TypeError:  # metadata that cannot be hashed
        return None


def closed_set(annotation: object, walk: Walk) -> Shape | None:
    """Literal and Enum: one of these values, compared as JSON compares them."""
    if get_origin(annotation) is Literal:
        return _one_of([(_json(one), one) for one in get_args(annotation)])
    if not isinstance(annotation, type) or not issubclass(annotation, Enum):
        return None
    if issubclass(annotation, Flag):
        raise TypeError(f"the flags of {annotation.__name__} combine, which an enum of JSON values cannot say")
    if not len(annotation):
        raise TypeError(f"the Enum {annotation.__name__} has no members")
    own_hash = annotation.__hash__ is not Enum.__hash__  # which a set of members would call
    return attrs.evolve(_one_of([(_json(one), one) for one in annotation]), trusted=not own_hash)


def _json(value: object) -> JSONValue:
    plain: object = value
    while isinstance(plain, Enum):
        plain = plain.value
    kind = type(plain)
    if kind not in (str, int, float, bool, type(None)):
        raise TypeError(f"{value!r} is not a JSON string, number, boolean or null, and so cannot be told to a model")
    try:
        return freeze(plain)
    except NotJSON as error:
        raise TypeError(f"{value!a} cannot be told to a model: {error.problem}") from None


def _key(value: JSONValue) -> tuple[bool, JSONValue]:
    """Equal as JSON has it: 1 and 1.0 are, 1 and true are not."""
    return isinstance(value, bool), value


def _one_of(pairs: Iterable[tuple[JSONValue, object]]) -> Shape:
    members: dict[tuple[bool, JSONValue], object] = {}
    values: list[JSONValue] = []
    for value, member in pairs:
        if _key(value) not in members:
            members[_key(value)] = member
            values.append(value)
    noun = f"one of {json.dumps(values, ensure_ascii=False, separators=(',', ':'))}"

    def read(value: JSONValue, _: object) -> object:
        if may_be(value):
            return members[_key(value)]
        raise must_be(noun)

    def may_be(value: JSONValue) -> bool:
        return not isinstance(value, (dict, list)) and _key(value) in members

    schema: dict[str, JSONValue] = {"enum": values}
    kinds = {_kind(value) for value in values}
    if len(kinds) == 1:
        schema = {"type": kinds.pop(), "enum": values}
    return Shape(schema=schema, noun=noun, hook=read, hashable=True, may_be=may_be)


def _kind(value: JSONValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"
