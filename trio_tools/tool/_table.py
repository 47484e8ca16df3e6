"""One table of types: what the model is told (JSON Schema) and what the body gets, from the same row.

A row is a function from an annotation to a `Shape`; the first that answers holds. What has no row fails when the tool
is declared, so that schema and run time never disagree. `docs/types.md` is this table in words.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NewType, TypeVar, get_origin

import attrs

from trio_tools.tool._bindings import bindings_of, substituted
from trio_tools.tool._bounds import annotated
from trio_tools.tool._classes import instance
from trio_tools.tool._collections import collection
from trio_tools.tool._definitions import Definitions
from trio_tools.tool._scalars import ANYTHING, closed_set, scalar
from trio_tools.tool._shape import Row, Shape, Walk
from trio_tools.tool._texts import spelt
from trio_tools.tool._typed_dicts import typed_dict
from trio_tools.tool._unions import union, union_of


def alias(annotation: Any, walk: Walk) -> Shape | None:
    """Names for other types: NewType, `type X = ...`, and type variables that nothing binds."""
    if isinstance(annotation, NewType):
        return walk.shape(annotation.__supertype__)
    if isinstance(annotation, TypeVar):
        if getattr(annotation, "has_default", bool)():  # since 3.13
            return walk.shape(getattr(annotation, "__default__"))  # noqa: B009 - older checkers know none
        if annotation.__constraints__:
            return union_of([walk.shape(one) for one in annotation.__constraints__])
        return ANYTHING if annotation.__bound__ is None else walk.shape(annotation.__bound__)
    named = get_origin(annotation) or annotation
    if type(named).__name__ == "TypeAliasType":  # of typing since 3.12, of typing_extensions before
        return walk.unfold(annotation, lambda inner: inner.among(bindings_of(annotation)[named]).shape(named.__value__))
    return None


ROWS: tuple[Row, ...] = (scalar, closed_set, spelt, collection, typed_dict, instance, union, annotated, alias)


class _Walk:
    """The way of one declaration through the table, and what type variables stand for where it is."""

    def __init__(self, definitions: Definitions, bindings: Mapping[object, object] | None = None) -> None:
        self.definitions = definitions
        self.bindings = bindings or {}

    def shape(self, annotation: object) -> Shape:
        annotation = substituted(annotation, self.bindings)
        for row in ROWS:
            found = row(annotation, self)
            if found is not None:
                return found
        raise TypeError(_no_row(annotation))

    def define(self, annotation: object, build: Callable[[Walk], Shape]) -> Shape:
        return self.definitions.define(annotation, lambda: build(_Walk(self.definitions)))

    def unfold(self, annotation: object, build: Callable[[Walk], Shape]) -> Shape:
        return self.definitions.unfold(annotation, _shown(annotation), lambda: build(_Walk(self.definitions)))

    def among(self, bindings: Mapping[object, object]) -> Walk:
        return _Walk(self.definitions, bindings)


def _no_row(annotation: object) -> str:
    """Why an annotation has no shape, and what to write instead."""
    kind = type(annotation)
    if attrs.has(kind) or dataclasses.is_dataclass(kind):
        return f"a {kind.__name__} is a value, and not a type"
    if isinstance(annotation, str):
        return f"{annotation!r} is text, and not a type"
    instead = _INSTEAD.get(annotation, "a scalar, a list or dict, an attrs class, a dataclass or a TypedDict")
    return f"the type {_shown(annotation)} has no JSON form here; use {instead} (docs/types.md has the whole table)"


_INSTEAD: dict[object, str] = {
    timedelta: "a float of seconds, with the unit in its name",
    complex: "two floats",
    re.Pattern: "a str",
}


def _shown(annotation: object) -> str:
    name = getattr(annotation, "__name__", None)
    return name if isinstance(name, str) and get_origin(annotation) is None else str(annotation)


def shape_of(annotation: object) -> Shape:
    """The shape of a type that stands alone, its definitions within. Raises `TypeError` for one without a row."""
    definitions = Definitions()
    shape = _Walk(definitions).shape(annotation)
    return attrs.evolve(shape, schema=definitions.finish(shape.schema))


def walk_of(definitions: Definitions) -> Walk:
    """A walk for the parameters of one function, which share their definitions."""
    return _Walk(definitions)
