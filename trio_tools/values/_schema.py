"""What a provider is told of a tool, in canonical form; `formats` turns it into each provider's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypedDict
from urllib.parse import unquote

from trio_tools.values._json import JSONValue


class ToolSchema(TypedDict):
    """Name, description and parameters of a tool. The parameters are JSON Schema 2020-12 (draft 7 if `$schema` says
    so), with a plain `type: object` at the top, in which every `$ref` resolves."""

    name: str
    description: str
    parameters: dict[str, JSONValue]


# Keywords whose value is one schema, a list of them, or schemas by name, in 2020-12 and draft 7; all others hold data
# or bounds. `items` and `dependencies` are two of these.
HOLD_ONE = frozenset(
    {
        *("items", "contains", "additionalItems", "unevaluatedItems", "contentSchema"),
        *("additionalProperties", "propertyNames", "unevaluatedProperties"),
        *("not", "if", "then", "else"),
    }
)
HOLD_MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
HOLD_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})

# An index in a pointer. Seven digits are more than a schema has values.
_INDEX = re.compile(r"0|[1-9][0-9]{0,6}")


def subschemas(root: dict[str, JSONValue]) -> Iterator[dict[str, JSONValue]]:
    """The schema itself and every schema inside it, but for booleans. Iterative: it may come from anywhere."""
    todo: list[JSONValue] = [root]
    while todo:
        schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        yield schema
        for keyword, value in schema.items():
            if keyword in HOLD_ONE:
                todo.append(value)
            if keyword in HOLD_MANY and isinstance(value, list):
                todo += value
            if keyword in HOLD_NAMED and isinstance(value, dict):
                todo += value.values()


def pointed_at(root: dict[str, JSONValue], reference: str) -> JSONValue:
    """What a `$ref` within a schema names, a JSON pointer in the form of a fragment; None if it is no pointer or names
    nothing. What it names may be no schema."""
    hash_, *steps = unquote(reference).split("/")
    found: JSONValue = root if hash_ == "#" else None
    for step in steps:
        found = _member(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def _member(value: JSONValue, key: str) -> JSONValue:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
        return value[int(key)]
    return None
