"""What TOML's values become, by type: strictly, and telling everything that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, get_args, get_origin

import cattrs

from trio_tools.config._problems import Misfit, Problem, problems_in
from trio_tools.config._types import (
    ARRAYS,
    arms_of,
    called,
    choices_of,
    is_array,
    is_class,
    is_enum,
    is_open,
    is_table,
    is_union,
    members_of,
    shown_choice,
    written_choice,
)
from trio_tools.values import WrongKind, noun_of, strict_converter

ReadText: TypeAlias = Callable[[str], str]
ReadClass: TypeAlias = Callable[[type, Mapping[str, object]], object]
_Hook: TypeAlias = Callable[[Any, Any], Any]

NOUNS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
    type(None): "nothing",
    list: "an array",
    tuple: "an array",
    dict: "a table",
    datetime: "a date-time",
    date: "a date",
    time: "a time",
}


def converter_for(read_text: ReadText, read_class: ReadClass) -> cattrs.Converter:
    """A converter that reads every text, wherever it stands, with `read_text`, and tables for attrs classes with
    `read_class`. Its hooks raise `WrongKind`, `Misfit`, and what the classes' own code raises."""
    converter = strict_converter(NOUNS)
    text = partial(_text, converter.get_structure_hook(str), read_text)
    numbers: list[tuple[type, _Hook]] = [(one, converter.get_structure_hook(one)) for one in (int, float)]
    scalars: list[tuple[type, _Hook]] = [(str, text), *numbers]
    for kind, hook in scalars:
        converter.register_structure_hook(kind, partial(_scalar, read_text, hook, kind))
    converter.register_structure_hook(Path, lambda value, _: value if isinstance(value, Path) else Path(text(value)))
    for kind in (datetime, date, time):
        converter.register_structure_hook(kind, partial(_dated, kind))
    shaped: list[tuple[Callable[[Any], bool], Callable[[Any, cattrs.Converter], _Hook]]] = [
        (is_open, lambda _, __: partial(_anything, read_text)),
        (lambda kind: bool(choices_of(kind)), lambda kind, _: partial(_choice, read_text, kind)),
        (is_union, lambda kind, by: partial(_union, by, kind)),
        (is_array, lambda kind, by: partial(_array, by, kind)),
        (is_table, lambda kind, by: partial(_table, by, kind)),
        (is_class, lambda kind, _: lambda value, _: read_class(kind, _as_table(value))),
    ]
    for fits, factory in shaped:
        converter.register_structure_hook_factory(fits, factory)
    return converter


def _scalar(read_text: ReadText, hook: _Hook, of: type, value: object, kind: Any) -> object:
    """Hooks of scalars are found by base class, so that enums of strings and of numbers come here too."""
    if is_enum(kind):
        return _choice(read_text, kind, value, kind)
    if kind is not of:
        raise cattrs.StructureHandlerNotFoundError("only the type itself", kind)
    return hook(value, kind)


def _text(exactly: _Hook, read_text: ReadText, value: object, _: object = str) -> str:
    return read_text(exactly(value, str))


def _dated(kind: type, value: object, _: object) -> object:
    if type(value) is not kind:
        raise WrongKind(NOUNS[kind], noun_of(value, NOUNS))
    return value


def _anything(read_text: ReadText, value: object, _: object) -> object:
    if isinstance(value, str):
        return read_text(value)
    if isinstance(value, (list, tuple)):
        items: list[object] = [*value]  # pyright: ignore[reportUnknownArgumentType]
        return _each(enumerate(items), lambda item: _anything(read_text, item, object))
    if isinstance(value, dict):
        members: dict[str, object] = {**value}  # pyright: ignore[reportUnknownArgumentType]
        keys = _each(((key, key) for key in members), read_text)
        return dict(zip(keys, _each(members.items(), lambda item: _anything(read_text, item, object)), strict=True))
    return value


def _choice(read_text: ReadText, kind: Any, value: object, _: object) -> object:
    plain = read_text(value) if type(value) is str else value
    for member in members_of(kind):
        choice = written_choice(member)
        if member is plain or (type(choice) is type(plain) and choice == plain):
            return member
    raise ValueError(f"must be one of {', '.join(shown_choice(one) for one in choices_of(kind))}")


def _union(converter: cattrs.Converter, kind: Any, value: object, _: object) -> object:
    """The first arm that fits, the value's own type before all others: 3 stays a whole number for `float | int`."""
    if value is None and type(None) in get_args(kind):
        return None
    arms: list[Any] = sorted(arms_of(kind), key=lambda arm: arm is not type(value))
    refusals: list[Exception] = []
    for arm in arms:
        try:
            return converter.structure(value, arm)
        except Exception as refusal:
            refusals.append(refusal)
    # what is wrong inside a value of the right kind tells more than that it is not of the other kinds
    raise next((one for one in refusals if not isinstance(one, WrongKind)), None) or WrongKind(
        " or ".join(dict.fromkeys(one.wanted for one in refusals if isinstance(one, WrongKind))), noun_of(value, NOUNS)
    )


def _array(converter: cattrs.Converter, kind: Any, value: object, _: object) -> object:
    if not isinstance(value, (list, tuple)):
        raise WrongKind("an array", noun_of(value, NOUNS))
    items: list[object] = [*value]  # pyright: ignore[reportUnknownArgumentType]
    made, inner = ARRAYS[get_origin(kind) or kind], get_args(kind)
    if made is not tuple or inner[1:] in ((), (...,)):
        element = inner[0] if inner else Any
        elements = _each(enumerate(items), lambda item: converter.structure(item, element))
        return made(elements)  # pyright: ignore[reportUnknownVariableType]
    if len(items) != len(inner):
        raise ValueError(f"must be an {called(kind)}: {len(inner)} values, not {len(items)}")
    pairs = zip(items, inner, strict=True)
    return tuple(_each(enumerate(pairs), lambda pair: converter.structure(*pair)))


def _table(converter: cattrs.Converter, kind: Any, value: object, _: object) -> object:
    members = _as_table(value)
    key_type, inner = get_args(kind) or (str, Any)
    keys = _each(((key, key) for key in members), lambda key: converter.structure(key, key_type))
    return dict(zip(keys, _each(members.items(), lambda item: converter.structure(item, inner)), strict=True))


def _as_table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise WrongKind("a table", noun_of(value, NOUNS))
    return {str(key): member for key, member in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _each(items: Any, read: Callable[[Any], object]) -> list[object]:
    """What comes of each item. Raises `Misfit` with what is wrong with any of them, and where."""
    made: list[object] = []
    problems: list[Problem] = []
    for step, item in items:
        try:
            made.append(read(item))
        except Exception as thrown:
            problems += [one.inside(step) for one in problems_in(thrown)]
    if problems:
        raise Misfit(problems)
    return made
