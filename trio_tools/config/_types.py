"""Types of options: what they are called, and whether a bare text can be meant for one."""

from __future__ import annotations

import types
from collections import abc
from datetime import date, datetime, time
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

import attrs

# What arrays become, by the type that is asked for.
ARRAYS: dict[object, type] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    abc.Sequence: tuple,
    abc.Collection: tuple,
    abc.Iterable: tuple,
    abc.MutableSequence: list,
    abc.Set: frozenset,
    abc.MutableSet: set,
}
TABLES: tuple[object, ...] = (dict, abc.Mapping, abc.MutableMapping)
_SCALARS: dict[object, str] = {
    str: "string",
    Path: "path",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime: "date-time",
    date: "date",
    time: "time",
}


def bare(annotation: object) -> Any:
    """The type without what is annotated to it, and what a `NewType` is of."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        else:
            return annotation


def arms_of(annotation: object) -> tuple[object, ...]:
    """The arms of a union, without None, which TOML cannot say; of any other type itself."""
    annotation = bare(annotation)
    if is_union(annotation):
        return tuple(inner for arm in get_args(annotation) if arm is not type(None) for inner in arms_of(arm))
    return (annotation,)


def is_union(annotation: object) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def is_array(annotation: object) -> bool:
    return (get_origin(annotation) or annotation) in ARRAYS


def is_table(annotation: object) -> bool:
    return (get_origin(annotation) or annotation) in TABLES


def is_enum(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Enum)


def is_class(annotation: object) -> bool:
    return isinstance(annotation, type) and attrs.has(annotation)


def is_open(annotation: object) -> bool:
    """Whether anything goes."""
    return annotation is Any or annotation is object


def members_of(annotation: Any) -> tuple[object, ...]:
    """The members of a closed set of choices; of any other type nothing."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(annotation) if is_enum(annotation) else ()


def written_choice(member: object) -> object:
    """A member of a closed set as it stands in a file."""
    return member.value if isinstance(member, Enum) else member


def choices_of(annotation: Any) -> tuple[object, ...]:
    """What a closed set of choices allows in a file; of any other type nothing."""
    return tuple(written_choice(one) for one in members_of(annotation))


def classes_in(annotation: object) -> tuple[type, ...]:
    """The attrs classes that an option's values may be made of."""
    found: list[type] = []
    for arm in arms_of(annotation):
        if isinstance(arm, type) and is_class(arm):
            found.append(arm)
        found.extend(kind for inner in get_args(arm) for kind in classes_in(inner))
    return tuple(dict.fromkeys(found))


def takes_text(annotation: object) -> bool:
    """Whether a text is meant as it stands, rather than as a TOML value."""
    return any(
        arm is str or arm is Path or is_open(arm) or any(isinstance(one, str) for one in choices_of(arm))
        for arm in arms_of(annotation)
    )


def called(annotation: object) -> str:
    """What a type is called where its values are written: `array of string`."""
    names = dict.fromkeys(_called(arm) for arm in arms_of(annotation))
    if "path" in names:
        names.pop("string", None)  # what takes a path as text too
    return " or ".join(names)


def _called(annotation: Any) -> str:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if choices := choices_of(annotation):
        return f"one of {', '.join(shown_choice(one) for one in choices)}"
    if is_array(annotation):
        return _called_array(get_args(annotation))
    if is_table(annotation):
        inner = get_args(annotation)[1:]
        return f"table of {called(inner[0])}" if inner else "table"
    return "table" if is_class(annotation) else "any value"


def _called_array(inner: tuple[object, ...]) -> str:
    if not inner:
        return "array"
    if len(inner) == 1 or inner[1:] == (...,):
        return f"array of {called(inner[0])}"
    return f"array of {', then '.join(called(one) for one in inner)}"


def shown_choice(choice: object) -> str:
    """A choice as it stands in a file."""
    return (
        f'"{choice}"' if isinstance(choice, str) else str(choice).lower() if isinstance(choice, bool) else repr(choice)
    )
