"""Frozen data as JSON and back.

Only what a store or a file needs: results, calls and events. Every document carries a format version, and a newer
one than this code knows is refused, not guessed at.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar, get_args

import attrs
import cattrs
from cattrs.strategies import configure_tagged_union

from trio_tools.values._content import ContentBlock
from trio_tools.values._events import CallEvent
from trio_tools.values._json import FrozenDict, JSONValue, NotJSON, freeze, freeze_mapping

# Counts changes of the written form that older readers cannot take.
FORMAT_VERSION = 1

T = TypeVar("T")


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)

    def frozen(value: object, _: object) -> JSONValue:
        return freeze(value)

    def frozen_dict(value: object, _: object) -> FrozenDict:
        if not isinstance(value, dict):
            raise NotJSON("not an object")
        return freeze_mapping(value)  # pyright: ignore[reportUnknownArgumentType]

    def as_it_is(value: object) -> object:
        return value

    converter.register_structure_hook_func(_is_json_value, frozen)
    converter.register_unstructure_hook_func(_is_json_value, as_it_is)

    def frozen_arguments(value: object, _: object) -> FrozenDict | str:
        return value if isinstance(value, str) else frozen_dict(value, None)

    converter.register_structure_hook_func(lambda kind: kind == Mapping[str, object] | str, frozen_arguments)
    converter.register_structure_hook(FrozenDict, frozen_dict)
    converter.register_unstructure_hook(FrozenDict, as_it_is)
    configure_tagged_union(ContentBlock, converter, tag_generator=_tag, tag_name="type")
    configure_tagged_union(CallEvent, converter, tag_generator=_tag, tag_name="event")
    return converter


def _is_json_value(kind: object) -> bool:
    # resolving annotations expands the recursive alias, so it is known by its scalar members
    return {type(None), bool, int, float, str} <= set(get_args(kind))


def _tag(kind: type) -> str:
    return kind.__name__.removeprefix("Call").lower()


def to_json(data: attrs.AttrsInstance) -> dict[str, JSONValue]:
    """A call, result or event as plain JSON, with its format version."""
    kind = CallEvent if type(data) in get_args(CallEvent) else type(data)
    return {"version": FORMAT_VERSION, **_converter().unstructure(data, unstructure_as=kind)}


def from_json(kind: type[T], document: object) -> T:
    """What `to_json` wrote. Raises `ValueError` saying what is wrong with the document."""
    if not isinstance(document, dict):
        raise ValueError(f"not a JSON object but {type(document).__name__}")
    fields: dict[str, object] = dict(document)  # pyright: ignore[reportUnknownArgumentType]
    version = fields.pop("version", None)
    if version != FORMAT_VERSION:
        raise ValueError(f"format version {version!r} cannot be read here; this is version {FORMAT_VERSION}")
    try:
        return _converter().structure(fields, kind)
    except cattrs.BaseValidationError as error:
        problems = "; ".join(cattrs.transform_error(error))
        raise ValueError(f"not a {getattr(kind, '__name__', kind)}: {problems}") from None
