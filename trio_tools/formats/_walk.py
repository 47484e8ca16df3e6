"""Where schemas stand inside a schema. Iterative, since one may be as deep as JSON may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

from trio_tools.values import HOLD_MANY, HOLD_NAMED, HOLD_ONE, JSONValue

Schema: TypeAlias = "dict[str, JSONValue]"
# The place of each schema by its id. The schema is kept beside it, or its id might become another's.
Places: TypeAlias = "dict[int, tuple[str, Schema]]"

# Keywords that hold definitions: 2020-12, and draft 7, whose spelling is still seen in newer schemas.
DEFINITIONS = frozenset({"$defs", "definitions"})
# Keywords whose schemas look at the very value that the schema around them looks at.
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
# Keywords that a validator does not look at.
ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)

_PLAIN_STEP = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def inner(schema: Schema) -> Iterator[tuple[str, str | int | None, Schema]]:
    """The schemas right inside one, as keyword, name or number under it if it holds several, and schema. Booleans are
    left out: nothing is in them."""
    for keyword, value in schema.items():
        if isinstance(value, dict):
            if keyword in HOLD_ONE:
                yield keyword, None, value
            elif keyword in HOLD_NAMED:
                for name, one in value.items():
                    if isinstance(one, dict):
                        yield keyword, name, one
        elif isinstance(value, list) and keyword in HOLD_MANY:
            for number, one in enumerate(value):
                if isinstance(one, dict):
                    yield keyword, number, one


def _step(key: str | int | None) -> str:
    if key is None:
        return ""
    return f".{key}" if isinstance(key, str) and _PLAIN_STEP.fullmatch(key) else f"[{json.dumps(key)}]"


def walk(root: Schema) -> Iterator[Schema]:
    """A schema and all in it, outermost first. What is inside one is looked up when the next is asked for, so whoever
    walks may rewrite each schema as it comes."""
    left = [root]
    while left:
        schema = left.pop()
        yield schema
        left.extend(reversed([one for _, _, one in inner(schema)]))


def places_of(root: Schema) -> Places:
    """The place of each schema in a tree."""
    found = {id(root): ("$", root)}
    left = [root]
    while left:
        schema = left.pop()
        place, _ = found[id(schema)]
        for keyword, key, one in inner(schema):
            found[id(one)] = (f"{place}{_step(keyword)}{_step(key)}", one)
            left.append(one)
    return found


def copy_of(schema: Schema) -> Schema:
    """A deep copy of plain dicts and lists."""
    copied: Schema = json.loads(json.dumps(schema))
    return copied


def written(value: JSONValue) -> str:
    """The text of a value. The same JSON has the same text, while Python's `==` takes `true` for 1."""
    return json.dumps(value, sort_keys=True)


def named(schema: Schema, keyword: str) -> dict[str, JSONValue]:
    """The members of a keyword that holds things by name; none if it is absent."""
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def listed(schema: Schema, keyword: str) -> list[JSONValue]:
    """The items of a keyword that holds a list; none if it is absent."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def types_of(schema: Schema) -> list[JSONValue]:
    """The types that a schema names; none if it names none."""
    said = schema.get("type")
    return said if isinstance(said, list) else [] if said is None else [said]


def all_within(schema: Schema, names: frozenset[str]) -> bool:
    """Whether a schema has no keywords but these and annotations."""
    return schema.keys() <= names | ANNOTATIONS
