"""The same schema in fewer words: what providers misread or refuse, said in another way that means the same."""

from __future__ import annotations

from trio_tools.formats._walk import DEFINITIONS, Schema, listed, walk
from trio_tools.values import HOLD_MANY, HOLD_NAMED, HOLD_ONE, JSONValue

# Keywords that say nothing when they are `true` or empty.
_IDLE = frozenset(
    {
        *("patternProperties", "dependentRequired", "dependentSchemas"),
        *("propertyNames", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_SPELLED = HOLD_ONE | HOLD_MANY | HOLD_NAMED | _IDLE


def spelled(value: JSONValue) -> JSONValue:
    """A schema, as an object if it is a boolean."""
    return {} if value is True else {"not": {}} if value is False else value


def takes_nothing(value: JSONValue) -> bool:
    """Whether this is what `false` is spelled as."""
    return isinstance(value, dict) and value.keys() == {"not"} and value["not"] == {}


def spell_definitions(root: Schema) -> None:
    """Write definitions that are a boolean as objects, so that each can be told from any other."""
    for schema in walk(root):
        for keyword in DEFINITIONS:
            if isinstance(value := schema.get(keyword), dict):
                schema[keyword] = {name: spelled(one) for name, one in value.items()}


def spell_out(root: Schema) -> None:
    """Write schemas that are a boolean as objects (but not `additionalProperties`), the end of a tuple as its length,
    and leave out what says nothing."""
    for schema in walk(root):
        if schema.get("items") is False:
            del schema["items"]
            end_at(schema, len(listed(schema, "prefixItems")))
        if takes_nothing(schema.get("additionalProperties")):
            schema["additionalProperties"] = False
        for keyword in _SPELLED & schema.keys():
            value = schema[keyword]
            if keyword in HOLD_ONE and keyword != "additionalProperties":
                schema[keyword] = spelled(value)
            elif keyword in HOLD_MANY and isinstance(value, list):
                schema[keyword] = [spelled(one) for one in value]
            elif keyword in HOLD_NAMED and isinstance(value, dict):
                schema[keyword] = {name: spelled(one) for name, one in value.items()}
            if keyword in _IDLE and schema[keyword] == {}:
                del schema[keyword]


def end_at(schema: Schema, length: int) -> None:
    """Let an array be no longer than this, or than it says already."""
    said = schema.get("maxItems")
    schema["maxItems"] = min(length, said) if isinstance(said, int | float) else length
