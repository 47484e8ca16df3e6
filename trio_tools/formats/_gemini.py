"""Gemini's subset of JSON Schema, as Google documents it for `parameters_json_schema`."""

from __future__ import annotations

from collections.abc import Iterator

from trio_tools.formats._draft import Draft
from trio_tools.formats._kinds import enumerated, kind_of
from trio_tools.formats._references import find_loop, target_of
from trio_tools.formats._subset import Subset, cut, narrow
from trio_tools.formats._walk import DEFINITIONS, Schema, inner, listed, named, walk
from trio_tools.values import JSONValue

SUBSET = Subset(
    keywords=frozenset(
        {
            *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "anyOf", "oneOf"),
            *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum"),
            *("properties", "additionalProperties", "required", "propertyOrdering"),
        }
    ),
    formats=frozenset({"date-time", "date", "time"}),
    alone=frozenset({"$ref"}),
)
# What an enum may hold, by JSON type.
_ENUM = frozenset({"string", "integer", "number"})


def make_gemini(draft: Draft) -> None:
    """Write a draft in Gemini's subset. Raises `NotInForm` where that would change what the tool takes."""
    for schema in walk(draft.root):
        narrow(draft, schema)
        values = enumerated(schema)
        if values is not None:
            _enumerate(draft, schema, values)
        cut(draft, schema, SUBSET)
    _refuse_required_loops(draft)


def _enumerate(draft: Draft, schema: Schema, values: list[JSONValue]) -> None:
    """Name values with an `enum` for each type that can have one, and with the type for `null` and both booleans."""
    by_kind: dict[str, list[JSONValue]] = {}
    for value in values:
        by_kind.setdefault(kind_of(value), []).append(value)
    booleans = by_kind.get("boolean", [True, False])
    if not values or {"array", "object"} & by_kind.keys() or not (True in booleans and False in booleans):
        raise draft.refusal(
            schema, "this form has no enum of arrays, objects, one boolean, or nothing", "name strings or numbers"
        )
    arms: list[Schema] = [
        {"type": kind, "enum": those} if kind in _ENUM else {"type": kind} for kind, those in by_kind.items()
    ]
    for keyword in ("const", "enum", "type"):
        schema.pop(keyword, None)
    if len(arms) == 1:
        schema.update(arms[0])
    elif "anyOf" in schema:
        raise draft.refusal(schema, "this form has no enum of several types beside anyOf", "write the two as one anyOf")
    else:
        schema["anyOf"] = [*arms]


def _refuse_required_loops(draft: Draft) -> None:
    """Raises `NotInForm` for a schema in itself that no optional property ends: Gemini unrolls those."""

    def after(schema: Schema) -> Iterator[Schema]:
        needed = listed(schema, "required")
        for keyword, _, one in inner(schema):
            if keyword != "properties" and keyword not in DEFINITIONS:
                yield one
        for name, member in named(schema, "properties").items():
            if name in needed and isinstance(member, dict):
                yield member
        if "$ref" in schema:
            yield target_of(draft, schema)

    if (found := find_loop(draft.root, after)) is not None:
        raise draft.refusal(
            found, "it holds itself in places that may not be left out", "make a property on the way optional"
        )
