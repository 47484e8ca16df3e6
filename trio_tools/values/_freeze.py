"""The snapshot itself: one iterative walk over whatever came, into frozen containers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
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
    append,
    check_text,
    new_dict,
    new_list,
    put,
    safe,
)

# Gives for a value that is not JSON one that is, or a dict or list of such values. Raises `NotJSON` if there is none.
Convert: TypeAlias = Callable[[object], object]


class _Open:
    """A container that is being copied: what is left of it, what is copied, and where it stands in the one around."""

    __slots__ = ("add", "built", "left", "place", "source")

    def __init__(self, source: object, members: dict[object, object] | list[object], place: str | int) -> None:
        self.source = source
        self.place = place
        if isinstance(members, dict):
            self.left: Iterator[tuple[object, object]] = iter(members.items())
            self.built: FrozenDict | FrozenList = new_dict(FrozenDict)
            self.add: Callable[[Any, JSONValue], None] = partial(put, self.built)
        else:
            self.left = enumerate(members)
            self.built = built = new_list(FrozenList)
            self.add = lambda _, value: append(built, value)


class Limits:
    """How much one snapshot may hold. Counts down, and raises `NotJSON` when it is too much."""

    def __init__(self, *, values: int, containers: int | None = None, size: int | None = None) -> None:
        """`size` is in bytes: those of strings and keys in UTF-8, the digits of numbers, and two for each value."""
        self.values, self._values = values, values
        self.containers, self._containers = containers or values, containers or values
        self.size, self._size = size, size or 0

    def holds(self, members: int) -> None:
        """A container with so many members is met."""
        self._containers -= 1
        self._values -= members
        if self._values < 1:  # the root is one
            raise NotJSON(f"more than {self.values:,} values")
        if self._containers < 0:
            raise NotJSON(f"more than {self.containers:,} arrays and objects")
        self._weighs(2 * members)

    def text(self, value: str) -> None:
        """A string or a key is met."""
        self._weighs(len(value) if value.isascii() else len(value.encode(errors="replace")))

    def number(self, value: int) -> None:
        """A large number is met. Of ten bits each three digits, or a few more."""
        self._weighs(value.bit_length() * 3 // 10)

    def _weighs(self, size: int) -> None:
        self._size -= size
        if self.size is not None and self._size < 0:
            raise NotJSON(f"longer than {self.size:,} bytes")


def _copied(
    source: object, root: dict[object, object] | list[object], convert: Convert | None, limits: Limits
) -> FrozenDict | FrozenList:
    """The snapshot of a container. Iterative, since a caller may be deep itself; it knows what is on the path (to find
    cycles) and how much there was (to find explosions). `root` holds the members of `source`."""
    limits.holds(len(root))
    path = [_Open(source, root, "")]
    on_path = {id(source)}
    step: str | int | None = None  # the step to the value that is looked at
    try:
        while True:
            inner = path[-1]
            for place, item in inner.left:
                step = None
                step = _step(place, inner.built, convert, limits)
                value = item if convert is None else _converted(item, convert)
                kind = type(value)
                if kind in _CONTAINERS:
                    if id(item) in on_path:
                        raise NotJSON("contains itself")
                    if len(path) >= MAX_DEPTH:
                        raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")
                    limits.holds(len(value))  # type: ignore[arg-type]  # narrowed by its exact type
                    on_path.add(id(item))
                    path.append(_Open(item, value, step))  # type: ignore[arg-type]
                    break
                inner.add(step, _scalar(value, kind, limits))
            else:
                path.pop()
                on_path.discard(id(inner.source))
                if not path:
                    return inner.built
                path[-1].add(inner.place, inner.built)
    except NotJSON as error:
        steps = [one.place for one in path[1:]]
        raise NotJSON(error.problem, steps if step is None else [*steps, step]) from None


def _converted(value: object, convert: Convert) -> object:
    """The value itself if its type is one of JSON's; else what `convert` makes of it, and of that, and so on."""
    kind = type(value)
    while kind not in _JSON_TYPES or (kind is float and not math.isfinite(value)):  # type: ignore[arg-type]
        value = convert(value)
        kind = type(value)
    return value


def _step(place: object, container: FrozenDict | FrozenList, convert: Convert | None, limits: Limits) -> str | int:
    if isinstance(container, list):
        assert isinstance(place, int)
        return place
    if type(place) is str and convert is None:
        limits.text(place)
        return check_text(place)
    key = place if convert is None or isinstance(place, (int, float)) else _converted(place, convert)
    if type(key) is not str:
        raise NotJSON(f"a key of type {type(place).__name__} is not a string")
    if key in container:
        raise NotJSON(f'two keys that are both "{safe(key)}"')
    limits.text(key)
    return check_text(key)


def _scalar(value: object, kind: type, limits: Limits) -> JSONValue:
    # exact types: a subclass could hold more than its text says
    if kind is str:
        limits.text(value)  # type: ignore[arg-type]
        return check_text(value)  # type: ignore[arg-type]
    if kind is int:
        return _check_int(value, limits)  # type: ignore[arg-type]
    if kind is bool or value is None:
        return value  # type: ignore[return-value]
    if kind is float:
        return _check_float(value)  # type: ignore[arg-type]
    raise NotJSON(f"a value of type {kind.__name__} is not JSON")


_CONTAINERS = frozenset((list, FrozenList, dict, FrozenDict))
_JSON_TYPES = _CONTAINERS | {str, int, bool, type(None), float}


# Bits of an integer whose digits are not worth counting.
_USUAL = 64
# Bits of an integer that is certainly below that: 4300 * log2(10), less one. A look that costs nothing.
_SURELY_SMALL = 14_283


def _check_int(number: int, limits: Limits) -> int:
    bits = number.bit_length()
    if bits > _USUAL:
        if bits > _SURELY_SMALL and abs(number) >= TOO_LARGE:
            raise NotJSON("an integer of more than 4,300 digits")
        limits.number(number)
    return number


def _check_float(number: float) -> float:
    if not math.isfinite(number):
        raise NotJSON(f"{number} is not a finite number")
    return number


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
    return _scalar(plain, kind, Limits(values=1))


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
