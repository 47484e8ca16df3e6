"""Lossless JSON that cannot be changed.

Arguments and results are snapshotted once into `FrozenDict` and `FrozenList`. They are real dicts and lists, so that
`==` and `json.dumps` hold, but every way to change them raises. A snapshot is bounded in depth and in size, finds
cycles, and never lets a value through that JSON text could not carry there and back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, Union

JSONValue: TypeAlias = Union[bool, int, float, str, "list[JSONValue]", "dict[str, JSONValue]", None]
# Gives for a value that is not JSON one that is, or a dict or list of such values. Raises `NotJSON` if there is none.
Convert: TypeAlias = Callable[[object], object]

# Levels of nesting (D28). Twice what real arguments use, and far below what the interpreter's stack and json take.
MAX_DEPTH = 200
# Values in one snapshot. A structure that shares parts can be small in memory and endless as text; a tool result of a
# million values is of no use to a model.
MAX_NODES = 1_000_000
# Decimal digits of a number: as many as CPython turns to text and back.
MAX_DIGITS = 4_300
TOO_LARGE = 10**MAX_DIGITS  # the first integer of more digits
# Characters of a place in a message. Enough to find it, not enough to flood a model with a 200-level path.
SHOWN_PATH = 120


class NotJSON(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A value that JSON text cannot carry there and back. Its text says what is wrong and where (`$.a[0]`)."""

    def __init__(self, problem: str, path: Sequence[str | int] = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = "".join(f"[{step}]" if isinstance(step, int) else f".{safe(step)}" for step in path)

    def __str__(self) -> str:
        place = self.path if len(self.path) <= SHOWN_PATH else self.path[:SHOWN_PATH] + "..."
        return f"${place}: {self.problem}"


def safe(text: str) -> str:
    """The text with every lone surrogate shown as `?`, so that UTF-8 can carry it."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(f"a {type(self).__name__} cannot be changed: arguments and results are snapshots")


# frozen containers are filled past their own methods, at the speed of C
new_dict, new_list = dict.__new__, list.__new__
fill, put, extend = dict[str, JSONValue].update, dict[str, JSONValue].__setitem__, list[JSONValue].extend


class FrozenDict(dict[str, JSONValue]):
    """A `dict` whose own methods refuse change. Copies of it (`copy`, `deepcopy`) are itself; `dict(it)` is an ordinary
    dict."""

    __slots__ = ()

    def __new__(cls, members: Mapping[str, JSONValue] | Iterable[tuple[str, JSONValue]] = ()) -> FrozenDict:
        made = new_dict(cls)
        fill(made, members)
        return made

    def __init__(self, members: Mapping[str, JSONValue] | Iterable[tuple[str, JSONValue]] = ()) -> None:
        """Does nothing: `dict`'s own would change an instance that it is called on again."""

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[JSONValue]):
    """A `list` whose own methods refuse change. Copies of it (`copy`, `deepcopy`) are itself; `list(it)` is an ordinary
    list."""

    __slots__ = ()

    def __new__(cls, items: Iterable[JSONValue] = ()) -> FrozenList:
        made = new_list(cls)
        extend(made, items)
        return made

    def __init__(self, items: Iterable[JSONValue] = ()) -> None:
        """Does nothing: `list`'s own would change an instance that it is called on again."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenList, (list(self),))


EMPTY = FrozenDict()


class _Open:
    """A container that is being copied: what is left of it, what is copied, and where it stands in the one around."""

    __slots__ = ("built", "left", "place", "source")

    def __init__(self, source: object, members: dict[object, object] | list[object], place: str | int) -> None:
        self.source = source
        self.place = place
        self.left = iter(members.items()) if isinstance(members, dict) else enumerate(members)
        self.built: dict[str, JSONValue] | list[JSONValue] = {} if isinstance(members, dict) else []

    def add(self, place: str | int, value: JSONValue) -> None:
        if isinstance(self.built, list):
            self.built.append(value)
        else:
            self.built[str(place)] = value

    def closed(self) -> FrozenDict | FrozenList:
        return FrozenList(self.built) if isinstance(self.built, list) else FrozenDict(self.built)


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

    def weighs(self, value: object) -> None:
        """A key or a value that holds no others is met."""
        if isinstance(value, str):
            self._size -= len(value) if value.isascii() else len(value.encode(errors="replace"))
        elif isinstance(value, int):
            self._size -= value.bit_length() * 3 // 10  # of ten bits each three digits, or a few more
        self._size -= 2
        if self._size < 0:
            raise NotJSON(f"longer than {self.size:,} bytes")


def _copied(
    source: object, root: dict[object, object] | list[object], convert: Convert | None, limits: Limits
) -> FrozenDict | FrozenList:
    """The snapshot of a container. Iterative, since a caller may be deep itself; it knows what is on the path (to find
    cycles) and how much there was (to find explosions). `root` holds the members of `source`."""
    limits.holds(len(root))
    path = [_Open(source, root, "")]
    on_path = {id(source)}
    at: list[str | int] = []  # the step to the value that is looked at
    try:
        while True:
            inner = path[-1]
            for place, item in inner.left:
                at = []
                step = _step(place, inner.built, convert)
                at = [step]
                if limits.size is not None and isinstance(step, str):
                    limits.weighs(step)
                value = item if convert is None else _converted(item, convert)
                kind = type(value)
                if kind in _LISTS or kind in _DICTS:
                    if id(item) in on_path:
                        raise NotJSON("contains itself")
                    if len(path) >= MAX_DEPTH:
                        raise NotJSON(f"nested more than {MAX_DEPTH} levels deep")
                    limits.holds(len(value))  # type: ignore[arg-type]  # narrowed by its exact type
                    on_path.add(id(item))
                    path.append(_Open(item, value, step))  # type: ignore[arg-type]
                    break
                if limits.size is not None:
                    limits.weighs(value)
                inner.add(step, _scalar(value, kind))
            else:
                path.pop()
                on_path.discard(id(inner.source))
                if not path:
                    return inner.closed()
                path[-1].add(inner.place, inner.closed())
    except NotJSON as error:
        raise NotJSON(error.problem, [*(one.place for one in path[1:]), *at]) from None


def _converted(value: object, convert: Convert) -> object:
    """The value itself if its type is one of JSON's; else what `convert` makes of it, and of that, and so on."""
    kind = type(value)
    while kind not in _JSON_TYPES or (kind is float and not math.isfinite(value)):  # type: ignore[arg-type]
        value = convert(value)
        kind = type(value)
    return value


