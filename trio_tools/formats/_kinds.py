"""The JSON types of values, and what an `enum` and a `const` come to."""

from __future__ import annotations

from trio_tools.formats._walk import Schema, listed, types_of, written
from trio_tools.values import JSONValue


def kind_of(value: JSONValue) -> str:
    """The narrowest JSON type of a value: 2.0 is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if value == int(value) else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def kinds_of(values: list[JSONValue]) -> list[JSONValue]:
    """The types of values, each once, in order."""
    return [*dict.fromkeys(kind_of(value) for value in values)]


def enumerated(schema: Schema) -> list[JSONValue] | None:
    """The values that a schema names by `enum` and `const`, as far as its `type` takes them; None if it names none."""
    if "const" in schema:
        values = [schema["const"]]
        if "enum" in schema and written(values[0]) not in map(written, listed(schema, "enum")):
            return []
    elif "enum" in schema:
        values = listed(schema, "enum")
    else:
        return None
    types = types_of(schema)
    return [
        value
        for value in values
        if not types or kind_of(value) in types or (kind_of(value) == "integer" and "number" in types)
    ]
