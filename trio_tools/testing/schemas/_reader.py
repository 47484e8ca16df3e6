"""A JSON Schema read as plans.

Known are the keywords that trio_tools itself tells models, and those that schemas by hand commonly have. What is not
known (`not`, `if`, `contains`, `dependentSchemas` and such) only narrows, and is left to the tool, which is asked of
all that was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import attrs

from trio_tools.testing.schemas._numbers import number_in
from trio_tools.testing.schemas._plans import Array, Node, Object, OneOf, Plan, Text, measure
from trio_tools.testing.schemas._texts import compiled
from trio_tools.testing.schemas._ways import Schema, Way, listed, named, ways_of
from trio_tools.values import JSONValue

_KINDS = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
# What a keyword speaks of, where no `type` stands beside it.
_SPEAKS_OF = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format", "contentEncoding"), "string"),
    **dict.fromkeys(("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"), "array"),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties", "propertyNames"), "object"),
    **dict.fromkeys(("required", "minProperties", "maxProperties", "dependentRequired"), "object"),
}
_STRING: Schema = {"type": "string"}


class Reader:
    """Reads one schema. The same schemas at two places make one node, so that what contains itself comes to an end."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        # by identity of the schemas that hold there together, which are kept so that it stays theirs
        self._nodes: dict[frozenset[int], tuple[Node, list[JSONValue]]] = {}
        self._unread: list[tuple[Node, list[JSONValue]]] = []
        self._names: dict[str, Schema] = {}

    def top(self, given: Iterable[str]) -> list[Object]:
        """The arguments as a whole, without the properties that are given. Those that can be followed have a height.

        Raises `ValueError` for a schema that is not followed, and for a given name that is no property.
        """
        place = self._node([self._root])
        while self._unread:
            node, schemas = self._unread.pop()
            node.plans = [plan for way in ways_of(schemas, self._root) for plan in self._plans(way)]
        measure(node for node, _ in self._nodes.values())
        plans = [plan for plan in place.plans if isinstance(plan, Object)]
        known = {name: None for plan in plans for name in (*plan.required, *plan.optional)}
        if unknown := [name for name in given if name not in known]:
            raise ValueError(f"it has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}")
        return [_without(plan, frozenset(given)) for plan in plans]

    def _node(self, schemas: Iterable[JSONValue]) -> Node:
        """The place where all of these hold."""
        together = {id(one): one for one in schemas if one is not True}
        key = frozenset(together)
        if key not in self._nodes:
            self._nodes[key] = Node(), [*together.values()]
            self._unread.append(self._nodes[key])
        return self._nodes[key][0]

    def _plans(self, way: Way) -> Iterator[Plan]:
        kinds, values = _kinds(way), _values(way)
        if values is not None:
            if fitting := tuple([one for one in values if _kind(one) in kinds]):
                yield OneOf(fitting)
            return
        if "null" in kinds:
            yield OneOf((None,))
        if "boolean" in kinds:
            yield OneOf((False, True))
        if "integer" in kinds:
            number = number_in(way, whole="number" not in kinds)
            if number.is_possible():
                yield number
        if "string" in kinds:
            least, most = _between(way, "minLength", "maxLength")
            patterns, formats = _texts(way, "pattern"), _texts(way, "format")
            if most is None or least <= most:
                yield Text(patterns, formats, least, most)
        if "array" in kinds:
            yield from self._array(way)
        if "object" in kinds:
            yield from self._object(way)

    def _array(self, way: Way) -> Iterator[Array]:
        least, most = _between(way, "minItems", "maxItems")
        if most is not None and least > most:
            return
        # `items` is a list in older drafts, and `additionalItems` what comes after it
        rows = [listed(schema, "prefixItems") or listed(schema, "items") for schema in way]
        rests = [
            schema.get("additionalItems" if isinstance(schema.get("items"), list) else "items", True) for schema in way
        ]
        first = [
            self._node(row[place] if place < len(row) else rest for row, rest in zip(rows, rests, strict=True))
            for place in range(max(map(len, rows), default=0))
        ]
        unique = any(schema.get("uniqueItems") is True for schema in way)
        yield Array(tuple(first), self._node(rests), least, most, unique)

    def _object(self, way: Way) -> Iterator[Object]:
        least, most = _between(way, "minProperties", "maxProperties")
        if most is not None and least > most:
            return
        needed = {name: None for schema in way for name in listed(schema, "required") if isinstance(name, str)}
        declared = {name: None for schema in way for name in named(schema, "properties")}
        is_listed = any("properties" in schema for schema in way)
        places = {
            name: self._node([rule for schema in way for rule in _rules(schema, name)])
            for name in [*declared, *(name for name in needed if name not in declared)]
        }
        yield Object(
            required={name: place for name, place in places.items() if name in needed},
            optional={name: place for name, place in places.items() if name not in needed},
            others=tuple(self._others(way, is_open=not is_listed or least > len(places))),
            least=least,
            most=most,
        )

    def _others(self, way: Way, *, is_open: bool) -> Iterator[tuple[Node, Node]]:
        """Names and values beside those that are declared. Where a schema names its properties, and only leaves open
        that there may be others, there are none: the tool would hardly know what to do with them."""
        rules = [schema.get("additionalProperties", True) for schema in way]
        names = [schema["propertyNames"] for schema in way if "propertyNames" in schema]
        if is_open or any(isinstance(rule, dict) for rule in rules):
            yield self._node([_STRING, *names]), self._node(rules)
        for pattern in {pattern: None for schema in way for pattern in named(schema, "patternProperties")}:
            spelling = self._names.setdefault(pattern, {"type": "string", "pattern": pattern})
            values = [
                named(schema, "patternProperties").get(pattern, rule) for schema, rule in zip(way, rules, strict=True)
            ]
            yield self._node([spelling, *names]), self._node(values)


