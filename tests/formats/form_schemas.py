"""Canonical schemas to turn into forms, and how a form is looked into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import jsonschema_rs

from trio_tools.formats import FORMS
from trio_tools.values import ToolSchema

Schema: TypeAlias = dict[str, Any]

BYTES = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
POINT: Schema = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
NODE: Schema = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
    },
    "required": ["value"],
    "additionalProperties": False,
}
# The table of docs/types.md: what each row, as a parameter, comes to in JSON Schema.
ROWS: dict[str, Schema] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "None": {"type": "null"},
    "object": {},
    "Literal": {"enum": ["a", "b"]},
    "Literal of all kinds": {"enum": ["a", 1, True, False, None]},
    "Literal of true": {"enum": [True, "auto"]},
    "Enum": {"enum": [1, 2.5]},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"},
    "UUID": {"type": "string", "format": "uuid"},
    "Decimal": {"type": "string", "pattern": "^-?[0-9]+(?:\\.[0-9]+)?$"},
    "Path": {"type": "string", "minLength": 1},
    "bytes": {"type": "string", "contentEncoding": "base64", "pattern": BYTES},
    "list": {"type": "array", "items": {"type": "string"}},
    "list of anything": {"type": "array", "items": {}},
    "list of points": {"type": "array", "items": {"$ref": "#/$defs/Point"}},
    "tuple of one type": {"type": "array", "items": {"type": "integer"}},
    "tuple": {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}, {"type": "string"}],
        "items": False,
        "minItems": 3,
    },
    "tuple of two alike": {
        "type": "array",
        "prefixItems": [{"type": "number"}, {"type": "number"}],
        "items": False,
        "minItems": 2,
    },
    "set": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "dict": {"type": "object", "additionalProperties": {"type": "integer"}},
    "dict by Literal": {"type": "object", "additionalProperties": {}, "propertyNames": {"enum": ["a", "b"]}},
    "dict by Path": {"type": "object", "additionalProperties": True, "propertyNames": {"minLength": 1}},
    "class": {"$ref": "#/$defs/Point"},
    "class with a description": {"$ref": "#/$defs/Point", "description": "where"},
    "class in place": POINT,
    "TypedDict without keys": {"type": "object", "properties": {}, "additionalProperties": False},
    "recursive class": {"$ref": "#/$defs/Node"},
    "Optional": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "union": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Point"}], "description": "a size"},
    "bounds on int": {"type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 2},
    "bounds on float": {"type": "number", "exclusiveMinimum": 0, "maximum": 1.5},
    "bounds on str": {"type": "string", "minLength": 2, "maxLength": 8, "description": "a short name"},
    "bounds on list": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    "bounds on dict": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 3},
    "default": {"type": "integer", "default": 10, "description": "how many"},
}
# What the subsets have no words for.
NOT_STRICT = {
    *("object", "list of anything", "dict", "dict by Literal", "dict by Path", "bounds on dict"),
}
NOT_GEMINI = {"Literal of true"}


def tool(parameters: Schema, name: str = "search") -> ToolSchema:
    """A tool with these parameters."""
    return {"name": name, "description": "Search the index.", "parameters": parameters}


def of_one(schema: Schema, **definitions: Schema | bool) -> ToolSchema:
    """A tool with one required parameter, `it`."""
    parameters: Schema = {"type": "object", "properties": {"it": schema}, "required": ["it"]}
    return tool({**parameters, "additionalProperties": False, **({"$defs": definitions} if definitions else {})})


def of_row(row: str) -> ToolSchema:
    """A tool whose one parameter is a row of the table, with definitions that it may not use."""
    return of_one(ROWS[row], Point=POINT, Node=NODE)


def takes(form: str, row: str) -> bool:
    """Whether a form has words for a row."""
    return not (row in NOT_STRICT and "strict" in form) and not (row in NOT_GEMINI and form == "gemini")


CASES = [(form, row) for form in FORMS for row in ROWS if takes(form, row)]


def rows_of(form: str) -> list[str]:
    """The rows of the table that go into a form."""
    return [row for row in ROWS if takes(form, row)]


def within(form: dict[str, Any]) -> Schema:
    """The parameters inside a form."""
    inside = form.get("function", form)
    keys = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")
    found: Schema = next(inside[key] for key in keys if key in inside)
    return found


def parameters(form: str, schema: ToolSchema) -> Schema:
    """A tool's parameters in a form."""
    return within(FORMS[form](schema))


def it(form: str, schema: Schema, **definitions: Schema) -> Schema:
    """What a form makes of one required parameter."""
    found: Schema = parameters(form, of_one(schema, **definitions))["properties"]["it"]
    return found


# Where schemas stand in a schema of 2020-12: as the value of a keyword, in its list, by name.
_ONE = {
    *("items", "not", "if", "then", "else", "contains", "contentSchema", "propertyNames"),
    *("additionalProperties", "unevaluatedItems", "unevaluatedProperties"),
}
_MANY = {"allOf", "anyOf", "oneOf", "prefixItems"}
_BY_NAME = {"properties", "patternProperties", "dependentSchemas", "$defs"}


def subschemas(schema: Any) -> Iterator[Schema]:
    """A schema and all in it. Written apart from the package's own walk, to check it."""
    left: list[Any] = [schema]
    while left:
        one: Schema | bool = left.pop()
        if not isinstance(one, bool):
            yield one
            for key, value in one.items():
                left += value.values() if key in _BY_NAME else value if key in _MANY else [value] if key in _ONE else []


def faults(schema: Schema) -> list[str]:
    """What is wrong with the parameters in a form, whichever it is."""
    found: list[str] = []
    if not jsonschema_rs.meta.is_valid({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}):
        found.append("no JSON Schema 2020-12")
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict) or "$ref" in schema:
        found.append("no plain object at the top")
    named = {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    used = {one["$ref"] for one in subschemas(schema) if "$ref" in one}
    found += [f"{one} resolves to nothing" for one in used - named - {"#"}]
    found += [f"{one} is not used" for one in named - used]
    if any(key in one for one in subschemas(schema) for key in ("$schema", "$id", "definitions")):
        found.append("has an address or a dialect of its own")
    return found
