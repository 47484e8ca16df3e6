"""The tool that hostile texts are aimed at, a count of how often its body is entered, and what may enter it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import attrs

from trio_tools import Tool, ToolContext, tool

# Whole numbers below it are floats of their own, so one written with a point is what it says (docs/types.md).
EXACT = 2**53


class Misfit(Exception):  # noqa: N818 - reads as a predicate at its `except`
    """Arguments that are an object, and not what the tool takes."""


@attrs.define
class Ledger:
    """What came into the body."""

    entered: int = 0
    values: dict[str, object] = attrs.field(factory=dict[str, object])


def target(ledger: Ledger) -> Tool:
    """A tool with a parameter of each sort, one of them required and one injected."""

    @tool
    async def aim(
        label: str,
        *,
        count: int = 0,
        ratio: float = 0.5,
        flag: bool = False,
        tags: list[str] = [],  # noqa: B006 - nobody changes it, and a model is shown it
        opts: dict[str, object] | None = None,
        grid: dict[str, list[int]] = {},  # noqa: B006 - as above
        points: list[float | None] = [],  # noqa: B006 - as above
        target: int | str = 0,
        ctx: ToolContext,
    ) -> str:
        ledger.entered += 1
        values: dict[str, object] = {"label": label, "count": count, "ratio": ratio, "flag": flag, "tags": tags}
        ledger.values = {**values, "opts": opts, "grid": grid, "points": points, "target": target}
        return "done"

    return aim


DEFAULTS: dict[str, object] = {
    "count": 0,
    "ratio": 0.5,
    "flag": False,
    "tags": [],
    "opts": None,
    "grid": {},
    "points": [],
    "target": 0,
}


def expected(arguments: dict[str, object]) -> dict[str, object]:
    """What the body must get for these arguments, by docs/types.md. Raises `Misfit`."""
    if "label" not in arguments or not set(arguments) <= set(_READ):
        raise Misfit
    return {name: _READ[name](arguments[name]) if name in arguments else DEFAULTS[name] for name in _READ}


_Read: TypeAlias = Callable[[object], object]


def _str(value: object) -> object:
    if type(value) is not str:
        raise Misfit
    return value


def _int(value: object) -> object:
    if type(value) is float and value.is_integer() and abs(value) < EXACT:
        return int(value)
    if type(value) is not int:
        raise Misfit
    return value


def _float(value: object) -> object:
    if type(value) is int:
        try:
            number = float(value)
        except OverflowError:
            raise Misfit from None
        if int(number) != value:
            raise Misfit
        return number
    if type(value) is not float:
        raise Misfit
    return value


def _bool(value: object) -> object:
    if type(value) is not bool:
        raise Misfit
    return value


def _either(value: object) -> object:
    return value if type(value) is str else _int(value)


def _maybe_float(value: object) -> object:
    return None if value is None else _float(value)


def _list(read: _Read) -> _Read:
    def read_all(value: object) -> object:
        if not isinstance(value, list):
            raise Misfit
        items: list[object] = value  # pyright: ignore[reportUnknownVariableType]
        return [read(one) for one in items]

    return read_all


def _dict(read: _Read) -> _Read:
    def read_all(value: object) -> object:
        if not isinstance(value, dict):
            raise Misfit
        members: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: read(one) for key, one in members.items()}

    return read_all


def _maybe_dict(value: object) -> object:
    return None if value is None else _dict(lambda one: one)(value)


# How each parameter is read, in the order in which they are declared.
_READ: dict[str, _Read] = {
    "label": _str,
    "count": _int,
    "ratio": _float,
    "flag": _bool,
    "tags": _list(_str),
    "opts": _maybe_dict,
    "grid": _dict(_list(_int)),
    "points": _list(_maybe_float),
    "target": _either,
}
