"""Writes values as TOML, exactly: what a parser reads back is equal, or the value is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from enum import Enum
from pathlib import PurePath
from typing import Any

import attrs

from trio_tools.config._placeholders import escaped

# Keys that need no quotes.
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(value: object) -> str:
    """A value as it stands behind `key = ` in a config file. Raises `ValueError` for what TOML has no form for: None,
    lone surrogates, offsets with seconds, objects of other classes."""
    plain = _plain(value)
    text = _written(plain)
    # what is read back is what was meant; by its text, since 1 and True are equal, and NaN is not even to itself
    if repr(tomllib.loads(f"value = {text}")["value"]) != repr(plain):
        raise ValueError(f"cannot be written exactly: {text}")
    return text


def toml_key(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if BARE_KEY.fullmatch(key) else _string(key)


def _plain(value: object) -> object:
    """A value in the types that TOML has, all the way down, and its texts as a config must have them."""
    for kinds, rule in _PLAIN:
        if isinstance(value, kinds):
            return rule(value)
    return _fields(value) if attrs.has(type(value)) else value


def _fields(instance: object) -> dict[str, object]:
    """What an instance was made of, but for what is None anyway."""
    kind: Any = type(instance)
    fields: list[attrs.Attribute[Any]] = [one for one in attrs.fields(kind) if one.init]
    values = {one.alias or one.name: (getattr(instance, one.name), one.default) for one in fields}
    return {name: _plain(value) for name, (value, default) in values.items() if not (value is None and default is None)}


def _written(plain: object) -> str:
    for kinds, form in _FORMS:
        if isinstance(plain, kinds):
            return form(plain)
    raise ValueError(f"TOML has no form for {type(plain).__name__}")


def _inline_table(members: dict[str, object]) -> str:
    written = ", ".join(f"{toml_key(key)} = {_written(one)}" for key, one in members.items())
    return f"{{ {written} }}" if written else "{}"


def _string(text: str) -> str:
    return '"' + "".join(_character(one) for one in text) + '"'


def _character(one: str) -> str:
    if one in '"\\':
        return "\\" + one
    if one.isprintable():
        return one
    code = ord(one)
    if 0xD800 <= code < 0xE000:
        raise ValueError("TOML has no form for a lone surrogate")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_PLAIN: tuple[tuple[tuple[type, ...], Callable[[Any], object]], ...] = (
    ((Enum,), lambda member: _plain(member.value)),
    ((str, PurePath), lambda text: escaped(str(text))),
    ((set, frozenset), lambda items: sorted((_plain(one) for one in items), key=repr)),
    ((list, tuple), lambda items: [_plain(one) for one in items]),
    ((Mapping,), lambda members: {escaped(str(key)): _plain(one) for key, one in members.items()}),
)
_FORMS: tuple[tuple[tuple[type, ...], Callable[[Any], str]], ...] = (
    ((bool,), lambda truth: str(truth).lower()),
    ((int, float), repr),
    ((str,), _string),
    ((datetime, date, time), lambda moment: str(moment.isoformat())),
    ((list,), lambda items: f"[{', '.join(_written(one) for one in items)}]"),
    ((dict,), _inline_table),
)
