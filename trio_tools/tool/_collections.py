"""Rows for arrays and for objects with free keys: list, tuple, set, dict, and what stands for them in annotations."""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any, get_args, get_origin

from trio_tools.tool._shape import Hook, Misfit, Problem, Shape, Walk, must_be
from trio_tools.values import JSONValue

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
_DICTS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}


def collection(annotation: object, walk: Walk) -> Shape | None:
    """Arrays and objects of any length."""
    origin, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if not isinstance(origin, type):
        return None
    if origin in _LISTS:
        return _list_of(walk.shape(arguments[0] if arguments else object))
    if origin is tuple:
        return _tuple_of(arguments, walk) if annotation is not tuple else _variadic(walk.shape(object))
    if origin in _SETS:
        if not arguments:
            raise TypeError("a set needs the type of its members, such as set[str]")
        return _set_of(walk.shape(arguments[0]), _SETS[origin], hashable=origin is not set)
    if origin in _DICTS:
        key, member = arguments or (str, object)
        return _dict_of(walk.shape(key), walk.shape(member))
    return None


def items_of(value: JSONValue, hook: Hook) -> list[object]:
    """An array's items, each read by the hook. Raises `Misfit` with what is wrong with each."""
    if not isinstance(value, list):
        raise must_be("an array")
    try:
        return [hook(item, None) for item in value]
    except Misfit:
        raise Misfit(_all_problems(enumerate(value), hook)) from None


def _all_problems(members: Any, hook: Hook) -> list[Problem]:
    found: list[Problem] = []
    for step, member in members:
        try:
            hook(member, None)
        except Misfit as misfit:
            found += misfit.inside(step)
    return found


def _list_of(item: Shape) -> Shape:
    hook = item.hook

    def read(value: JSONValue, of: object) -> object:
        if not isinstance(value, list):
            raise must_be("an array")
        try:
            return [hook(item, of) for item in value]
        except Misfit:
            return items_of(value, hook)  # which tells all that is wrong

    schema: dict[str, JSONValue] = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
    return Shape(schema=schema, noun="an array", hook=read, measure="array", trusted=item.trusted)


def _variadic(item: Shape) -> Shape:
    hook = item.hook

    def read(value: JSONValue, _: object) -> object:
        return tuple(items_of(value, hook))

    schema: dict[str, JSONValue] = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
    return Shape(
        schema=schema,
        noun="an array",
        hook=read,
        hashable=item.hashable,
        measure="array",
        trusted=item.trusted,
    )


def _tuple_of(arguments: tuple[object, ...], walk: Walk) -> Shape:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return _variadic(walk.shape(arguments[0]))
    members = [walk.shape(one) for one in arguments]
    count = len(members)
    noun = f"an array of {count} item{'' if count == 1 else 's'}" if count else "an empty array"

    def read(value: JSONValue, _: object) -> object:
        if not isinstance(value, list) or len(value) != count:
            raise must_be(noun)
        try:
            return tuple([member.hook(item, None) for member, item in zip(members, value, strict=True)])
        except Misfit:
            found: list[Problem] = []
            for step, (member, item) in enumerate(zip(members, value, strict=True)):
                found += _all_problems([(step, item)], member.hook)
            raise Misfit(found) from None

    schema: dict[str, JSONValue] = {"type": "array", "maxItems": 0}
    if members:
        schema = {"type": "array", "prefixItems": [one.schema for one in members], "items": False, "minItems": count}
    return Shape(
        schema=schema,
        noun=noun,
        hook=read,
        hashable=all(one.hashable for one in members),
        trusted=all(one.trusted for one in members),
    )


def _set_of(item: Shape, make: Callable[[list[object]], Any], *, hashable: bool) -> Shape:
    if not item.hashable:
        raise TypeError(f"the members of a set must be hashable, and {item.noun} is not; use a list")
    hook = item.hook

    def read(value: JSONValue, _: object) -> object:
        items = items_of(value, hook)
        found = make(items)
        if len(found) != len(items):
            raise must_be("an array without repeats")
        return found

    schema: dict[str, JSONValue] = {"type": "array", "items": item.schema, "uniqueItems": True}
    return Shape(
        schema=schema,
        noun="an array",
        hook=read,
        hashable=hashable,
        measure="array",
        trusted=item.trusted,
    )


def _dict_of(key: Shape, member: Shape) -> Shape:
    if key.schema.get("type") != "string":
        raise TypeError(f"the keys of a JSON object are strings, and so cannot be {key.noun}; use str")
    schema: dict[str, JSONValue] = {"type": "object"}
    free = key.schema == {"type": "string"}
    if not free:
        schema["propertyNames"] = key.schema
    if member.schema:
        schema["additionalProperties"] = member.schema
    key_hook, hook = key.hook, member.hook

    def read(value: JSONValue, _: object) -> object:
        if not isinstance(value, dict):
            raise must_be("an object")
        try:
            if free:
                return {name: hook(one, None) for name, one in value.items()}
            found = {key_hook(name, None): hook(one, None) for name, one in value.items()}
        except Misfit:
            raise Misfit(_dict_problems(value, key_hook, hook)) from None
        if len(found) != len(value):
            raise must_be("an object without two spellings of one key")
        return found

    return Shape(schema=schema, noun="an object", hook=read, measure="object", trusted=key.trusted and member.trusted)


def _dict_problems(value: dict[str, JSONValue], key_hook: Hook, hook: Hook) -> list[Problem]:
    keys = _all_problems(((name, name) for name in value), key_hook)
    return [Problem(one.after, one.path, "the key ") for one in keys] + _all_problems(value.items(), hook)
