"""The snapshot itself: one iterative walk over whatever came, into frozen containers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from sys import maxsize
from typing import Any, TypeAlias

from trio_tools.values._json import (
    EMPTY,
    MAX_DEPTH,
    MAX_NODES,
    TOO_LARGE,
    FrozenDict,
    FrozenList,
    JSONValue,
    NotJSON,
    extend,
    new_dict,
    new_list,
    put,
    replace,
    safe,
    utf8_size,
)

# Gives for a value that is not JSON one that is, or a dict or list of such values. Raises `NotJSON` if there is none.
Convert: TypeAlias = Callable[[object], object]


class Limits:
    """How much one snapshot may hold. Counts down, and raises `NotJSON` when it is too much."""

    __slots__ = ("_containers", "_size", "_values", "containers", "size", "values")

    def __init__(self, *, values: int, containers: int | None = None, size: int | None = None) -> None:
        """`size` is in bytes: those of strings and keys in UTF-8, the digits of numbers, and two for each value."""
        self.values = self._values = values
        self.containers = self._containers = containers or values
        self.size = self._size = maxsize if size is None else size

    def holds(self, members: int) -> None:
        """A container with so many members is met."""
        self._containers -= 1
        self._values -= members
        self._size -= 2 * members
        if self._values < 1:  # the root is one
            raise NotJSON(f"more than {self.values:,} values")
        if self._containers < 0:
            raise NotJSON(f"more than {self.containers:,} arrays and objects")
        if self._size < 0:
            raise self._too_long()

    def text(self, value: str) -> None:
        """A string or a key is met. One of more characters than there are bytes left is not even encoded."""
        size = len(value)
        if not value.isascii() and size <= self._size:
            size = utf8_size(value)
        self._size -= size
        if self._size < 0:
            raise self._too_long()

    def number(self, value: int) -> None:
        """A large number is met. Of ten bits each three digits, or a few more."""
        self._size -= value.bit_length() * 3 // 10
        if self._size < 0:
            raise self._too_long()

    def _too_long(self) -> NotJSON:
        return NotJSON(f"longer than {self.size:,} bytes")


# What is left of a container that is being copied, and its copy, which nobody else has yet.
_Open: TypeAlias = tuple[Iterator[tuple[Any, object]], FrozenDict | FrozenList]


def _copied(
    source: object, root: dict[object, object] | list[object], convert: Convert | None, limits: Limits
) -> FrozenDict | FrozenList:
    """The snapshot of a container. Iterative, since a caller may be deep itself; it knows what is on the path (to find
    cycles) and how much there was (to find explosions). `root` holds the members of `source`."""
    on_path = {id(source): source}  # held on to, so that no other gets its id
    left, built = _opened(root, limits)
    around: list[_Open] = []  # containers that wait for the one inside them, the outermost first
    steps: list[str | int] = []  # from each of them to the next
    step: str | int | None = None  # to the value that is looked at
    try:
        while True:
            is_object = type(built) is FrozenDict
            add: Callable[[Any, Any, Any], None] = put if is_object else replace
            for place, item in left:
                if is_object:
                    step = None  # a key that is at fault is no step
                    place = place if convert is None and type(place) is str else _key(place, built, convert)
                    limits.text(place)
                step = place
                value = item if convert is None else _converted(item, convert)
                kind = type(value)
                if kind in _CONTAINERS:
                    if id(item) in on_path:
                        raise NotJSON("contains itself")
                    if len(on_path) >= MAX_DEPTH:
                        raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")
                    around.append((left, built))
                    left, inner = _opened(value, limits)  # type: ignore[arg-type]  # narrowed by its exact type
                    on_path[id(item)] = item
                    steps.append(place)
                    add(built, place, inner)
                    built = inner
                    break
                if kind is str:
                    limits.text(value)  # type: ignore[arg-type]  # as above
                else:
                    _check_scalar(value, kind, limits)
                add(built, place, value)
            else:
                if not around:
                    return built
                on_path.popitem()
                steps.pop()
                left, built = around.pop()
    except NotJSON as error:
        raise NotJSON(error.problem, steps if step is None else [*steps, step]) from None


def _opened(members: dict[object, object] | list[object], limits: Limits) -> _Open:
    limits.holds(len(members))
    if isinstance(members, dict):
        return iter(members.items()), new_dict(FrozenDict)
    built = new_list(FrozenList)
    extend(built, members)  # type: ignore[arg-type]  # each is looked at, and replaced, before it is seen
    return enumerate(built), built


def _converted(value: object, convert: Convert) -> object:
    """The value itself if its type is one of JSON's; else what `convert` makes of it, and of that, and so on."""
    kind = type(value)
    while kind not in _JSON_TYPES or (kind is float and not math.isfinite(value)):  # type: ignore[arg-type]
        value = convert(value)
        kind = type(value)
    return value


