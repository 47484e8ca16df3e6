"""A schema taken apart into the ways in which a value may fit it: each is a few plain schemas that hold together,
without a reference or a choice left to follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from trio_tools.values import JSONValue, pointed_at

Schema: TypeAlias = "dict[str, JSONValue]"
Way: TypeAlias = "tuple[Schema, ...]"

# Ways to fit one place. A schema that a person wrote has tens at most; `allOf` of choices multiplies them.
MOST_WAYS = 1_000

_EVERYTHING: list[Way] = [()]


def listed(schema: Schema, keyword: str) -> list[JSONValue]:
    """The value of a keyword that holds a list; an empty one if it holds none."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def named(schema: Schema, keyword: str) -> Schema:
    """The value of a keyword that holds schemas by name; an empty one if it holds none."""
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def ways_of(schemas: Iterable[JSONValue], root: Schema) -> list[Way]:
    """The ways to fit all of these schemas. Raises `ValueError` for a reference that is no pointer into the root, and
    for more ways than anyone could follow."""
    ways = _EVERYTHING
    for schema in schemas:
        ways = _crossed(ways, _ways(schema, root, frozenset()))
    return ways


def _ways(schema: JSONValue, root: Schema, around: frozenset[int]) -> list[Way]:
    if not isinstance(schema, dict):
        return [] if schema is False else _EVERYTHING
    if id(schema) in around:  # it comes back to itself before it has looked into the value
        return []
    inside = around | {id(schema)}
    ways: list[Way] = [(schema,)]
    for part in [*_targets(schema, root), *listed(schema, "allOf")]:
        ways = _crossed(ways, _ways(part, root, inside))
    for choice in ("anyOf", "oneOf"):
        if arms := listed(schema, choice):
            ways = _crossed(ways, [way for arm in arms for way in _ways(arm, root, inside)])
    return ways


def _targets(schema: Schema, root: Schema) -> list[JSONValue]:
    dynamic = [keyword for keyword in ("$dynamicRef", "$recursiveRef") if keyword in schema]
    if dynamic:
        raise ValueError(f"{dynamic[0]} is not followed; write {{'$ref': '#/$defs/...'}}")
    reference = schema.get("$ref")
    if reference is None:
        return []
    target = pointed_at(root, reference) if isinstance(reference, str) else None
    if target is None:
        raise ValueError(f"the $ref {reference!r} is no JSON pointer into the schema, and is not followed")
    return [target]


def _crossed(ways: list[Way], others: list[Way]) -> list[Way]:
    """Every way of the one with every way of the other."""
    if len(ways) * len(others) > MOST_WAYS:
        raise ValueError(f"its choices multiply to more than {MOST_WAYS:,} ways to fit it")
    return [
        (*one, *(part for part in other if all(part is not own for own in one))) for one in ways for other in others
    ]
