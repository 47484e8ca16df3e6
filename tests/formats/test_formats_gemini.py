"""Gemini's subset: what is said another way, what is told in the description, what is refused. And what OpenAI refuses
where it is not strict."""

from __future__ import annotations

import pytest
from form_schemas import POINT, Schema, it, of_one, parameters, tool

from trio_tools.formats import NotInForm, to_gemini

STRING: Schema = {"type": "string"}


def gemini(schema: Schema, **definitions: Schema) -> Schema:
    return it("gemini", schema, **definitions)


def refused(schema: Schema, **definitions: Schema) -> str:
    """The place inside the parameter at which it is refused, and why."""
    with pytest.raises(NotInForm) as caught:
        to_gemini(of_one(schema, **definitions))
    assert str(caught.value).startswith("tool 'search' does not go into the form gemini: $")
    return f"{caught.value.place.removeprefix('$.properties.it')}: {caught.value.problem}"


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ({"minLength": 1, "maxLength": 2}, "At least 1 character. At most 2 characters."),
        ({"pattern": "^a$"}, "Matches the regular expression ^a$."),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1.5}, "More than 0. Less than 1.5."),
        ({"multipleOf": 2}, "A multiple of 2."),
        ({"uniqueItems": True}, "No repeats."),
        ({"contentEncoding": "base64"}, "Encoded as base64."),
        ({"default": [1]}, "Default: [1]."),
        ({"format": "uuid"}, "Format: uuid."),
        ({"minProperties": 1}, "At least 1 key."),
        ({"propertyNames": {"pattern": "^a"}}, "Each key: Matches the regular expression ^a."),
    ],
)
def test_a_bound_that_has_no_keyword_is_told(bound: Schema, words: str) -> None:
    assert gemini({**STRING, **bound}) == {**STRING, "description": words}


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"description": "anything"},
        {"type": "number", "minimum": 1, "maximum": 3},
        {**STRING, "format": "date-time", "title": "When"},
        {"type": "array", "prefixItems": [STRING, {}], "minItems": 2, "maxItems": 2},
        {"type": "array"},
        {"type": "object"},
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "additionalProperties": True, "propertyOrdering": ["a"]},
        {"type": ["object", "null"], "properties": {"a": STRING}},
        {"anyOf": [{"required": ["x"]}, {"required": ["y"]}], **POINT},
    ],
)
def test_what_has_keywords_is_kept(kept: Schema) -> None:
    assert gemini(kept) == kept


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"enum": [1, 2.0]}, {"type": "integer", "enum": [1, 2.0]}),
        ({"enum": [1, 2.5]}, {"anyOf": [{"type": "integer", "enum": [1]}, {"type": "number", "enum": [2.5]}]}),
        ({"enum": ["a", None]}, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
        ({"type": "string", "enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"enum": [True, False]}, {"type": "boolean"}),
        ({"const": None, "description": "none"}, {"type": "null", "description": "none"}),
        (
            {"oneOf": [STRING, {"type": "null"}]},
            {"anyOf": [STRING, {"type": "null"}], "description": "Exactly one of these."},
        ),
        ({"allOf": [STRING]}, STRING),
        (
            {"type": "array", "prefixItems": [STRING], "items": False},
            {"type": "array", "prefixItems": [STRING], "maxItems": 1},
        ),
        ({"type": "array", "items": False, "maxItems": 9}, {"type": "array", "maxItems": 0}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        ({"$ref": "#/$defs/S", "description": "who"}, {"anyOf": [{"$ref": "#/$defs/S"}], "description": "who"}),
        (
            {"$ref": "#/$defs/S", "minLength": 1},
            {"anyOf": [{"$ref": "#/$defs/S"}], "description": "At least 1 character."},
        ),
    ],
)
def test_what_has_no_keyword_is_said_another_way(schema: Schema, made: Schema) -> None:
    assert gemini(schema, S=STRING) == made


def test_optional_keys_stay_optional() -> None:
    made = parameters("gemini", tool({"type": "object", "properties": {"a": {**STRING, "default": "x"}}}))
    assert made == {"type": "object", "properties": {"a": {**STRING, "description": 'Default: "x".'}}}


STRUCTURE: list[tuple[Schema, str]] = [
    ({"not": STRING}, ": this form has no not"),
    ({"if": STRING}, ": this form has no if"),
    ({"allOf": [STRING, {}]}, ": this form has no allOf"),
    ({"type": "object", "patternProperties": {"a": {}}}, ": this form has no patternProperties"),
    ({"type": "array", "contains": STRING}, ": this form has no contains"),
    (
        {"items": {"type": "object", "dependentRequired": {"a": ["b"]}}},
        ".items: this form has no dependentRequired",
    ),
    ({"enum": [True, "a"]}, ": this form has no enum of arrays, objects, one boolean, or nothing"),
    ({"const": {}}, ": this form has no enum of arrays, objects, one boolean, or nothing"),
    ({"type": "null", "const": 1}, ": this form has no enum of arrays, objects, one boolean, or nothing"),
    ({"enum": ["a", 1], "anyOf": [{}]}, ": this form has no enum of several types beside anyOf"),
    ({"$ref": "#/$defs/S", "type": "integer"}, ": this form has no type beside $ref"),
    ({"oneOf": [{}], "anyOf": [{}]}, ": this form has no oneOf beside anyOf"),
]


@pytest.mark.parametrize(("schema", "why"), STRUCTURE)
def test_structure_that_has_no_words_is_refused(schema: Schema, why: str) -> None:
    assert refused(schema, S=STRING) == why


def node(link: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": {"next": link}, "required": [*required]}


LINK: Schema = {"$ref": "#/$defs/Node"}


@pytest.mark.parametrize(
    "link", [LINK, {"anyOf": [LINK, {"type": "null"}]}, {"type": "array", "items": LINK}, node(LINK, "next")]
)
def test_a_schema_in_itself_must_be_optional_somewhere(link: Schema) -> None:
    why = "it holds itself in places that may not be left out"
    assert refused(LINK, Node=node(link, "next")).endswith(why)
    gemini(LINK, Node=node(link))


def test_a_dict_of_itself_is_in_no_optional_key() -> None:
    assert refused(LINK, Node={"type": "object", "additionalProperties": LINK}) == (
        ".$defs.Node: it holds itself in places that may not be left out".replace(".$defs", "$.$defs")
    )


def test_openai_gets_items_for_every_array() -> None:
    assert it("openai", {"type": ["array", "null"]}) == {"type": ["array", "null"], "items": {}}
    pair: Schema = {"type": "array", "prefixItems": [STRING, STRING], "items": False}
    made: Schema = {"type": "array", "prefixItems": [STRING, STRING], "maxItems": 2, "items": {}}
    assert it("openai", pair) == made


def test_openai_gets_no_pattern_that_it_cannot_run() -> None:
    for form in ("openai", "openai-responses"):
        words = "Matches the regular expression ^(?=a)."
        assert it(form, {**STRING, "pattern": "^(?=a)"}) == {**STRING, "description": words}
        assert it(form, {**STRING, "pattern": "^a"}) == {**STRING, "pattern": "^a"}