def _without(plan: Object, given: frozenset[str]) -> Object:
    return attrs.evolve(
        plan,
        required={name: node for name, node in plan.required.items() if name not in given},
        optional={name: node for name, node in plan.optional.items() if name not in given},
    )


def _rules(schema: Schema, name: str) -> list[JSONValue]:
    """What a schema asks of the property of this name."""
    properties = named(schema, "properties")
    found = [properties[name]] if name in properties else []
    found += [rule for pattern, rule in named(schema, "patternProperties").items() if compiled(pattern).search(name)]
    return found or [schema.get("additionalProperties", True)]


def _kinds(way: Way) -> frozenset[str]:
    """The types that a way allows, `integer` wherever `number` is. Where it names none, those that it speaks of."""
    kinds = _KINDS
    for schema in way:
        if "type" in schema:
            said = {one for one in (listed(schema, "type") or [schema["type"]]) if isinstance(one, str)}
            kinds &= said | {"integer"} if "number" in said else said
    if kinds is _KINDS:
        spoken = {_SPEAKS_OF[keyword] for schema in way for keyword in schema if keyword in _SPEAKS_OF}
        kinds = frozenset(spoken | {"integer"} if "number" in spoken else spoken) or _KINDS
    return kinds


def _values(way: Way) -> list[JSONValue] | None:
    """The values that all closed sets of a way have; None if there is no such set."""
    sets = [listed(schema, "enum") for schema in way if "enum" in schema]
    sets += [[schema["const"]] for schema in way if "const" in schema]
    if not sets:
        return None
    written = [{_written(one) for one in values} for values in sets]
    return [one for one in sets[0] if all(_written(one) in others for others in written)]


def _written(value: JSONValue) -> str:
    """One text for all that are one value to JSON Schema: 1 and 1.0 are."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _kind(value: JSONValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "null" if value is None else "array" if isinstance(value, list) else "object"


def _texts(way: Way, keyword: str) -> tuple[str, ...]:
    found = [schema[keyword] for schema in way if keyword in schema]
    return tuple(dict.fromkeys(one for one in found if isinstance(one, str)))


def _between(way: Way, least: str, most: str) -> tuple[int, int | None]:
    """The tightest of two bounds that count something."""
    return max(_counts(way, least), default=0), min(_counts(way, most), default=None)


def _counts(way: Way, keyword: str) -> list[int]:
    said = [schema.get(keyword) for schema in way]
    return [int(one) for one in said if isinstance(one, (int, float))]
