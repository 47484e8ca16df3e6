"""OpenAI's strict form: every object closed, every property required, every value of a stated type.

What it takes, the tool takes, apart from bounds that it has no keyword for: those are told in the description.
"""

from __future__ import annotations

from trio_tools.formats._draft import Draft
from trio_tools.formats._kinds import enumerated, kinds_of
from trio_tools.formats._references import target_of
from trio_tools.formats._spelling import end_at
from trio_tools.formats._subset import Subset, cut, narrow
from trio_tools.formats._walk import Schema, all_within, listed, named, types_of, walk, written
from trio_tools.formats._words import label, tell
from trio_tools.values import JSONValue

SUBSET = Subset(
    keywords=frozenset(
        {
            *("$defs", "$ref", "anyOf", "type", "enum", "const", "title", "description"),
            *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"),
        }
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    alone=frozenset({"$ref", "anyOf"}),
)
# Keywords that say something of objects only, of arrays only. Beside another type they are idle, and may be refused.
_APPLIES: dict[str, frozenset[str]] = {
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
}


def make_strict(draft: Draft) -> None:
    """Write a draft in the strict subset. Raises `NotInForm` where that would change what the tool takes."""
    for schema in walk(draft.root):
        narrow(draft, schema)
        if SUBSET.alone.isdisjoint(schema):
            _type(draft, schema)
        cut(draft, schema, SUBSET)


def _type(draft: Draft, schema: Schema) -> None:
    """State the type, and all that it calls for."""
    values = enumerated(schema)
    if values is not None:
        _enumerate(draft, schema, values)
    elif "type" not in schema:  # what speaks of objects is meant for objects
        schema["type"] = [kind for kind, keywords in _APPLIES.items() if not keywords.isdisjoint(schema)]
    types = types_of(schema)
    if not types:
        raise draft.refusal(schema, "this form has no words for a value of any type", "say which types it takes")
    if len(types) == 1:
        schema["type"] = types[0]
    for kind, keywords in _APPLIES.items():
        if kind not in types:
            for keyword in keywords & schema.keys():
                del schema[keyword]
    if "object" in types:
        _close(draft, schema)
    if "array" in types:
        _itemize(draft, schema)


def _enumerate(draft: Draft, schema: Schema, values: list[JSONValue]) -> None:
    kinds = kinds_of(values)
    if not values or "array" in kinds or "object" in kinds:
        raise draft.refusal(schema, "this form has no enum of arrays, objects, or nothing", "name plain values")
    schema["type"] = kinds
    if "const" in schema:
        schema.pop("enum", None)
    else:
        schema["enum"] = values


def _close(draft: Draft, schema: Schema) -> None:
    """Close an object, and require all its properties."""
    properties, needed = named(schema, "properties"), [str(name) for name in listed(schema, "required")]
    extra = schema.get("additionalProperties", not properties)
    if extra is not False:
        raise draft.refusal(schema, "this form has no objects with free keys", "declare the properties, and no others")
    if unknown := [name for name in needed if name not in properties]:
        raise draft.refusal(schema, f"the required key {unknown[0]!r} is not declared", "add it to the properties")
    for name, one in properties.items():
        if name not in needed and isinstance(one, dict) and "default" not in one and not _takes_null(draft, one):
            raise draft.refusal(
                one,
                "this form has no optional keys, and this one has no default to tell",
                "give it a default that JSON can show, or let it be null",
            )
    schema.update({"properties": properties, "required": [*properties], "additionalProperties": False})


def _takes_null(draft: Draft, schema: Schema) -> bool:
    """Whether null is plainly among what a schema takes."""
    left, seen = [schema], set[int]()
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        values = enumerated(one)
        if "null" in types_of(one) if values is None else None in values:
            return True
        if "$ref" in one and all_within(one, frozenset({"$ref"})):
            left.append(target_of(draft, one))
        for keyword in ("anyOf", "oneOf", "allOf"):  # more than one in an `allOf` are refused when their turn comes
            if all_within(one, frozenset({keyword})):
                left += [arm for arm in listed(one, keyword) if isinstance(arm, dict)]
    return False


def _itemize(draft: Draft, schema: Schema) -> None:
    """Say of an array what its items are, whatever their place: a tuple's order goes into the description."""
    members = [one for one in listed(schema, "prefixItems") if isinstance(one, dict)]
    rest = schema.get("items")
    if members:
        del schema["prefixItems"]
        if rest is None:
            end_at(schema, len(members))
        order = ", ".join(label(one) for one in members)
        distinct: list[JSONValue] = [*{written(one): one for one in [*members, rest] if one is not None}.values()]
        schema["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
        if len(distinct) > 1:
            tell(schema, f"In this order: {order}{', then any others' if rest is not None else ''}.")
    elif rest is None:
        raise draft.refusal(schema, "this form has no arrays of anything", "say what the items are")
