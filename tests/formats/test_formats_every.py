"""What holds for every form of every kind of parameter."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from form_schemas import CASES, ROWS, Schema, faults, it, of_one, of_row, parameters, rows_of, subschemas, tool

from trio_tools.formats import FORMS, NotInForm
from trio_tools.values import NotJSON, ToolSchema, freeze_mapping

STRICT = {
    *("$defs", "$ref", "anyOf", "type", "enum", "const", "title", "description", "properties", "required", "items"),
    *("additionalProperties", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "pattern", "format"),
}
GEMINI = {
    *("$defs", "$ref", "$id", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
    *("minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"),
    *("required", "propertyOrdering"),
}


@pytest.mark.parametrize(("form", "row"), CASES)
def test_the_parameters_in_a_form_are_sound(form: str, row: str) -> None:
    assert faults(parameters(form, of_row(row))) == []


@pytest.mark.parametrize(("form", "row"), CASES)
def test_a_form_is_strict_json_and_shares_nothing_with_the_tool(form: str, row: str) -> None:
    schema = of_row(row)
    before = copy.deepcopy(schema)
    frozen: ToolSchema = {**schema, "parameters": freeze_mapping(schema["parameters"])}
    made: Any = FORMS[form](frozen)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made == FORMS[form](schema)
    left: list[Any] = [made]
    while left:
        one: Any = left.pop()
        assert type(one) in {dict, list, str, int, float, bool, type(None)}
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []
    for one in [*subschemas(parameters(form, schema))]:
        one.clear()
    assert schema == before


@pytest.mark.parametrize("form", FORMS)
def test_name_and_description_are_told_as_they_are(form: str) -> None:
    made: Any = FORMS[form](of_row("str"))
    inside = made.get("function", made)
    assert (inside["name"], inside["description"]) == ("search", "Search the index.")


@pytest.mark.parametrize(("form", "subset"), [("openai-strict", STRICT), ("gemini", GEMINI)])
def test_the_keywords_are_those_of_the_form(form: str, subset: set[str]) -> None:
    for row in rows_of(form):
        for one in subschemas(parameters(form, of_row(row))):
            assert one.keys() <= subset


@pytest.mark.parametrize("form", FORMS)
def test_what_a_form_has_no_words_for_is_refused(form: str) -> None:
    for row in ROWS.keys() - rows_of(form):
        with pytest.raises(NotInForm, match=rf"^tool 'search' does not go into the form {form}: \$\.properties\.it"):
            FORMS[form](of_row(row))


@pytest.mark.parametrize("form", ["anthropic", "mcp"])
def test_forms_of_all_json_schema_keep_it_as_it_is(form: str) -> None:
    for row, schema in ROWS.items():
        made = parameters(form, of_row(row))
        assert made["properties"] == {"it": schema}
        assert made["required"] == ["it"]


@pytest.mark.parametrize("row", ROWS)
def test_openai_takes_what_it_took_before(row: str) -> None:
    """Spelling it in other words changes nothing: tried on values of all kinds."""
    schema = of_row(row)
    values: list[Any] = [None, True, 0, 1.5, "a", [], ["a"], ["a", 1, "b"], [1, 2], {}, {"a": 1}, {"x": 1, "y": 2}]
    before = jsonschema_rs.validator_for(schema["parameters"])
    after = jsonschema_rs.validator_for(parameters("openai", schema))
    for value in values:
        assert before.is_valid({"it": value}) == after.is_valid({"it": value})


@pytest.mark.parametrize("form", FORMS)
def test_a_tool_without_parameters_has_an_empty_object(form: str) -> None:
    made = parameters(form, tool({"type": "object", "additionalProperties": False}))
    assert made["properties"] == {}
    assert faults(made) == []


@pytest.mark.parametrize("form", FORMS)
def test_an_object_is_said_plainly_at_the_top(form: str) -> None:
    made = parameters(form, tool({"type": ["object", "null"], "properties": {}, "additionalProperties": False}))
    assert made["type"] == "object"
    made = parameters(form, tool({"properties": {}, "additionalProperties": False}))
    assert made["type"] == "object"


@pytest.mark.parametrize("form", FORMS)
def test_parameters_that_are_no_object_are_refused(form: str) -> None:
    with pytest.raises(NotInForm, match=r": \$: its parameters are not an object; say type: object$"):
        FORMS[form](tool({"type": "array"}))


@pytest.mark.parametrize("form", FORMS)
def test_parameters_that_json_cannot_carry_are_refused(form: str) -> None:
    with pytest.raises(NotJSON, match="not a finite number"):
        FORMS[form](of_one({"type": "number", "maximum": float("inf")}))
    deep: Schema = {}
    for _ in range(300):
        deep = {"items": deep}
    with pytest.raises(NotJSON, match="nested more than 200 levels deep"):
        FORMS[form](of_one(deep))


@pytest.mark.parametrize("form", FORMS)
def test_a_schema_as_deep_as_json_may_be_is_no_trouble(form: str) -> None:
    deep: Schema = {"type": "string"}
    for _ in range(195):
        deep = {"type": "array", "items": deep}
    assert faults(parameters(form, of_one(deep))) == []
    unions: Schema = {"type": "string"}
    for _ in range(97):
        unions = {"anyOf": [unions]}
    assert faults(parameters(form, of_one(unions))) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_long_chain_of_references_is_no_trouble(form: str) -> None:
    links: dict[str, Schema] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(2000)}
    made = parameters(form, of_one({"$ref": "#/$defs/d0"}, **links, d2000={"type": "string"}))
    assert len(made["$defs"]) == 2001


@pytest.mark.parametrize("form", ["openai", "openai-responses", "anthropic", "mcp"])
def test_unknown_keywords_are_kept_by_forms_of_all_json_schema(form: str) -> None:
    assert it(form, {"type": "string", "x-unit": "m"}) == {"type": "string", "x-unit": "m"}


@pytest.mark.parametrize("form", ["openai-strict", "openai-responses-strict", "gemini"])
def test_unknown_keywords_are_dropped_by_subsets(form: str) -> None:
    assert it(form, {"type": "string", "x-unit": "m", "$comment": "no", "contentSchema": {}}) == {"type": "string"}


def test_places_of_a_long_path_are_cut_short() -> None:
    deep: Schema = {"type": "string", "not": {}}
    for _ in range(90):
        deep = {"type": "array", "items": deep}
    with pytest.raises(NotInForm) as caught:
        FORMS["gemini"](of_one(deep))
    assert len(str(caught.value)) < 300
    assert caught.value.place.startswith("$.properties.it.items.items")


def test_an_error_holds_its_parts() -> None:
    with pytest.raises(NotInForm) as caught:
        FORMS["openai-strict"](of_one({"type": "object", "properties": {"a b": {"not": {}}}, "required": ["a b"]}))
    error = caught.value
    assert (error.tool, error.form, error.place) == ("search", "openai-strict", '$.properties.it.properties["a b"]')
    assert str(error) == (
        "tool 'search' does not go into the form openai-strict: $.properties.it.properties[\"a b\"]: "
        "this form has no not; say it with properties, items, enum or anyOf"
    )
    assert isinstance(error, ValueError)
