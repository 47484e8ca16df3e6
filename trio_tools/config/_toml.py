"""Writes values as TOML, exactly: what a parser reads back is equal, or the value is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from enum import Enum
from pathlib import PurePath
from typing import Any

import attrs

from trio_tools.config._placeholders import escaped

_BARE = re.compile(r"[A-Za-z0-9_-]+")


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
    return key if _BARE.fullmatch(key) else _string(key)


def _plain(value: Any) -> object:
    """A value in the types that TOML has, all the way down, and its texts as a config must have them."""
    plain: object = value
    match value:
        case Enum():
            plain = _plain(value.value)
        case str() | PurePath():
            plain = escaped(str(value))
        case set() | frozenset():
            plain = sorted((_plain(one) for one in value), key=repr)
        case list() | tuple():
            plain = [_plain(one) for one in value]
        case Mapping():
            plain = {escaped(str(key)): _plain(one) for key, one in value.items()}
        case _ if attrs.has(type(value)):
            plain = _fields(value)
    return plain


def _fields(instance: Any) -> dict[str, object]:
    """What an instance was made of, but for what is None anyway."""
    fields = [one for one in attrs.fields(type(instance)) if one.init]
    values = {one.alias or one.name: (getattr(instance, one.name), one.default) for one in fields}
    return {name: _plain(value) for name, (value, default) in values.items() if not (value is None and default is None)}


def _written(plain: Any) -> str:
    match plain:
        case bool():
            return str(plain).lower()
        case int() | float():
            return repr(plain)
        case str():
            return _string(plain)
        case datetime() | date() | time():
            return plain.isoformat()
        case list():
            return f"[{', '.join(_written(one) for one in plain)}]"
        case _ if isinstance(plain, dict):
            members = ", ".join(f"{toml_key(key)} = {_written(one)}" for key, one in plain.items())
            return f"{{ {members} }}" if members else "{}"
    raise ValueError(f"TOML has no form for {type(plain).__name__}")


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
