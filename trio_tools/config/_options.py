"""The options of a config class: what its `__init__` takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any, get_type_hints

import attrs

from trio_tools.config._problems import words_of
from trio_tools.registry import OptionFacts, option_facts
from trio_tools.values import is_attrs

# Classes whose options are remembered, for a config asks for them time and again: more than a program has plugins.
_REMEMBERED = 128


@attrs.frozen(eq=False)
class Option:
    """One option: its `name` in a file, the `annotation` that a value must fit, and the attrs `field` behind it."""

    name: str
    annotation: Any
    field: attrs.Attribute[Any]
    facts: OptionFacts

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.field.default is attrs.NOTHING


def options_of(kind: type) -> tuple[Option, ...]:
    """The options of a config class, in the order of its fields. Raises `TypeError` for a class that is none of attrs,
    or whose types cannot be resolved."""
    if not isinstance(kind, type) or not attrs.has(kind) or not is_attrs(kind):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"the plugin's config class {getattr(kind, '__name__', kind)} is no attrs class")
    return _options_of(kind)


@lru_cache(maxsize=_REMEMBERED)
def _options_of(kind: type[attrs.AttrsInstance]) -> tuple[Option, ...]:
    try:
        hints = get_type_hints(kind, include_extras=True)
    except Exception as thrown:  # annotations are any code
        raise TypeError(f"the types of {kind.__name__} cannot be resolved: {words_of(thrown)}") from None
    return tuple(
        Option(one.alias or one.name, _taken(one, hints.get(one.name, one.type)), one, option_facts(one.metadata))
        for one in attrs.fields(kind)
        if one.init
    )


def _taken(field: attrs.Attribute[Any], annotation: object) -> object:
    """What a field takes: what its converter says that it takes, if it says so, and else the field's own type."""
    converter: Any = field.converter  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(field.converter, attrs.Converter):  # pyright: ignore[reportUnknownMemberType]
        converter = converter.converter
    if inspect.isroutine(converter):
        annotation = _first_parameter(converter) or annotation
    return object if annotation is None else annotation


def _first_parameter(function: Callable[..., object]) -> object:
    try:
        hints = get_type_hints(function, include_extras=True)
        return hints.get(next(iter(inspect.signature(function).parameters), ""))
    except Exception:  # annotations are any code, and builtins may have no signature
        return None
