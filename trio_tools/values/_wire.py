"""Frozen data as JSON and back.

Only what a store or a file needs: results, calls and events. Every document carries a format version, and a newer
one than this code knows is refused, not guessed at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

import attrs

from trio_tools.values._content import ContentBlock
from trio_tools.values._errors import Cause
from trio_tools.values._events import CallEvent
from trio_tools.values._freeze import freeze, freeze_mapping
from trio_tools.values._json import FrozenDict, JSONValue, NotJSON
from trio_tools.values._result import EffectState
from trio_tools.values._strict import WrongKind, noun_of, strict_converter

if TYPE_CHECKING:
    import cattrs

# Counts changes of the written form that older readers cannot take.
FORMAT_VERSION = 1

_NOUNS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
    list: "an array",
    dict: "an object",
}
T = TypeVar("T")


@cache
def _converter() -> cattrs.Converter:
    converter = strict_converter(_NOUNS)
    converter.register_structure_hook(float, _finite(converter.get_structure_hook(float)))
    converter.register_unstructure_hook(str, _plain_text)
    for member_of in (Cause, EffectState):
        converter.register_structure_hook(member_of, lambda value, kind: kind(value))
    converter.register_structure_hook_factory(_is_tuple, _listed)
    converter.register_structure_hook_func(_is_json_value, lambda value, _: freeze(value))
    converter.register_unstructure_hook_func(_is_json_value, freeze)
    converter.register_structure_hook_func(lambda kind: kind == Mapping[str, object] | str, _arguments)
    converter.register_unstructure_hook_func(lambda kind: kind == Mapping[str, object] | str, _written_arguments)
    converter.register_structure_hook(FrozenDict, lambda value, _: _object(value))
    converter.register_unstructure_hook(FrozenDict, freeze)
    _tell_apart(converter, ContentBlock, "type")
    _tell_apart(converter, CallEvent, "event")
    return converter


def _tell_apart(converter: cattrs.Converter, union: Any, key: str) -> None:
    """Members of a union say under this key which they are. How one is written, and how it is read, is worked out when
    the first comes: for all at once it takes longer than most processes have to write."""
    kinds = _kinds(union)
    tags = {kind: tag for tag, kind in kinds.items()}

    def structure(value: dict[str, Any], _: object) -> object:
        fields = value.copy()
        return converter.structure(fields, kinds[fields.pop(key)])

    def unstructure(value: object) -> dict[str, Any]:
        tag = tags[type(value)]  # of a class that is derived from one nobody could read what is written
        return {**converter.unstructure(value), key: tag}

    converter.register_structure_hook(union, structure)
    converter.register_unstructure_hook(union, unstructure)


def _finite(number: Callable[[Any, Any], Any]) -> Callable[[Any, Any], float]:
    """Python reads an `Infinity` and a `NaN`, and JSON has neither."""

    def structure(value: Any, kind: Any) -> float:
        read: float = number(value, kind)
        if not math.isfinite(read):
            raise ValueError("must be a finite number")
        return read

    return structure


def _is_tuple(kind: object) -> bool:
    return bool(get_origin(kind) is tuple)


def _listed(kind: Any, converter: cattrs.Converter) -> Callable[[Any, Any], Any]:
    from cattrs.cols import homogenous_tuple_structure_factory

    inner = homogenous_tuple_structure_factory(kind, converter)

    def structure(value: Any, of: Any) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise WrongKind("an array", noun_of(value, _NOUNS))
        items: tuple[object, ...] = inner(value, of)
        return items

    return structure


def _plain_text(text: str) -> str:
    return text if type(text) is str else str(text)  # a code may be a member of a StrEnum


def _object(value: object) -> FrozenDict:
    if not isinstance(value, dict):
        raise NotJSON("not an object")
    return freeze_mapping(value)  # pyright: ignore[reportUnknownArgumentType]


def _arguments(value: object, _: object) -> FrozenDict | str:
    return value if isinstance(value, str) else _object(value)


def _written_arguments(value: Mapping[str, object] | str) -> FrozenDict | str:
    return value if isinstance(value, str) else freeze_mapping(value)


def _is_json_value(kind: object) -> bool:
    # resolving annotations expands the recursive alias, so it is known by its scalar members
    return {type(None), bool, int, float, str} <= set(get_args(kind))


def _tag(kind: type) -> str:
    return kind.__name__.removeprefix("Call").lower()


def _kinds(union: Any) -> dict[str, Any]:
    """The members of a union, by what is written of which they are."""
    return {_tag(kind): kind for kind in get_args(union)}


_EVENTS = _kinds(CallEvent)


def to_json(data: attrs.AttrsInstance) -> dict[str, JSONValue]:
    """A call, result or event as plain JSON, with its format version. Raises `NotJSON` for a call whose arguments are
    not JSON."""
    kind = CallEvent if type(data) in get_args(CallEvent) else type(data)
    return {"version": FORMAT_VERSION, **_converter().unstructure(data, unstructure_as=kind)}


def event_from_json(document: object) -> CallEvent:
    """The event that `to_json` wrote, of whichever kind. Raises `ValueError` saying what is wrong with the document."""
    if not isinstance(document, dict):
        raise ValueError(f"not a JSON object but {type(document).__name__}")
    fields: dict[str, object] = dict(document)  # pyright: ignore[reportUnknownArgumentType]
    tag = fields.get("event")
    if not isinstance(tag, str) or tag not in _EVENTS:
        raise ValueError(f"not an event: its kind must be one of {', '.join(sorted(_EVENTS))}")
    event: CallEvent = from_json(_EVENTS[tag], fields)
    return event


def from_json(kind: type[T], document: object) -> T:
    """What `to_json` wrote. Raises `ValueError` saying what is wrong with the document."""
    if not isinstance(document, dict):
        raise ValueError(f"not a JSON object but {type(document).__name__}")
    fields: dict[str, object] = dict(document)  # pyright: ignore[reportUnknownArgumentType]
    version = fields.pop("version", None)
    if type(version) is not int or version != FORMAT_VERSION:
        raise ValueError(f"format version {version!r} cannot be read here; this is version {FORMAT_VERSION}")
    name = getattr(kind, "__name__", str(kind))
    if kind in get_args(CallEvent) and fields.pop("event", None) != _tag(kind):
        raise ValueError(f"not a {name}")
    import cattrs

    try:
        return _converter().structure(fields, kind)
    except cattrs.BaseValidationError as error:
        raise ValueError(f"not a {name}: {'; '.join(cattrs.transform_error(error))}") from None
    except (KeyError, TypeError, ValueError) as error:
        # a union whose tag is missing or unknown; a member that is no container
        raise ValueError(f"not a {name}: {type(error).__name__}: {error}") from None
