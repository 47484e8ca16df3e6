"""Lossless JSON that cannot be changed.

Arguments and results are snapshotted once into `FrozenDict` and `FrozenList`. They are real dicts and lists, so that
`==` and `json.dumps` hold, but every way to change them raises. A snapshot is bounded in depth and in size, finds
cycles, and never lets a value through that JSON text could not carry there and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, Union

JSONValue: TypeAlias = Union[bool, int, float, str, "list[JSONValue]", "dict[str, JSONValue]", None]

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
fill, put = dict[str, JSONValue].update, dict[str, JSONValue].__setitem__
extend, replace = list[JSONValue].extend, list[JSONValue].__setitem__


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


def utf8_size(text: str) -> int:
    """Bytes of a text in UTF-8. Raises `NotJSON` at a lone surrogate."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise NotJSON(f"a lone surrogate at character {error.start} of a string") from None


def check_text(text: str) -> str:
    """The text itself, if UTF-8 can carry it. Raises `NotJSON` at a lone surrogate."""
    utf8_size(text)
    return text


def thaw(mapping: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """A copy in ordinary dicts and lists, free to change."""

    def thawed(value: JSONValue) -> JSONValue:
        if isinstance(value, dict):
            return {name: thawed(member) for name, member in value.items()}
        return [thawed(item) for item in value] if isinstance(value, list) else value

    return {name: thawed(member) for name, member in mapping.items()}
