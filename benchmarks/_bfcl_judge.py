"""What is wrong with a call by a schema of the leaderboard: a second opinion, that shares no code with what it judges.

It reads schemas in the data's own dialect, with Python's and Java's names of types, and knows no more keywords than
occur there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from benchmarks._bfcl import Schema

# What each of the data's types takes, by the kind of JSON value, and how R117 calls it. Written apart from
# the translation and from the validator, to judge both.
_TAKES: Mapping[str, tuple[str, frozenset[str]]] = {
    **dict.fromkeys(("dict", "HashMap"), ("an object", frozenset({"object"}))),
    **dict.fromkeys(("tuple", "array", "Array", "ArrayList"), ("an array", frozenset({"array"}))),
    **dict.fromkeys(("float", "double"), ("a number", frozenset({"number", "whole number"}))),
    **dict.fromkeys(("integer", "long"), ("an integer", frozenset({"whole number"}))),
    **dict.fromkeys(("boolean", "Boolean"), ("a boolean", frozenset({"boolean"}))),
    **dict.fromkeys(("string", "String", "char"), ("a string", frozenset({"string"}))),
}
# Characters of the list of an enum that a model is told: the product's own number, to notice if it changes.
_SHOWN = 4_000
# The keywords that the judge knows. Another one would be passed over, and so must not occur.
_KNOWN = frozenset(
    {
        *("type", "enum", "required", "properties", "items", "format", "minItems", "maxItems", "maximum"),
        *("description", "default", "optional"),  # these ask nothing
    }
)


@attrs.frozen
class Objection:
    """What is wrong with a call: where, in R117's words, and the kind of value that is there."""

    place: str
    words: str
    given: str

    @property
    def kind(self) -> str:
        """The reason without the place: `a string, not null`."""
        if self.given == "nothing":
            return "missing"
        words = "a listed one" if self.words.startswith("one of ") else self.words
        return f"{words}, not {self.given}"

    def __str__(self) -> str:
        missing = f'missing required property "{self.place}"'
        return missing if self.given == "nothing" else f'"{self.place}" must be {self.words}'


def objections(schema: Schema, value: Any, place: str = "") -> Iterator[Objection]:
    """What is wrong with a value by a schema in the data's own dialect: the judge of what the product says."""
    assert schema.keys() <= _KNOWN, schema.keys()
    given = kind_of(value)
    noun, taken = _TAKES.get(schema.get("type", "any"), ("anything", frozenset({given})))
    if given not in taken:
        yield Objection(place, noun, given)
    if "enum" in schema and all(one != value or kind_of(one) != given for one in schema["enum"]):
        listed = json.dumps(schema["enum"], ensure_ascii=False, separators=(",", ":"))
        shown = listed if len(listed) <= _SHOWN else listed[:_SHOWN] + "..."
        yield Objection(place, f"one of {shown}", given)
    if given == "object":
        declared = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield Objection(_step(place, name), "there", "nothing")
        for name in value.keys() & declared.keys():
            yield from objections(declared[name], value[name], _step(place, name))
    if given == "array":
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield Objection(place, "longer or shorter", given)
        for position, one in enumerate(value):
            yield from objections(schema.get("items", {}), one, f"{place}[{position}]")
    if "number" in given and value > schema.get("maximum", value):
        yield Objection(place, "smaller", given)
    if schema.get("format") == "date" and given == "string" and not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        yield Objection(place, "a date", given)


def _step(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def kind_of(value: Any) -> str:
    """The kind of a JSON value; 2.0 is a whole number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "whole number" if value == int(value) else "number"
    kinds = {bool: "boolean", str: "string", list: "array", dict: "object", type(None): "null"}
    return kinds[type(value)]
