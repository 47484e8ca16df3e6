"""One table of types: what the model is told (JSON Schema) and what the body gets, from the same row.

A row is a `Shape`. What has no row fails when the tool is declared, so that schema and run time never disagree.
Nothing is coerced: a string is never read as a number, and `true` is no integer.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

import attrs

from trio_tools.values import JSONValue

# reads a JSON value found at a path; appends to the problems what does not fit
Read: TypeAlias = Callable[[JSONValue, str, list[str]], object]


@attrs.frozen
class Shape:
    """One type: its `schema`, the `noun` that messages use, and how a JSON value is read as it."""

    schema: dict[str, JSONValue]
    noun: str
    read: Read


def _scalar(name: str, noun: str, fits: Callable[[JSONValue], bool]) -> Shape:
    def read(value: JSONValue, path: str, problems: list[str]) -> object:
        if not fits(value):
            problems.append(f'"{path}" must be {noun}')
        return value

    return Shape({"type": name}, noun, read)


def _read_int(value: JSONValue, path: str, problems: list[str]) -> object:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():  # JSON Schema: 3.0 is an integer
        return int(value)
    problems.append(f'"{path}" must be an integer')
    return value


def _read_float(value: JSONValue, path: str, problems: list[str]) -> object:
    if type(value) is float:
        return value
    if type(value) is int and abs(value) <= 2**53:  # beyond, a float would be another number
        return float(value)
    problems.append(f'"{path}" must be a finite JSON number')
    return value


def _read_anything(value: JSONValue, path: str, problems: list[str]) -> object:
    return value


_ROWS: dict[object, Shape] = {
    str: _scalar("string", "a string", lambda value: type(value) is str),
    bool: _scalar("boolean", "a boolean", lambda value: type(value) is bool),
    type(None): _scalar("null", "null", lambda value: value is None),
    int: Shape({"type": "integer"}, "an integer", _read_int),
    float: Shape({"type": "number"}, "a number", _read_float),
    object: Shape({}, "any JSON value", _read_anything),
    Any: Shape({}, "any JSON value", _read_anything),
}


def shape_of(annotation: object) -> Shape:
    """The row for a type. Raises `TypeError` for one that has none, naming it."""
    row = _ROWS.get(annotation)
    if row is not None:
        return row
    origin, arguments = get_origin(annotation) or annotation, get_args(annotation)
    if origin is Annotated:
        return shape_of(arguments[0])
    if origin is list:
        return _list_of(shape_of(arguments[0] if arguments else object))
    if origin is dict:
        return _dict_of(*(arguments or (str, object)))
    if origin is Union or origin is types.UnionType:
        return _one_of([shape_of(one) for one in arguments])
    shown = getattr(annotation, "__name__", None) if not arguments else None
    raise TypeError(
        f"the type {shown or annotation} has no JSON form here; "
        "use int, float, bool, str, list, dict, None, or a union of them"
    )


def _list_of(item: Shape) -> Shape:
    def read(value: JSONValue, path: str, problems: list[str]) -> object:
        if not isinstance(value, list):
            problems.append(f'"{path}" must be an array')
            return value
        return [item.read(one, f"{path}[{index}]", problems) for index, one in enumerate(value)]

    return Shape({"type": "array", "items": item.schema}, "an array", read)


def _dict_of(key: object, of: object) -> Shape:
    if key is not str:
        raise TypeError(f"the keys of a JSON object are strings, not {getattr(key, '__name__', key)}")
    member = shape_of(of)

    def read(value: JSONValue, path: str, problems: list[str]) -> object:
        if not isinstance(value, dict):
            problems.append(f'"{path}" must be an object')
            return value
        return {name: member.read(one, f"{path}.{name}", problems) for name, one in value.items()}

    return Shape({"type": "object", "additionalProperties": member.schema}, "an object", read)


def _one_of(arms: list[Shape]) -> Shape:
    noun = " or ".join(arm.noun for arm in arms)

    def read(value: JSONValue, path: str, problems: list[str]) -> object:
        closest: list[str] = []
        for arm in arms:
            found: list[str] = []
            result = arm.read(value, path, found)
            if not found:
                return result
            if not found[0].startswith(f'"{path}" must be'):  # the arm fits at the top and fails further in
                closest = found
        problems.extend(closest or [f'"{path}" must be {noun}'])
        return value

    return Shape({"anyOf": [arm.schema for arm in arms]}, noun, read)
