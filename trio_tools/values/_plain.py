"""How Python values become JSON: the rules by which what a body returns is written down.

Each rule takes one step, and the snapshot goes on from there: an instance becomes a dict of its fields, whatever these
are. Nothing is guessed: what has no rule is refused. `tool` reads the same forms back.
"""

from __future__ import annotations

import dataclasses
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any, TypeAlias
from uuid import UUID

import attrs

from trio_tools.values._freeze import freeze
from trio_tools.values._json import MAX_DIGITS, MAX_NODES, JSONValue, NotJSON

_Rule: TypeAlias = Callable[[Any], object]


def to_plain(value: object, *, nan_as_null: bool = False, max_bytes: int | None = None) -> JSONValue:
    """A frozen snapshot of a Python value, in JSON.

    attrs classes and dataclasses become objects of what their `__init__` takes, members of an `Enum` their values,
    tuples and sets arrays, dates and times ISO 8601 text, bytes base64, paths, UUIDs and decimals text. NaN and
    infinities are refused, or `null` with `nan_as_null`. Raises `NotJSON` for what has no rule and for more than about
    `max_bytes`, and what the value's own accessors raise.
    """
    return freeze(value, convert=_nan_is_null if nan_as_null else _plain, max_bytes=max_bytes)


def _plain(value: object) -> object:
    for kind, rule in _RULES:
        if isinstance(value, kind):
            return rule(value)
    of = type(value)
    if attrs.has(of) and is_attrs(of):
        return _fields(value, [(one.alias, one.name) for one in attrs.fields(of) if one.init])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value, [(one.name, one.name) for one in dataclasses.fields(value) if one.init])
    raise NotJSON(f"a value of type {of.__name__} has no JSON form")


def is_attrs(kind: type) -> bool:
    """Whether a class is an attrs class, rather than a dataclass that only descends from one."""
    for base in kind.__mro__:
        if "__attrs_attrs__" in vars(base) or "__dataclass_fields__" in vars(base):
            return "__attrs_attrs__" in vars(base)
    return False


def _nan_is_null(value: object) -> object:
    if isinstance(value, float) and not float.__lt__(abs(value), float("inf")):
        return None
    return _plain(value)


def _fields(value: object, names: list[tuple[str, str]]) -> dict[str, object]:
    return {shown: getattr(value, name) for shown, name in names}


def _refuse_number(value: float) -> object:
    if type(value) is float:
        raise NotJSON(f"{value} is not a finite number")
    return float.__pos__(value)


def _decimal(value: Decimal) -> str:
    """Written out: whoever reads it need not know of exponents."""
    if not value.is_finite():
        raise NotJSON(f"{value} is not a finite number")
    if abs(value.adjusted()) > MAX_DIGITS:
        raise NotJSON(f"a decimal of more than {MAX_DIGITS:,} digits")
    return format(value, "f")


def _members(value: set[Any] | frozenset[Any]) -> list[object]:
    """In order where there is one, so that the same set reads the same in every run."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def _items_of_dict(value: dict[Any, object]) -> dict[object, object]:
    return dict(dict[Any, object].items(value))


def _mapping(value: Mapping[Any, object]) -> dict[object, object]:
    keys = list(islice(value, MAX_NODES))  # a mapping that has more, or no end, is not read to it
    return {key: value[key] for key in keys}


# The first that fits holds: members of a StrEnum are text too, and a datetime is a date. Subclasses of JSON's own types
# become those types, past whatever they override.
_RULES: tuple[tuple[type | tuple[type, ...], _Rule], ...] = (
    (Enum, lambda value: value.value),
    (str, str.__str__),
    (int, int.__pos__),
    (float, _refuse_number),
    ((date, datetime, time), lambda value: value.isoformat()),
    (UUID, str),
    (Decimal, _decimal),
    (PurePath, str),
    ((bytes, bytearray, memoryview), lambda value: b64encode(value).decode()),
    ((set, frozenset), _members),
    ((list, tuple, deque), list),
    (dict, _items_of_dict),
    (Mapping, _mapping),
)
