"""What must hold of every schema, whatever is sent: strict JSON, valid, whole, and honest about its defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from trio_tools.values import JSONValue

# Where a schema has schemas: under these names by name, in these as a list, and in these as they are.
_NAMED = ("properties", "$defs")
_LISTED = ("anyOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "propertyNames")


def validator(schema: JSONValue) -> jsonschema_rs.Validator:
    """The other implementation that the run time is compared with."""
    plain: dict[str, Any] = json.loads(json.dumps(schema))
    return jsonschema_rs.validator_for(plain, offline=True, validate_formats=True)


def faults(schema: dict[str, JSONValue]) -> list[str]:
    """All that is wrong with a schema by itself."""
    try:
        json.dumps(schema, allow_nan=False).encode()
    except (ValueError, TypeError, UnicodeEncodeError) as error:
        return [f"the schema is no strict JSON: {error}"]
    found = [] if schema.get("type") == "object" else ["the top of the schema is no plain object"]
    if not isinstance(schema.get("properties"), dict) or schema.keys() & {"anyOf", "allOf", "oneOf", "$ref"}:
        found.append("the top of the schema is more than an object with properties")
    try:
        jsonschema_rs.meta.validate(schema)
    except (ValueError, TypeError) as error:
        return [*found, f"the schema is not valid: {error}"]
    inside = list(subschemas(schema))
    unresolved = [
        f"{reference} leads nowhere"
        for one in inside
        if isinstance(reference := one.get("$ref"), str) and not resolves(schema, reference)
    ]
    return found + (unresolved or [fault for one in inside for fault in _default_faults(one, schema)])


def subschemas(schema: JSONValue) -> Iterator[dict[str, JSONValue]]:
    """The schema and all schemas in it, told from what only looks like one, as a default may."""
    if not isinstance(schema, dict):
        return
    yield schema
    for word, inner in schema.items():
        if word in _NAMED and isinstance(inner, dict):
            parts = [*inner.values()]
        elif word in _LISTED and isinstance(inner, list):
            parts = inner
        else:
            parts = [inner] if word in _SINGLE else []
        for part in parts:
            yield from subschemas(part)


def resolves(root: JSONValue, reference: str) -> bool:
    """Whether a reference leads to a schema in the same document."""
    if not reference.startswith("#"):
        return False
    at = root
    for step in unquote(reference.removeprefix("#")).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(at, dict) or name not in at:
            return False
        at = at[name]
    return isinstance(at, dict)


def _default_faults(one: dict[str, JSONValue], root: dict[str, JSONValue]) -> list[str]:
    """A default that is shown is a value that the schema takes."""
    if "default" not in one:
        return []
    whole = {**one, "$defs": root.get("$defs", {})}
    return [] if validator(whole).is_valid(one["default"]) else [f"the default {one['default']!r} does not fit: {one}"]
