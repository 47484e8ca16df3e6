"""Lossless JSON that cannot be changed.

Arguments and results are snapshotted once into `FrozenDict` and `FrozenList`. They are real dicts and lists, so that
`==` and `json.dumps` hold, but every way to change them raises. A snapshot is bounded in depth and in size, finds
cycles, and never lets a value through that JSON text could not carry there and back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias, Union

JSONValue: TypeAlias = Union[bool, int, float, str, "list[JSONValue]", "dict[str, JSONValue]", None]

# Levels of nesting (D28). Twice what real arguments use, and far below what the interpreter's stack and json take.
MAX_DEPTH = 200
# Values in one snapshot. A structure that shares parts can be small in memory and endless as text; a tool result of a
# million values is of no use to a model.
MAX_NODES = 1_000_000
# Bits of one integer: 4,300 decimal digits, which is what CPython turns to text and back: 4300 * log2(10).
MAX_INT_BITS = 14_284
# Characters of a place in a message. Enough to find it, not enough to flood a model with a 200-level path.
SHOWN_PATH = 120


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(f"a {type(self).__name__} cannot be changed: arguments and results are snapshots")


class NotJSON(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A value that JSON text cannot carry there and back. Its text says what is wrong and where (`$.a[0]`)."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def inside(self, step: str) -> NotJSON:
        """The same fault, seen from one level further out."""
        self.path = step + self.path
        return self

    def __str__(self) -> str:
        place = self.path if len(self.path) <= SHOWN_PATH else self.path[:SHOWN_PATH] + "..."
        return f"${place}: {self.problem}"


class FrozenDict(dict[str, JSONValue]):
    """A `dict` that refuses change. Copies of it (`copy`, `deepcopy`) are itself; `dict(it)` is an ordinary dict."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[JSONValue]):
    """A `list` that refuses change. Copies of it (`copy`, `deepcopy`) are itself; `list(it)` is an ordinary list."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenList, (list(self),))


EMPTY = FrozenDict()


class _Snapshot:
    """One walk: what is on the path (to find cycles) and how many values there were (to find explosions)."""

    __slots__ = ("nodes", "path")

    def __init__(self) -> None:
        self.path: set[int] = set()
        self.nodes = 0

    def value(self, value: object) -> JSONValue:
        # exact types: a subclass could hold more than its text says
        kind = type(value)
        if kind is str:
            return check_text(value)  # type: ignore[arg-type]
        if kind is int:
            return _check_int(value)  # type: ignore[arg-type]
        if kind is bool or value is None:
            return value  # type: ignore[return-value]
        if kind is dict or kind is FrozenDict:
            return self.mapping(value)  # type: ignore[arg-type]
        if kind is list or kind is FrozenList:
            return self.sequence(value)  # type: ignore[arg-type]
        if kind is float:
            return _check_float(value)  # type: ignore[arg-type]
        raise NotJSON(f"a value of type {kind.__name__} is not JSON")

    def enter(self, container: dict[object, object] | list[object]) -> None:
        self.nodes += len(container) + 1
        if id(container) in self.path:
            raise NotJSON("contains itself")
        if len(self.path) >= MAX_DEPTH:
            raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")
        if self.nodes > MAX_NODES:
            raise NotJSON(f"more than {MAX_NODES:,} values")
        self.path.add(id(container))

    def mapping(self, mapping: dict[object, object]) -> FrozenDict:
        self.enter(mapping)
        items: dict[str, JSONValue] = {}
        for key, item in mapping.items():
            if type(key) is not str:
                raise NotJSON(f"a key of type {type(key).__name__} is not a string")
            try:
                items[check_text(key)] = self.value(item)
            except NotJSON as error:
                raise error.inside(f".{key}") from None
        self.path.discard(id(mapping))
        return FrozenDict(items)

    def sequence(self, sequence: list[object]) -> FrozenList:
        self.enter(sequence)
        items: list[JSONValue] = []
        for item in sequence:
            try:
                items.append(self.value(item))
            except NotJSON as error:
                raise error.inside(f"[{len(items)}]") from None
        self.path.discard(id(sequence))
        return FrozenList(items)


def check_text(text: str) -> str:
    """The text itself, if UTF-8 can carry it. Raises `NotJSON` at a lone surrogate."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise NotJSON(f"a lone surrogate at character {error.start} of a string") from None
    return text


def _check_int(number: int) -> int:
    if number.bit_length() > MAX_INT_BITS:
        raise NotJSON("an integer of more than 4,300 digits")
    return number


def _check_float(number: float) -> float:
    if not math.isfinite(number):
        raise NotJSON(f"{number} is not a finite number")
    return number


def freeze(value: object) -> JSONValue:
    """A deep, frozen snapshot of a JSON value; the original is neither changed nor kept.

    Raises `NotJSON` for what JSON text cannot carry: other types (subclasses too), keys that are not strings,
    non-finite numbers, cycles, lone surrogates, more than `MAX_DEPTH` levels or `MAX_NODES` values.
    """
    return _Snapshot().value(value)


def freeze_mapping(mapping: Mapping[str, object]) -> FrozenDict:
    """As `freeze`, for a top level that may be any `Mapping`: each member is read once, and what its accessors raise
    comes out as it is. Raises `NotJSON` as `freeze` does."""
    read: dict[object, object] = {key: mapping[key] for key in mapping}
    return _Snapshot().mapping(read)
