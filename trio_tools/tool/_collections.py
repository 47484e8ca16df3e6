"""Rows for arrays and for objects with free keys: list, tuple, set, dict, and what stands for them in annotations."""

from __future__ import annotations

import collections.abc
import typing
from collections.abc import Callable, Iterable
from typing import Any, get_args, get_origin

from trio_tools.tool._scalars import TEXT
from trio_tools.tool._shape import Hook, Misfit, Problem, Shape, Step, Walk, must_be, telling
from trio_tools.values import JSONValue

# Members of one set that may share a hash with another of them: -1 and -2 do.
MOST_ALIKE = 100

_LISTS = {
    list,
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Collection,
    collections.abc.Iterable,
}
_SETS: dict[object, Callable[[list[object]], Any]] = {
    set: set,
    collections.abc.MutableSet: set,
    frozenset: frozenset,
    collections.abc.Set: frozenset,
}
_ANY_TUPLE = (tuple, typing.Tuple)  # noqa: UP006 - the old name, bare, is written too
_DICTS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}


def collection(annotation: object, walk: Walk) -> Shape | None:
    """Arrays and objects of any length."""
    origin, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if not isinstance(origin, type):
        return None
    if origin in _LISTS:
        return _array_of(walk.shape(arguments[0] if arguments else object), None)
    if origin is tuple:
        return (
            _array_of(walk.shape(object), tuple)
            if any(annotation is one for one in _ANY_TUPLE)
            else _tuple_of(arguments, walk)
        )
    if origin in _SETS:
        if not arguments:
            raise TypeError("a set needs the type of its members, such as set[str]")
        return _set_of(walk.shape(arguments[0]), _SETS[origin], hashable=origin is not set)
    if origin in _DICTS:
        key, member = arguments or (str, object)
        return _dict_of(walk.shape(key), walk.shape(member))
    return None


def gathered(members: Iterable[tuple[Step, JSONValue, Hook]]) -> list[object]:
    """All members, each read by its hook. Raises `Misfit` with what is wrong with any of them."""
    made: list[object] = []
    found: list[Problem] = []
    for step, member, hook in members:
        try:
            made.append(hook(member, None))
        except Misfit as misfit:
            found += misfit.inside(step)
        if telling.left <= 0:
            raise Misfit(found)
    if found:
        raise Misfit(found)
    return made


def _array_of(
    item: Shape, make: Callable[[list[object]], object] | None, *, hashable: bool = False, unique: bool = False
) -> Shape:
    """An array of any length, and what `make` makes of its items."""

    def hook(value: JSONValue, _: object) -> object:
        if not isinstance(value, list):
            raise must_be("an array")
        items = [item.hook(one, None) for one in value]
        return items if make is None else make(items)

    def tell(value: JSONValue, _: object) -> object:
        if not isinstance(value, list):
            raise must_be("an array")
        items = gathered((step, one, item.tell) for step, one in enumerate(value))
        return items if make is None else make(items)

    schema: dict[str, JSONValue] = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
    if unique:
        schema["uniqueItems"] = True
    return Shape(
        schema=schema, noun="an array", hook=hook, tell=tell, measure="array", trusted=item.trusted, hashable=hashable
    )


def _tuple_of(arguments: tuple[object, ...], walk: Walk) -> Shape:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item = walk.shape(arguments[0])
        return _array_of(item, tuple, hashable=item.hashable)
    members = [walk.shape(one) for one in arguments]
    count = len(members)
    noun = f"an array of {count} item{'' if count == 1 else 's'}" if count else "an empty array"

    def check(value: JSONValue) -> list[JSONValue]:
        if not isinstance(value, list) or len(value) != count:
            raise must_be(noun)
        return value

    def hook(value: JSONValue, _: object) -> object:
        return tuple([one.hook(item, None) for one, item in zip(members, check(value), strict=True)])

    def tell(value: JSONValue, _: object) -> object:
        items = enumerate(check(value))
        return tuple(gathered((step, item, one.tell) for one, (step, item) in zip(members, items, strict=True)))

    schema: dict[str, JSONValue] = {"type": "array", "maxItems": 0}
    if members:
        schema = {"type": "array", "prefixItems": [one.schema for one in members], "items": False, "minItems": count}
    return Shape(
        schema=schema,
        noun=noun,
        hook=hook,
        tell=tell,
        hashable=all(one.hashable for one in members),
        trusted=all(one.trusted for one in members),
    )


def _set_of(item: Shape, make: Callable[[list[object]], Any], *, hashable: bool) -> Shape:
    if not item.hashable:
        raise TypeError(f"the members of a set must be hashable, and {item.noun} is not; use a list")

    def distinct(items: list[object]) -> object:
        found = make(items) if _tells_apart(items) else ()
        if len(found) != len(items):
            raise must_be("an array without repeats")
        return found

    return _array_of(item, distinct, hashable=hashable, unique=True)


def _tells_apart(members: list[object]) -> bool:
    """Whether few enough members share a hash that Python tells them apart in no time. Numbers can be written so that
    all of them do; of as many by chance some would be equal."""
    return len(members) - len(set(map(hash, members))) <= MOST_ALIKE


def _dict_of(key: Shape, member: Shape) -> Shape:
    if key.schema.get("type") != "string":
        raise TypeError(f"the keys of a JSON object are strings, and so cannot be {key.noun}; use str")
    schema: dict[str, JSONValue] = {"type": "object"}
    if key.schema != {"type": "string"}:
        schema["propertyNames"] = key.schema
    if member.schema:
        schema["additionalProperties"] = member.schema

    def hook(value: JSONValue, _: object) -> object:
        if not isinstance(value, dict):
            raise must_be("an object")
        if key is TEXT:
            return {name: member.hook(one, None) for name, one in value.items()}
        names = [_key(name, key.hook) for name in value]
        return _paired(names, [member.hook(one, None) for one in value.values()])

    def tell(value: JSONValue, _: object) -> object:
        if not isinstance(value, dict):
            raise must_be("an object")
        names: list[object] = []
        found: list[Problem] = []
        for name in value:
            try:
                names.append(_key(name, key.tell))
            except Misfit as misfit:
                found += misfit.problems
            if telling.left <= 0:
                raise Misfit(found)
        try:
            members = gathered((name, one, member.tell) for name, one in value.items())
        except Misfit as misfit:
            raise Misfit([*found, *misfit.problems]) from None
        if found:
            raise Misfit(found)
        return _paired(names, members)

    trusted = key.trusted and member.trusted
    return Shape(schema=schema, noun="an object", hook=hook, tell=tell, measure="object", trusted=trusted)


def _key(name: str, hook: Hook) -> object:
    try:
        return hook(name, None)
    except Misfit as misfit:
        raise Misfit([Problem(one.after, one.path, "the key ") for one in misfit.inside(name)]) from None


def _paired(names: list[object], members: list[object]) -> dict[object, object]:
    made = dict(zip(names, members, strict=True)) if _tells_apart(names) else {}
    if len(made) != len(names):
        raise must_be("an object without two spellings of one key")
    return made
