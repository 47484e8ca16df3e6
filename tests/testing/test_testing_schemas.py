"""Drawn arguments of raw schemas: the keywords that people write, one by one and together, in old drafts and new."""

from __future__ import annotations

from typing import Any

import pytest
from drawing import Wanted, has, of_x, raw, some

from trio_tools.testing import arguments
from trio_tools.tool import Tool

TREE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "parent": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
    },
    "required": ["value", "parent"],
    "additionalProperties": False,
}
A = {"type": "object", "properties": {"a": {"type": "integer"}, "s": {"minimum": 3}}, "required": ["a"]}
B = {"properties": {"b": {"type": "string"}, "s": {"type": "integer", "maximum": 5}}, "required": ["b", "s"]}
KIND = {"type": "object", "properties": {"kind": {"const": "k"}, "v": {"type": "integer"}}, "required": ["kind"]}
OTHER = {"type": "object", "properties": {"kind": {"const": "o"}, "w": {}}, "required": ["kind", "w"]}
DRAFT_4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
AB = {"a": {"type": "integer"}, "b": {"type": "string"}}

FORMATS = (
    *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
    *("uri", "iri", "uri-reference", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer"),
    *("regex", "of no such name"),
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_drawn(name: str) -> None:
    drawn = some(arguments(of_x({"type": "string", "format": name})), 12)
    assert len({str(one) for one in drawn}) > 3


# Each with what is drawn at last once, which a careless reader of the keyword would miss.
DRAWN: list[tuple[Any, Wanted]] = [
    ({}, lambda x: isinstance(x, dict)),
    (True, lambda x: x is None),
    ({"type": ["string", "null", "integer"]}, lambda x: x is None),
    ({"type": ["string", "null", "integer"]}, lambda x: isinstance(x, int)),
    ({"minimum": 3}, lambda x: x > 3),
    ({"minLength": 3}, lambda x: len(x) > 3),
    ({"minItems": 1}, lambda x: len(x) > 1),
    ({"properties": AB}, lambda x: "a" in x),
    ({"enum": [1, 1.0, True, None, "a", [1, {"b": 2}]]}, lambda x: x == [1, {"b": 2}]),
    ({"type": "string", "enum": ["a", 1, None]}, lambda x: x == "a"),
    ({"allOf": [{"enum": [1, 2, 3]}, {"enum": [2.0, 4]}]}, lambda x: x == 2),
    ({"type": "integer", "enum": [1.0, 2.5]}, lambda x: x == 1),
    ({"const": {"a": [1]}}, lambda x: x == {"a": [1]}),
    ({"type": "integer", "minimum": 10**30}, lambda x: x > 10**30),
    ({"type": "integer", "minimum": 0.5, "maximum": 1.5}, lambda x: x == 1),
    ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 2}, lambda x: x == 1),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": 1, "maximum": 2}, lambda x: x == 2),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, lambda x: x > 0.5),
    ({"type": "number", "multipleOf": 0.1, "minimum": 0.05, "maximum": 1}, lambda x: x == 0.3),
    ({"type": "integer", "multipleOf": 1.5}, lambda x: x > 0),
    ({"type": "integer", "allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "minimum": 1}, lambda x: x == 12),
    ({"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 5}, lambda x: len(x) > 2),
    ({"type": "string", "pattern": r"^\d{3}-\d{4}$"}, lambda x: x > "5"),
    ({"type": "string", "pattern": r"^\$\d\$$"}, lambda x: x == "$0$"),
    ({"type": "string", "pattern": "ab"}, lambda x: x != "ab"),
    ({"type": "string", "format": "date", "pattern": "^20"}, lambda x: x.startswith("20")),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 30}, lambda x: len(x) > 30),
    ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 3}, lambda x: len(x) == 3),
    ({"type": "array", "items": {"type": "boolean"}, "uniqueItems": True}, lambda x: len(x) == 2),
    ({"type": "array", "maxItems": 1}, lambda x: x == [None]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"const": "b"}]}, lambda x: len(x) == 1),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"const": "b"}]}, lambda x: len(x) > 2),
    ({"type": "array", "prefixItems": [{}, {"const": "b"}], "items": False}, lambda x: x[1:] == ["b"]),
    ({"type": "array", "prefixItems": [{"enum": [1, 2]}, {"enum": [1, 2]}], "uniqueItems": True}, lambda x: len(x) > 1),
    ({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}, lambda x: len(x) == 3),
    ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, lambda x: len(x) > 1),
    ({"type": "object", "patternProperties": {"^x-": {"const": 1}}, "additionalProperties": False}, lambda x: x),
    ({"properties": {"x-a": {"minimum": 2}}, "patternProperties": {"^x-": {"type": "integer"}}}, lambda x: "x-a" in x),
    ({"properties": AB, "minProperties": 1, "maxProperties": 1}, lambda x: "b" in x),
    ({"properties": AB, "required": ["z"], "additionalProperties": {"type": "null"}}, lambda x: len(x) > 2),
    ({"anyOf": [{"type": "integer"}, {"const": "a"}]}, lambda x: x == "a"),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}, {"type": "number"}]}, lambda x: isinstance(x, float)),
    ({"oneOf": [KIND, OTHER]}, lambda x: x["kind"] == "o"),
    ({"properties": AB, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, lambda x: len(x) == 2),
    ({"properties": AB, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, lambda x: "b" in x),
    ({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}, lambda x: x["s"] == 4),
    ({"$ref": "#/$defs/Count", "description": "how many", "minimum": 3}, lambda x: x == 3),
    ({"$ref": "#/$defs/a~1b%25"}, lambda x: x is None),
    ({"$ref": "#/$defs/Tree"}, lambda x: x["parent"] and x["parent"].get("children")),
    ({"$ref": "#/$defs/Tree"}, lambda x: x["parent"] is None and "children" not in x),
    ({"$ref": "#/$defs/Nest"}, lambda x: x == [["b"]]),
]
DEFINITIONS = {
    "A": A,
    "B": B,
    "Count": {"type": "integer"},
    "Tree": TREE,
    "a/b%": {"type": "null"},
    # by way of a reference to itself that says nothing
    "Nest": {"anyOf": [{"$ref": "#/$defs/Nest"}, {"const": "b"}, {"type": "array", "items": {"$ref": "#/$defs/Nest"}}]},
}


@pytest.mark.parametrize(("schema", "wanted"), DRAWN)
def test_what_a_keyword_allows_is_drawn(schema: Any, wanted: Wanted) -> None:
    assert has(of_x(schema, **{"$defs": DEFINITIONS}), wanted)


@pytest.mark.parametrize(
    "tool",
    [
        of_x({"type": "integer", "not": {"const": 0}}),
        of_x({"type": "integer", "if": {"minimum": 5}, "then": {"multipleOf": 2}}),
        raw({"type": "object", "properties": AB, "dependentRequired": {"a": ["b"]}}),
        of_x({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, **DRAFT_4),
    ],
)
def test_what_only_narrows_is_left_to_the_tool(tool: Tool) -> None:
    assert {str(tool.violations(one)) for one in some(arguments(tool))} == {"[]"}


OLD: list[tuple[Any, Wanted]] = [
    ({"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "null"}}, lambda x: None in x),
    ({"type": "array", "items": [{"type": "integer"}], "additionalItems": False}, lambda x: len(x) == 1),
    ({"$ref": "#/definitions/Word"}, lambda x: x == "word"),
]


@pytest.mark.parametrize(("schema", "wanted"), OLD)
def test_older_drafts_are_read_too(schema: Any, wanted: Wanted) -> None:
    assert has(of_x(schema, definitions={"Word": {"enum": ["word"]}}, **DRAFT_7), wanted)


def test_the_root_may_stand_within_itself() -> None:
    tool = of_x({"anyOf": [{"$ref": "#"}, {"type": "integer"}]})
    assert has(tool, lambda x: isinstance(x, dict) and isinstance(x["x"], dict))


def test_of_an_open_object_that_names_its_properties_only_these_are_drawn() -> None:
    assert some(arguments(raw({"type": "object", "properties": {}}))) == [{}]
    assert {name for one in some(arguments(raw({"type": "object", "properties": AB}))) for name in one} == {"a", "b"}
    assert any(some(arguments(raw({"type": "object"}))))


IMPOSSIBLE: list[tuple[Any, str]] = [
    (False, "there is no value for 'x', which must be there"),
    ({"type": "integer", "enum": ["1", "2"]}, "there is no value for 'x'"),
    ({"type": "string", "allOf": [{"type": "integer"}]}, "there is no value for 'x'"),
    ({"minLength": 3, "maxLength": 2}, "there is no value for 'x'"),
    ({"minItems": 3, "maxItems": 2}, "there is no value for 'x'"),
    ({"type": "array", "prefixItems": [{}], "items": False, "minItems": 2}, "there is no value for 'x'"),
    ({"minProperties": 3, "properties": AB, "additionalProperties": False}, "there is no value for 'x'"),
    ({"minProperties": 3, "maxProperties": 2}, "there is no value for 'x'"),
    ({"$ref": "#/$defs/Self"}, "there is no value for 'x'"),
    ({"$ref": "#/$defs/Chain"}, "there is no value for 'x'"),
    ({"$ref": "#word"}, "the \\$ref '#word' is no JSON pointer into the schema, and is not followed"),
    ({"$dynamicRef": "#word"}, r"\$dynamicRef is not followed"),
    ({"type": "string", "pattern": r"^\p{L}+$"}, "is not read as Python reads one"),
    ({"properties": AB, "patternProperties": {r"^\p{L}+$": {}}}, "is not read as Python reads one"),
    ({"allOf": [{"anyOf": [{"minimum": one} for one in range(11)]}] * 3}, "multiply to more than 1,000 ways"),
]


@pytest.mark.parametrize(("schema", "problem"), IMPOSSIBLE)
def test_a_schema_that_nothing_fits_or_that_is_not_followed_is_told(schema: Any, problem: str) -> None:
    chain = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Chain"}}, "required": ["next"]}
    definitions = {
        "Self": {"$ref": "#/$defs/Self"},
        "Chain": chain,
        "Word": {"$dynamicAnchor": "word", "$anchor": "word"},
    }
    with pytest.raises(ValueError, match=f'tool "look": .*{problem}'):
        arguments(of_x(schema, **{"$defs": definitions}))


def test_a_schema_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match='tool "look": not a JSON Schema'):
        arguments(of_x({"type": "float"}))
