"""What OpenAI's strict form has no words for, and where."""

from __future__ import annotations

import pytest
from form_schemas import POINT, Schema, of_one, tool

from trio_tools.formats import NotInForm, to_openai, to_openai_responses

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}


def refused(schema: Schema, **definitions: Schema) -> str:
    """The place inside the parameter at which it is refused, and why."""
    with pytest.raises(NotInForm) as caught:
        to_openai(of_one(schema, **definitions), strict=True)
    assert str(caught.value).startswith("tool 'search' does not go into the form openai-strict: $")
    return f"{caught.value.place.removeprefix('$.properties.it')}: {caught.value.problem}"


STRUCTURE: list[tuple[Schema, str]] = [
    ({}, ": this form has no words for a value of any type"),
    ({"minimum": 1}, ": this form has no words for a value of any type"),
    ({"type": "array", "items": True}, ".items: this form has no words for a value of any type"),
    ({"type": "array"}, ": this form has no arrays of anything"),
    ({"type": "object"}, ": this form has no objects with free keys"),
    ({"type": ["object", "null"], "additionalProperties": STRING}, ": this form has no objects with free keys"),
    ({**POINT, "additionalProperties": True}, ": this form has no objects with free keys"),
    ({**POINT, "required": ["z"]}, ": the required key 'z' is not declared"),
    ({**POINT, "patternProperties": {"^x": STRING}}, ": this form has no patternProperties"),
    ({**POINT, "dependentRequired": {"x": ["y"]}}, ": this form has no dependentRequired"),
    ({**POINT, "dependentSchemas": {"x": {}}}, ": this form has no dependentSchemas"),
    ({**POINT, "unevaluatedProperties": False}, ": this form has no unevaluatedProperties"),
    ({**POINT, "if": {}, "then": {}, "else": {}}, ": this form has no else"),
    ({"type": "array", "contains": {}, "items": STRING}, ": this form has no contains"),
    ({"type": "array", "unevaluatedItems": False, "items": STRING}, ": this form has no unevaluatedItems"),
    ({**STRING, "not": {"const": "a"}}, ": this form has no not"),
    ({"allOf": [STRING, {"minLength": 1}]}, ": this form has no allOf"),
    ({"allOf": [{"type": "string"}], "type": "integer"}, ": its allOf speaks of type too"),
    (
        {"allOf": [POINT], "properties": {"z": STRING}},
        ": its allOf speaks of additionalProperties, properties too",
    ),
    ({"allOf": [{"items": STRING}], "prefixItems": [STRING]}, ": its allOf speaks of items, prefixItems too"),
    ({"allOf": [{"const": 1}], "const": True}, ": its allOf speaks of const too"),
    ({"oneOf": [STRING], "anyOf": [STRING]}, ": this form has no oneOf beside anyOf"),
    ({"$ref": "#/$defs/Point", "required": ["x"]}, ": this form has no required beside $ref"),
    ({"anyOf": [POINT], "type": "object"}, ": this form has no type beside anyOf"),
    ({"anyOf": [False]}, ".anyOf[0]: this form has no not"),
    ({**POINT, "properties": {"x": False, "y": STRING}}, ".properties.x: this form has no not"),
    ({"enum": [[1]]}, ": this form has no enum of arrays, objects, or nothing"),
    ({"const": {}}, ": this form has no enum of arrays, objects, or nothing"),
    ({"type": "string", "enum": [1]}, ": this form has no enum of arrays, objects, or nothing"),
    ({"const": 1, "enum": [True]}, ": this form has no enum of arrays, objects, or nothing"),
    ({"type": "array", "prefixItems": [STRING, {}]}, ".prefixItems[1]: this form has no words for a value of any type"),
]


@pytest.mark.parametrize(("schema", "why"), STRUCTURE)
def test_structure_that_has_no_words_is_refused(schema: Schema, why: str) -> None:
    assert refused(schema, Point=POINT) == why


@pytest.mark.parametrize(
    "optional",
    [
        STRING,
        {"type": "string", "enum": ["a", None]},
        {"anyOf": [STRING, INTEGER]},
        {"$ref": "#/$defs/Text"},
        {"type": "string", "anyOf": [{"type": "null"}]},
        {"type": "array", "items": {"type": "null"}},
    ],
)
def test_a_key_that_cannot_be_left_out_any_other_way_is_refused(optional: Schema) -> None:
    schema: Schema = {"type": "object", "properties": {"a": optional}}
    assert refused(schema, Text=STRING) == (
        ".properties.a: this form has no optional keys, and this one has no default to tell"
    )


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "enum", "const", "not"])
def test_the_top_is_a_plain_object(keyword: str) -> None:
    for strict in (True, False):
        if strict or keyword != "const":
            with pytest.raises(NotInForm, match=rf"\$: this form has no {keyword} at the top; say it of a property"):
                to_openai_responses(tool({**POINT, keyword: [{}]}), strict=strict)
