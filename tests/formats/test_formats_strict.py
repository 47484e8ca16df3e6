"""OpenAI's strict form: what is said another way, and what is told in the description."""

from __future__ import annotations

import pytest
from form_schemas import POINT, Schema, faults, it, of_one, parameters, tool

from trio_tools.formats import to_openai, to_openai_responses

STRICT = "openai-strict"
STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}


def told(schema: Schema, **definitions: Schema) -> object:
    """What a parameter comes to in words."""
    return it(STRICT, schema, **definitions).get("description")


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ({"minLength": 1}, "At least 1 character."),
        ({"minLength": 2}, "At least 2 characters."),
        ({"maxLength": 0}, "At most 0 characters."),
        ({"pattern": "^(?!x)"}, "Matches the regular expression ^(?!x)."),
        ({"pattern": "(?<=a)b"}, "Matches the regular expression (?<=a)b."),
        ({"pattern": r"(a)\1"}, r"Matches the regular expression (a)\1."),
        ({"format": "uri"}, "Format: uri."),
        ({"contentEncoding": "base64"}, "Encoded as base64."),
        ({"contentMediaType": "image/png"}, "Holds image/png."),
        ({"default": "ä"}, 'Default: "ä".'),
        ({"default": None}, "Default: null."),
        ({"examples": ["a", "b"]}, 'Examples: "a", "b".'),
        ({"deprecated": True}, "Deprecated."),
        ({"readOnly": True, "writeOnly": True}, "Read-only. Write-only."),
        ({"deprecated": False, "$comment": "x", "contentSchema": {}, "x-y": 1}, None),
    ],
)
def test_a_bound_that_has_no_keyword_is_told(bound: Schema, words: str | None) -> None:
    assert it(STRICT, {**STRING, **bound}) == {**STRING, **({"description": words} if words else {})}


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ({"type": "array", "items": STRING, "uniqueItems": True}, "No repeats."),
        ({"type": "array", "items": STRING, "uniqueItems": False}, None),
        ({**POINT, "minProperties": 1, "maxProperties": 2}, "At least 1 key. At most 2 keys."),
        ({**POINT, "propertyNames": {"type": "string", "maxLength": 1}}, "Each key: At most 1 character."),
        ({**POINT, "propertyNames": {"type": "string"}}, None),
        ({**POINT, "propertyNames": {"$ref": "#/$defs/Key"}}, 'Each key: One of "x", "y".'),
        (
            {**POINT, "propertyNames": {"anyOf": [STRING]}},
            'Each key fits the JSON Schema {"anyOf": [{"type": "string"}]}.',
        ),
    ],
)
def test_a_bound_on_arrays_and_objects_is_told(kept: Schema, words: str | None) -> None:
    assert told(kept, Key={"enum": ["x", "y"]}) == words
    assert faults(parameters(STRICT, of_one(kept, Key={"enum": ["x", "y"]}))) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("the city", "the city. At least 1 character."),
        ("the city.", "the city. At least 1 character."),
        ("which city?\n", "which city? At least 1 character."),
        ("", "At least 1 character."),
        (" ", "At least 1 character."),
    ],
)
def test_words_follow_the_description(said: str, words: str) -> None:
    assert told({**STRING, "minLength": 1, "description": said}) == words


@pytest.mark.parametrize(
    "kept",
    [
        {**INTEGER, "minimum": 1, "maximum": 3, "exclusiveMinimum": 0, "exclusiveMaximum": 4, "multipleOf": 1},
        {**STRING, "pattern": "^a$", "format": "date-time", "title": "When", "description": "When."},
        {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 2},
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "const": "a"},
        {"anyOf": [STRING, {"type": "null"}], "title": "T", "description": "D."},
    ],
)
def test_what_has_keywords_is_kept(kept: Schema) -> None:
    assert it(STRICT, kept) == kept


@pytest.mark.parametrize(
    ("loose", "typed"),
    [
        ({"enum": ["a"]}, {"enum": ["a"], "type": "string"}),
        ({"enum": [1, None, "a", True, 1.5, 2.0]}, ["integer", "null", "string", "boolean", "number"]),
        ({"const": True}, {"const": True, "type": "boolean"}),
        ({"type": "string", "enum": ["a", 1]}, {"type": "string", "enum": ["a"]}),
        ({"type": "number", "enum": ["a", 1]}, {"type": "integer", "enum": [1]}),
        ({"const": "a", "enum": ["a", "b"]}, {"const": "a", "type": "string"}),
        ({"items": STRING}, {"type": "array", "items": STRING}),
        ({"properties": {"x": STRING}, "required": ["x"]}, "object"),
        ({"type": "string", "properties": {"x": {}}, "items": {}, "required": ["x"]}, STRING),
    ],
)
def test_the_type_is_always_stated(loose: Schema, typed: object) -> None:
    made = it(STRICT, loose)
    assert made == typed if isinstance(typed, dict) else made["type"] == typed


def test_objects_are_closed_and_all_their_keys_required() -> None:
    loose: Schema = {"type": "object", "properties": {"x": INTEGER, "y": {**INTEGER, "default": 0}}, "required": ["x"]}
    y: Schema = {**INTEGER, "description": "Default: 0."}
    assert it(STRICT, loose) == {**POINT, "properties": {"x": INTEGER, "y": y}}