def _step(place: object, container: object, convert: Convert | None) -> str | int:
    if isinstance(container, list):
        assert isinstance(place, int)
        return place
    if type(place) is str and convert is None:
        return check_text(place)
    key = place if convert is None or isinstance(place, (int, float)) else _converted(place, convert)
    if type(key) is not str:
        raise NotJSON(f"a key of type {type(place).__name__} is not a string")
    if isinstance(container, dict) and key in container:
        raise NotJSON(f'two keys that are both "{safe(key)}"')
    return check_text(key)


def _scalar(value: object, kind: type) -> JSONValue:
    # exact types: a subclass could hold more than its text says
    if kind is str:
        return check_text(value)  # type: ignore[arg-type]
    if kind is int:
        return _check_int(value)  # type: ignore[arg-type]
    if kind is bool or value is None:
        return value  # type: ignore[return-value]
    if kind is float:
        return _check_float(value)  # type: ignore[arg-type]
    raise NotJSON(f"a value of type {kind.__name__} is not JSON")


_LISTS = (list, FrozenList)
_DICTS = (dict, FrozenDict)
_JSON_TYPES = frozenset((str, int, bool, type(None), float, *_LISTS, *_DICTS))


def check_text(text: str) -> str:
    """The text itself, if UTF-8 can carry it. Raises `NotJSON` at a lone surrogate."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise NotJSON(f"a lone surrogate at character {error.start} of a string") from None
    return text


# Bits of an integer that is certainly below that: 4300 * log2(10), less one. A look that costs nothing.
_SURELY_SMALL = 14_283


def _check_int(number: int) -> int:
    if number.bit_length() > _SURELY_SMALL and abs(number) >= TOO_LARGE:
        raise NotJSON("an integer of more than 4,300 digits")
    return number


def _check_float(number: float) -> float:
    if not math.isfinite(number):
        raise NotJSON(f"{number} is not a finite number")
    return number


def freeze(value: object, *, convert: Convert | None = None) -> JSONValue:
    """A deep, frozen snapshot of a JSON value; the original is neither changed nor kept.

    `convert` is asked about every value, key and non-finite number that is not JSON; without it such are refused.
    Raises `NotJSON` for what JSON text cannot carry: other types (subclasses too), keys that are not strings,
    non-finite numbers, cycles, lone surrogates, more than `MAX_DEPTH` levels or `MAX_NODES` values.
    """
    plain = value if convert is None else _converted(value, convert)
    kind = type(plain)
    if kind in _LISTS or kind in _DICTS:
        return _copied(value, plain, convert, Limits(values=MAX_NODES))  # type: ignore[arg-type]  # narrowed by its exact type
    return _scalar(plain, kind)


def freeze_mapping(mapping: Mapping[str, object], *, limits: Limits | None = None) -> FrozenDict:
    """As `freeze`, for a top level that may be any `Mapping`: each member is read once, and what its accessors raise
    comes out as it is. Raises `NotJSON` as `freeze` does, and for more than `limits` allow."""
    if mapping is EMPTY:
        return EMPTY
    limits = limits or Limits(values=MAX_NODES)
    if len(mapping) > limits.values:
        raise NotJSON(f"more than {limits.values:,} values")
    frozen = _copied(mapping, {key: mapping[key] for key in mapping}, None, limits)
    assert isinstance(frozen, FrozenDict)
    return frozen


def thaw(mapping: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """A copy in ordinary dicts and lists, free to change."""

    def thawed(value: JSONValue) -> JSONValue:
        if isinstance(value, dict):
            return {name: thawed(member) for name, member in value.items()}
        return [thawed(item) for item in value] if isinstance(value, list) else value

    return {name: thawed(member) for name, member in mapping.items()}
