"""Rows for what JSON carries as a string of a certain spelling: dates, times, UUIDs, decimals, paths, bytes.

Each spelling is one that the schema can say, by a format or a pattern, and no other is taken, whatever the constructors
of the types would take.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path, PosixPath, PurePath, PurePosixPath
from uuid import UUID

from trio_tools.tool._shape import Measure, Shape, Walk, must_be
from trio_tools.values import MAX_DIGITS, JSONValue

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# RFC 3339; of a fraction as many digits as a datetime holds, and noughts
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6}0*)?([Zz]|[+-][0-9]{2}:[0-5][0-9])"
)
_TIME = re.compile(
    r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6}0*)?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
# written out, as results are: an exponent can stand for a number that takes a machine down
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_BYTES = "bytes in base64, with padding"
# padded, and without bits that no byte has, so that each value has one spelling
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?")


def _spelt(
    noun: str,
    spelling: re.Pattern[str],
    make: Callable[[str], object],
    *,
    schema: dict[str, JSONValue],
    measure: Measure = "order",
    kind: type | None = None,
) -> Shape:
    def read(value: JSONValue, _: object) -> object:
        if type(value) is str and len(value) <= MAX_DIGITS and spelling.fullmatch(value):
            try:
                return make(value)
            except ValueError:  # spelt like one, and none: the 30th of February
                pass
        raise must_be(noun)

    return Shape(schema={"type": "string", **schema}, noun=noun, hook=read, hashable=True, measure=measure, kind=kind)


def _pattern(spelling: re.Pattern[str]) -> str:
    return f"^{spelling.pattern}$"


def _path(kind: type[PurePath]) -> Shape:
    def read(value: JSONValue, _: object) -> object:
        if type(value) is not str:
            raise must_be("a path")
        if not value or "\0" in value:
            raise must_be("a path that is not empty and has no NUL in it")
        return kind(value)

    return Shape(schema={"type": "string", "minLength": 1}, noun="a path", hook=read, hashable=True)


def _bytes(value: JSONValue, _: object) -> object:
    # not by the pattern, which takes its time with a megabyte
    if type(value) is str and value.isascii():
        try:
            made = b64decode(value, validate=True)
        except ValueError:
            made = b""
        if b64encode(made).decode() == value:
            return made
    raise must_be(_BYTES)


_SPELT: dict[object, Shape] = {
    datetime: _spelt(
        "a date-time with an offset, such as 2026-11-30T08:00:00Z",
        _DATE_TIME,
        lambda text: datetime.fromisoformat(text.upper()),
        schema={"format": "date-time"},
        kind=datetime,
    ),
    date: _spelt("a date, such as 2026-11-30", _DATE, date.fromisoformat, schema={"format": "date"}, kind=date),
    time: _spelt(
        "a time of day, such as 08:30 or 08:30:00Z",
        _TIME,
        time.fromisoformat,
        schema={"pattern": _pattern(_TIME)},
        kind=time,
    ),
    UUID: _spelt("a UUID of 8-4-4-4-12 hexadecimal digits", _UUID, UUID, schema={"format": "uuid"}, measure="none"),
    Decimal: _spelt(
        'a decimal number in a string, such as "19.90"',
        _DECIMAL,
        Decimal,
        schema={"pattern": _pattern(_DECIMAL)},
        kind=Decimal,
    ),
    bytes: Shape(
        schema={"type": "string", "contentEncoding": "base64", "pattern": _pattern(_BASE64)},
        noun=_BYTES,
        hook=_bytes,
        hashable=True,
        measure="size",
    ),
    **{kind: _path(kind) for kind in (Path, PosixPath, PurePath, PurePosixPath)},
}


def spelt(annotation: object, walk: Walk) -> Shape | None:
    """datetime, date, time, UUID, Decimal, bytes, and paths."""
    return _SPELT.get(annotation) if isinstance(annotation, type) else None