@pytest.mark.parametrize(
    "optional",
    [
        {"type": ["string", "null"]},
        {"type": "null"},
        {"enum": ["a", None]},
        {"const": None},
        {"anyOf": [STRING, {"type": "null"}], "description": "maybe"},
        {"oneOf": [STRING, {"anyOf": [{"type": "null"}]}]},
        {"$ref": "#/$defs/Maybe"},
        {"allOf": [{"$ref": "#/$defs/Maybe"}]},
        {"anyOf": [STRING, {"$ref": "#/$defs/Maybe"}]},
        {"$ref": "#/$defs/Text", "default": "a"},
        {**STRING, "default": "a"},
    ],
)
def test_a_key_may_be_left_out_by_its_default_or_by_null(optional: Schema) -> None:
    schema: Schema = {"type": "object", "properties": {"a": optional}}
    made = it(STRICT, schema, Maybe={"type": ["string", "null"]}, Text=STRING)
    assert made["required"] == ["a"]


def test_a_reference_that_is_described_is_wrapped() -> None:
    schema: Schema = {"$ref": "#/$defs/Point", "description": "where", "default": {"x": 1, "y": 1}, "title": "P"}
    assert it(STRICT, schema, Point=POINT) == {
        "anyOf": [{"$ref": "#/$defs/Point"}],
        "description": 'where. Default: {"x": 1, "y": 1}.',
        "title": "P",
    }
    assert it(STRICT, {"$ref": "#/$defs/Point", "type": "object"}, Point=POINT) == {"$ref": "#/$defs/Point"}


def test_bounds_beside_a_reference_or_a_union_are_told() -> None:
    assert told({"$ref": "#/$defs/N", "minimum": 1}, N=INTEGER) == "At least 1."
    assert told({"anyOf": [INTEGER, {"type": "null"}], "maximum": 9}) == "At most 9."


@pytest.mark.parametrize("arm", [{"$ref": "#/$defs/Point"}, STRING, {"allOf": [STRING]}])
def test_an_all_of_one_is_merged(arm: Schema) -> None:
    plain = it(STRICT, {**arm, "description": "here"}, Point=POINT)
    assert it(STRICT, {"allOf": [{**arm, "description": "there"}], "description": "here"}, Point=POINT) == plain


def test_one_of_becomes_any_of_and_is_told() -> None:
    assert it(STRICT, {"oneOf": [STRING, INTEGER], "description": "a key"}) == {
        "anyOf": [STRING, INTEGER],
        "description": "a key. Exactly one of these.",
    }


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        ({"anyOf": [STRING, False]}, {"anyOf": [STRING]}),
        ({**POINT, "properties": {**POINT["properties"], "z": False}}, POINT),
        ({**POINT, "additionalProperties": {"not": {}}}, POINT),
        ({**POINT, "unevaluatedProperties": True, "patternProperties": {}, "propertyNames": True}, POINT),
        ({"type": "array", "items": STRING, "unevaluatedItems": {}}, {"type": "array", "items": STRING}),
    ],
)
def test_what_takes_nothing_and_what_says_nothing_is_left_out(schema: Schema, made: Schema) -> None:
    assert it(STRICT, schema) == made


@pytest.mark.parametrize(
    ("array", "made"),
    [
        ({"prefixItems": [STRING, INTEGER], "items": False}, ([STRING, INTEGER], 2, "In this order: string, integer.")),
        ({"prefixItems": [STRING, INTEGER]}, ([STRING, INTEGER], 2, "In this order: string, integer.")),
        ({"prefixItems": [STRING, INTEGER], "maxItems": 1}, ([STRING, INTEGER], 1, "In this order: string, integer.")),
        ({"prefixItems": [STRING, STRING], "items": False}, ([STRING], 2, None)),
        (
            {"prefixItems": [STRING], "items": INTEGER},
            ([STRING, INTEGER], None, "In this order: string, then any others."),
        ),
        ({"prefixItems": [STRING], "items": STRING}, ([STRING], None, None)),
    ],
)
def test_a_tuple_becomes_an_array_whose_order_is_told(
    array: Schema, made: tuple[list[Schema], int | None, str | None]
) -> None:
    members, length, words = made
    found = it(STRICT, {"type": "array", **array})
    assert found["items"] == ({"anyOf": members} if len(members) > 1 else members[0])
    assert (found.get("maxItems"), found.get("description")) == (length, words)


def test_members_of_a_tuple_are_named_shortly() -> None:
    members: list[Schema] = [
        {"type": ["number", "null"], "description": "latitude"},
        {"$ref": "#/$defs/Point"},
        {"enum": ["km", "mi"]},
        {"type": "string", "const": "!"},
        {"anyOf": [STRING, INTEGER]},
        {"type": "array", "items": {"$ref": "#"}},
        {"$ref": "#"},
    ]
    assert told({"type": "array", "prefixItems": members, "items": False}, Point=POINT) == (
        'In this order: number or null (latitude), Point, one of "km", "mi", "!", '
        "one of several, array, the whole again."
    )


def test_both_apis_say_that_a_tool_is_strict() -> None:
    assert to_openai(tool(POINT), strict=True) == {
        "type": "function",
        "function": {"name": "search", "description": "Search the index.", "parameters": POINT, "strict": True},
    }
    assert to_openai_responses(tool(POINT), strict=True) == {
        "type": "function",
        "name": "search",
        "description": "Search the index.",
        "parameters": POINT,
        "strict": True,
    }
