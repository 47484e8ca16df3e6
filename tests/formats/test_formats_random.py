"""Random schemas: every form is sound, and what it takes the tool takes, apart from bounds that are told in words."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from form_random import parameters_of_tools, values
from form_schemas import Schema, faults, parameters, subschemas, tool
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from trio_tools.formats import FORMS, NotInForm

OFTEN = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
# Bounds that a form tells in words and does not check.
TOLD: dict[str, set[str]] = {
    "openai": {"pattern"},
    "openai-strict": {
        *("minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "propertyNames", "pattern"),
    },
    "gemini": {
        *("minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "propertyNames", "pattern"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    },
}


def made(form: str, schema: Schema) -> Schema | None:
    """The parameters in a form; None if it refuses them."""
    before = copy.deepcopy(schema)
    try:
        found = parameters(form, tool(schema))
    except NotInForm as error:
        event(f"{form} refuses {error.problem.split('(')[0]}")
        return None
    finally:
        assert schema == before
    event(f"{form} takes it")
    return found


def takes(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema).is_valid(value)


def loosened(schema: Schema, form: str) -> Schema:
    """A tool's own schema without what a form only tells: bounds, `oneOf`, and in strict the order of a tuple."""
    loose = copy.deepcopy(schema)
    for one in [*subschemas(loose)]:
        for keyword in TOLD[form] & one.keys():
            del one[keyword]
        if "oneOf" in one and form != "openai":
            one["anyOf"] = one.pop("oneOf")
        if "prefixItems" in one and form == "openai-strict":
            one["items"] = {"anyOf": [*one.pop("prefixItems"), *([one["items"]] if "items" in one else [])]}
        beside = {"anyOf", "$ref"} & one.keys() if form == "openai-strict" else {"$ref"} & one.keys()
        if beside:
            for keyword in {
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "multipleOf",
                "minItems",
                "maxItems",
            } & one.keys():
                del one[keyword]
    return loose


@OFTEN
@given(schema=parameters_of_tools())
def test_a_form_is_sound_or_refused(schema: Schema) -> None:
    for form in FORMS:
        if (found := made(form, schema)) is not None:
            assert faults(found) == []
            assert json.loads(json.dumps(found, allow_nan=False)) == found
            assert made(form, found) is not None  # what is in a form goes into it again


@pytest.mark.parametrize("form", ["openai-strict", "gemini"])
@OFTEN
@given(schema=parameters_of_tools(), data=st.data())
def test_what_a_subset_takes_the_tool_takes(form: str, schema: Schema, data: st.DataObject) -> None:
    found = made(form, schema)
    assume(found is not None)
    value = data.draw(values(found, found or {}))
    assume(takes(found, value))
    assert takes(loosened(schema, form), value)


@OFTEN
@given(schema=parameters_of_tools(), data=st.data())
def test_what_the_tool_takes_gemini_takes(schema: Schema, data: st.DataObject) -> None:
    found = made("gemini", schema)
    assume(found is not None)
    value = data.draw(values(schema, schema))
    assume(takes(schema, value))
    assert takes(found, value)


@OFTEN
@given(schema=parameters_of_tools(), data=st.data())
def test_forms_of_all_json_schema_take_just_what_the_tool_takes(schema: Schema, data: st.DataObject) -> None:
    found = {form: made(form, schema) for form in ("openai", "anthropic", "mcp")}
    assume(None not in found.values())
    value = data.draw(values(schema, schema))
    for form, one in found.items():
        if form == "openai":
            assert takes(loosened(one or {}, form), value) == takes(loosened(schema, form), value)
        else:
            assert takes(one, value) == takes(schema, value)


def test_a_form_that_took_more_than_the_tool_would_be_found_out() -> None:
    own: Schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    value = {"a": "x", "b": 1}
    assert takes({**own, "additionalProperties": True}, value)
    assert not takes(loosened(own, "openai-strict"), value)