def _key(place: object, built: FrozenDict | FrozenList, convert: Convert | None) -> str:
    """A key that is a string, and another than those before it."""
    key = place if convert is None or isinstance(place, (int, float)) else _converted(place, convert)
    if type(key) is not str:
        raise NotJSON(f"a key of type {type(place).__name__} is not a string")
    if key in built:
        raise NotJSON(f'two keys that are both "{safe(key)}"')
    return key


def _check_scalar(value: Any, kind: type, limits: Limits) -> None:
    # exact types: a subclass could hold more than its text says
    if kind is str:
        limits.text(value)
    elif kind is int:
        bits = value.bit_length()
        if bits > _USUAL:
            if bits > _SURELY_SMALL and abs(value) >= TOO_LARGE:
                raise NotJSON("an integer of more than 4,300 digits")
            limits.number(value)
    elif kind is float:
        if not math.isfinite(value):
            raise NotJSON(f"{value} is not a finite number")
    elif kind is not bool and value is not None:
        raise NotJSON(f"a value of type {kind.__name__} is not JSON")


_CONTAINERS = frozenset((list, FrozenList, dict, FrozenDict))
_JSON_TYPES = _CONTAINERS | {str, int, bool, type(None), float}


# Bits of an integer whose digits are not worth counting.
_USUAL = 64
# Bits of an integer that is certainly below that: 4300 * log2(10), less one. A look that costs nothing.
_SURELY_SMALL = 14_283


def freeze(value: object, *, convert: Convert | None = None, max_bytes: int | None = None) -> JSONValue:
    """A deep, frozen snapshot of a JSON value; the original is neither changed nor kept.

    `convert` is asked about every value, key and non-finite number that is not JSON; without it such are refused.
    Raises `NotJSON` for what JSON text cannot carry: other types (subclasses too), keys that are not strings,
    non-finite numbers, cycles, lone surrogates, more than `MAX_DEPTH` levels or `MAX_NODES` values.
    """
    plain = value if convert is None else _converted(value, convert)
    kind = type(plain)
    if kind in _CONTAINERS:
        return _copied(value, plain, convert, Limits(values=MAX_NODES, size=max_bytes))  # type: ignore[arg-type]  # narrowed by its exact type
    _check_scalar(plain, kind, Limits(values=1, size=max_bytes))
    return plain  # type: ignore[return-value]  # which has just been checked


def freeze_mapping(mapping: Mapping[str, object], *, limits: Limits | None = None) -> FrozenDict:
    """As `freeze`, for a top level that may be any `Mapping`: each member is read once, and what its accessors raise
    comes out as it is. Raises `NotJSON` as `freeze` does, and for more than `limits` allow."""
    if mapping is EMPTY:
        return EMPTY
    limits = limits or Limits(values=MAX_NODES)
    if len(mapping) > limits.values:
        raise NotJSON(f"more than {limits.values:,} values")
    keys = list(islice(mapping, limits.values))  # a mapping that has more, or no end, is not read to it
    frozen = _copied(mapping, {key: mapping[key] for key in keys}, None, limits)
    assert isinstance(frozen, FrozenDict)
    return frozen
