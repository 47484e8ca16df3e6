"""What a provider is told of a tool, in canonical form; `formats` turns it into each provider's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from trio_tools.values._json import JSONValue


class ToolSchema(TypedDict):
    """Name, description and parameters of a tool. The parameters are JSON Schema 2020-12 (draft 7 if `$schema` says
    so), with a plain `type: object` at the top, in which every `$ref` resolves."""

    name: str
    description: str
    parameters: dict[str, JSONValue]


# Keywords whose value is a schema, a list of schemas, or schemas by name; all others hold data or bounds.
_ONE = {
    *("items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties"),
    *("propertyNames", "not", "if", "then", "else", "contentSchema"),
}
_MANY = {"items", "prefixItems", "allOf", "anyOf", "oneOf"}
_NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}


def subschemas(root: dict[str, JSONValue]) -> Iterator[dict[str, JSONValue]]:
    """The schema itself and every schema inside it, but for booleans. Iterative: it may come from anywhere."""
    todo: list[JSONValue] = [root]
    while todo:
        schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        yield schema
        for keyword, value in schema.items():
            if keyword in _ONE:
                todo.append(value)
            if keyword in _MANY and isinstance(value, list):
                todo += value
            if keyword in _NAMED and isinstance(value, dict):
                todo += value.values()
