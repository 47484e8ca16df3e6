"""Classes that a schema defines once and refers to: those that contain themselves, and those that it uses twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias, get_args, get_origin

import attrs

from trio_tools.tool._shape import Shape
from trio_tools.values import JSONValue

Schema: TypeAlias = "dict[str, JSONValue]"

_PREFIX = "#/$defs/"


class _Definition:
    def __init__(self, name: str) -> None:
        self.name = name
        self.shape: Shape | None = None  # None while it is being built
        self.is_referred_to = False

    def reference(self) -> Shape:
        """A shape that refers to this one, which may not be there yet."""
        schema: Schema = {"$ref": f"{_PREFIX}{self.name}"}
        if self.shape is not None:
            return attrs.evolve(self.shape, schema=schema)
        self.is_referred_to = True

        def hook(value: JSONValue, of: object) -> object:
            assert self.shape is not None
            return self.shape.hook(value, of)

        def tell(value: JSONValue, of: object) -> object:
            assert self.shape is not None
            return self.shape.tell(value, of)

        def may_be(value: JSONValue) -> bool:
            return self.shape is None or self.shape.may_be is None or self.shape.may_be(value)

        return Shape(schema=schema, noun="an object", hook=hook, tell=tell, trusted=False, may_be=may_be)


class Definitions:
    """The definitions of one schema, by the annotation that they are of."""

    def __init__(self) -> None:
        self._known: dict[object, _Definition] = {}

    def define(self, annotation: object, build: Callable[[], Shape]) -> Shape:
        """A reference to the shape of a class, which is built if it is new."""
        known = self._known.get(annotation)
        if known is None:
            kind: object = get_origin(annotation) or annotation
            name = "_".join(getattr(one, "__name__", "of") for one in (kind, *get_args(annotation)))
            known = self._known[annotation] = _Definition(self._free(name))
            known.shape = build()
        return known.reference()

    def unfold(self, annotation: object, name: str, build: Callable[[], Shape]) -> Shape:
        """The shape that an alias stands for: itself, or a reference if it contains itself."""
        known = self._known.get(annotation)
        if known is not None:
            return known.reference()
        known = self._known[annotation] = _Definition(self._free(name))
        known.shape = shape = build()
        if any(arm.schema == {"$ref": f"{_PREFIX}{known.name}"} for arm in (shape, *shape.arms)):
            raise TypeError(f"{name} stands for itself")
        if known.is_referred_to:
            return known.reference()
        del self._known[annotation]
        return shape

    def _free(self, name: str) -> str:
        """The name, in letters that a JSON pointer takes as they are, and numbered if another class has it."""
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        taken = {one.name for one in self._known.values()}
        return (
            plain
            if plain not in taken
            else next(n for i in range(2, len(taken) + 3) if (n := f"{plain}{i}") not in taken)
        )

    def finish(self, root: Schema) -> Schema:
        """The schema with the definitions that it needs. What is used once, and not in itself, stands where it is
        used."""
        schemas = {one.name: one.shape.schema for one in self._known.values() if one.shape is not None}
        used: Counter[str] = Counter()
        todo: list[Schema] = [root]
        while todo:
            for name in _names_in(todo.pop(), schemas):
                used[name] += 1
                if used[name] == 1:
                    todo.append(schemas[name])
        kept = [name for name, count in used.items() if count > 1 or _reaches(name, name, schemas)]
        inlined = {name: schemas[name] for name in used if name not in kept}
        finished = _expanded(root, inlined)
        if kept:
            finished["$defs"] = {name: _expanded(schemas[name], inlined) for name in sorted(kept)}
        return finished


def _names_in(schema: JSONValue, schemas: dict[str, Schema]) -> Iterator[str]:
    """The definitions that a schema refers to, as often as it does."""
    if isinstance(schema, dict):
        name = _name_in(schema)
        if name in schemas:
            yield name
        for member in schema.values():
            yield from _names_in(member, schemas)
    elif isinstance(schema, list):
        for item in schema:
            yield from _names_in(item, schemas)


def _name_in(schema: Schema) -> str:
    """The name of the definition that a schema is a reference to; empty if it is none."""
    reference = schema.get("$ref")  # a dict, if a property is called so
    return reference.removeprefix(_PREFIX) if isinstance(reference, str) else ""


def _reaches(start: str, goal: str, schemas: dict[str, Schema]) -> bool:
    seen: set[str] = set()
    todo = [start]
    while todo:
        for name in _names_in(schemas[todo.pop()], schemas):
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return False


def _expanded(schema: Schema, inlined: dict[str, Schema]) -> Schema:
    """A copy of the schema in which these definitions stand where they are referred to; what stands beside a
    reference, a description or a default, holds over the definition's own."""

    def expand(value: JSONValue) -> JSONValue:
        if isinstance(value, list):
            return [expand(item) for item in value]
        if not isinstance(value, dict):
            return value
        definition = inlined.get(_name_in(value))
        if definition is None:
            return {key: expand(member) for key, member in value.items()}
        beside = {key: expand(member) for key, member in value.items() if key != "$ref"}
        return {**_expanded(definition, inlined), **beside}

    expanded = expand(schema)
    assert isinstance(expanded, dict)
    return expanded
