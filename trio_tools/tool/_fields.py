"""The members of attrs classes and dataclasses, as their `__init__` takes them."""

from __future__ import annotations

import dataclasses
from typing import Any, get_origin

import attrs

from trio_tools.tool._bindings import hints_of
from trio_tools.values import is_attrs

# Factories of defaults that are shown, since what they make is the same each time.
_EMPTY = (list, tuple, set, frozenset, dict)
_FACTORY: Any = attrs.Factory  # a class, which checkers take for a function


@attrs.frozen(eq=False, repr=False)
class Field:
    """One member of a class as its `__init__` has it: its `name` there, its `attribute`, its type and default."""

    name: str
    attribute: str
    annotation: object
    required: bool
    default: object = attrs.NOTHING


def fields_of(kind: Any) -> list[Field]:
    """The members that the `__init__` of an attrs class or a dataclass takes. Raises `TypeError` for one without a
    type."""
    hints = hints_of(kind, f"the class {kind.__name__}")
    found: list[Field] = []
    if is_attrs(kind):
        for one in attrs.fields(kind):
            if one.init:
                annotation = hints.get(one.name, one.type)
                required, default = one.default is attrs.NOTHING, one.default
                if isinstance(default, _FACTORY):
                    default = _made_by(default.factory)
                found.append(Field(one.alias, one.name, annotation, required, default))
    else:
        _refuse_init_vars(kind, hints)
        for each in dataclasses.fields(kind):
            if each.init:
                factory, default = each.default_factory, each.default
                required = default is dataclasses.MISSING and factory is dataclasses.MISSING
                default = _made_by(factory) if default is dataclasses.MISSING else default
                found.append(Field(each.name, each.name, hints[each.name], required, default))
    for field in found:
        if field.annotation is None and field.attribute not in hints:
            raise TypeError(f"field {field.name!r} of {kind.__name__} needs an annotation")
    return found


def _made_by(factory: object) -> object:
    kind: Any = get_origin(factory) or factory  # list, or list[str]
    return kind() if any(kind is one for one in _EMPTY) else attrs.NOTHING


def _refuse_init_vars(kind: type, hints: dict[str, object]) -> None:
    for name, hint in hints.items():
        if isinstance(hint, dataclasses.InitVar):
            raise TypeError(f"the InitVar {name!r} of {kind.__name__} has no JSON form, since no instance keeps it")
