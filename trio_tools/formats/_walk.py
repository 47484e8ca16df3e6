"""Where schemas stand inside a schema. Iterative, since one may be as deep as JSON may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

from trio_tools.values import HOLD_MANY, HOLD_NAMED, HOLD_ONE, JSONValue

Schema: TypeAlias = "dict[str, JSONValue]"
# Where a schema stands in the one around it: the keyword, and the name or number under it if that holds several.
Step: TypeAlias = "tuple[str, str | int | None]"

# Keywords that hold definitions: 2020-12, and draft 7, whose spelling is still seen in newer schemas.
DEFINITIONS = frozenset({"$defs", "definitions"})
# Keywords whose schemas look at the very value that the schema around them looks at.
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
# Keywords that a validator does not look at.
ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
)

_HOLD = HOLD_ONE | HOLD_NAMED | HOLD_MANY
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
        if not _HOLD.isdisjoint(schema):  # most hold none
            left.extend(reversed([one for _, _, one in inner(schema)]))


class Places:
    """Where each schema in a tree stands, as the tree is now."""

    def __init__(self, root: Schema) -> None:
        # what is around each schema, and the step from there, by its id; it is kept, or its id might become another's
        self._around: dict[int, tuple[Schema, Schema, Step]] = {}
        for schema in walk(root):
            for keyword, key, one in inner(schema):
                self._around[id(one)] = (one, schema, (keyword, key))

    def of(self, schema: Schema) -> str:
        """The place of one, as a JSON path: `$.properties.opts`; `$` of any that is not in the tree."""
        steps: list[str] = []
        while (found := self._around.get(id(schema))) is not None:
            _, schema, (keyword, key) = found
            steps.append(f"{_step(keyword)}{_step(key)}")
        return "".join(["$", *reversed(steps)])


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
