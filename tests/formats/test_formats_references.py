"""References, definitions and dialects: each form has its own, all of them, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from form_schemas import NODE, POINT, Schema, faults, it, of_one, parameters, tool

from trio_tools.formats import FORMS, NotInForm, to_mcp

ALL = pytest.mark.parametrize("form", FORMS)
WHOLE = pytest.mark.parametrize("form", ["openai", "openai-responses", "anthropic", "mcp"])


@ALL
def test_a_reference_at_the_top_is_written_out(form: str) -> None:
    made = parameters(form, tool({"type": "object", "$ref": "#/$defs/Point", "$defs": {"Point": POINT}}))
    assert made == POINT
    assert list(made)[:2] == ["type", "properties"]


@ALL
def test_a_recursive_class_at_the_top_keeps_its_definition(form: str) -> None:
    made = parameters(form, tool({"$ref": "#/$defs/Node", "description": "a tree", "$defs": {"Node": NODE}}))
    assert made["description"] == "a tree"
    assert list(made["$defs"]) == ["Node"]
    assert faults(made) == []


@ALL
def test_a_reference_at_the_top_may_name_more_than_objects(form: str) -> None:
    maybe: Schema = {**POINT, "type": ["object", "null"]}
    assert parameters(form, tool({"type": "object", "$ref": "#/$defs/P", "$defs": {"P": maybe}})) == POINT


@ALL
def test_references_at_the_top_are_followed_to_their_end(form: str) -> None:
    definitions = {"A": {"$ref": "#/$defs/B", "description": "first"}, "B": {"$ref": "#/$defs/Point"}, "Point": POINT}
    assert parameters(form, tool({"$ref": "#/$defs/A", "$defs": definitions})) == {**POINT, "description": "first"}


def test_a_reference_at_the_top_beside_other_keys_becomes_an_all_of() -> None:
    top: Schema = {"type": "object", "$ref": "#/$defs/P", "properties": {"z": {}}, "$defs": {"P": POINT}}
    assert parameters("mcp", tool(top))["allOf"] == [{"$ref": "#/$defs/P"}]
    for form in FORMS.keys() - {"mcp"}:
        with pytest.raises(NotInForm, match=r": \$: (this form has no allOf at the top|its allOf speaks of .*);"):
            FORMS[form](tool(top))


@ALL
def test_the_root_may_refer_to_itself_from_inside(form: str) -> None:
    made = parameters(
        form,
        tool({**POINT, "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": []}),
    )
    assert made["properties"]["next"]["anyOf"][0] == {"$ref": "#"}
    assert faults(made) == []


@ALL
def test_what_is_referred_to_elsewhere_is_moved_to_the_definitions(form: str) -> None:
    inside: Schema = {
        "type": "object",
        "properties": {"a/b": {"type": "string"}, "c": {"$ref": "#/properties/it/properties/a~1b"}},
        "required": ["a/b", "c"],
    }
    made = parameters(form, of_one(inside))
    assert made["$defs"] == {"a_b": {"type": "string"}}
    assert {one["$ref"] for one in made["properties"]["it"]["properties"].values()} == {"#/$defs/a_b"}


def test_an_all_of_one_at_the_top_is_written_out_by_subsets() -> None:
    top: Schema = {"type": "object", "properties": {}, "allOf": [{"$ref": "#/$defs/P"}], "$defs": {"P": POINT}}
    for form in ("openai-strict", "gemini"):
        assert parameters(form, tool(top)) == POINT
        top["allOf"][0]["required"] = ["x"]
        with pytest.raises(NotInForm, match=r": \$: this form has no \$ref at the top; write out what it names"):
            FORMS[form](tool(top))
        del top["allOf"][0]["required"]
        odd: Schema = {**POINT, "properties": {"x": {"not": {}}, "y": {}}}
        with pytest.raises(NotInForm, match=r": \$\.\$defs\.P\.properties\.x: this form has no not;"):
            FORMS[form](tool({**top, "$defs": {"P": odd}}))
    assert parameters("gemini", tool({"allOf": [{"required": ["a"]}]}))["properties"] == {}
    for form in ("openai", "anthropic"):
        with pytest.raises(NotInForm, match=r": \$: this form has no allOf at the top; say it of a property"):
            FORMS[form](tool(top))


@ALL
def test_a_definition_inside_another_is_moved_out_of_it(form: str) -> None:
    outer: Schema = {**POINT, "properties": {"x": {"type": "string"}, "y": {"type": "integer"}}}
    both: Schema = {"anyOf": [{"$ref": "#/$defs/Outer"}, {"$ref": "#/$defs/Outer/properties/x"}]}
    made = parameters(form, of_one(both, Outer=outer))
    assert made["$defs"]["Outer"]["properties"]["x"] == {"$ref": "#/$defs/x"}
    assert made["$defs"]["x"] == {"type": "string"}
    assert faults(made) == []


@WHOLE
def test_what_moves_may_refer_to_what_moves(form: str) -> None:
    at = "#/properties/it/properties/"
    inside: Schema = {"a": {"items": {"$ref": f"{at}b"}}, "b": {"type": "string"}, "c": {"$ref": f"{at}a"}}
    made = parameters(form, of_one({"properties": inside}))
    assert made["$defs"] == {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"type": "string"}}
    assert faults(made) == []


def test_what_is_left_over_is_left_over_from_its_own_schema() -> None:
    """`unevaluatedProperties` looks at all that is beside it, so nothing may come beside it by a merge."""
    rest: Schema = {"type": "object", "unevaluatedProperties": False}
    top: Schema = {"type": "object", "$ref": "#/$defs/Rest", "$defs": {"Rest": rest}}
    assert "allOf" not in parameters("mcp", tool(top))
    top["properties"] = {"a": {"type": "string"}}
    assert parameters("mcp", tool(top))["allOf"] == [{"$ref": "#/$defs/Rest"}]


@WHOLE
def test_definitions_of_one_name_in_several_places_are_told_apart(form: str) -> None:
    inner: Schema = {"$ref": "#/properties/it/$defs/A", "$defs": {"A": {"type": "string"}}}
    made = parameters(form, of_one({"items": {"$ref": "#/$defs/A"}, **inner}, A={"type": "integer"}))
    assert sorted(made["$defs"]) == ["A", "A_2"]
    assert {one["type"] for one in made["$defs"].values()} == {"string", "integer"}
    assert faults(made) == []


@WHOLE
@pytest.mark.parametrize("name", ["Box[int]", "a b", "a/b", "a~b", "ä", "%", ""])
def test_definitions_get_names_that_need_no_escapes(form: str, name: str) -> None:
    pointer = "#/$defs/" + name.replace("%", "%25").replace("~", "~0").replace("/", "~1").replace(" ", "%20")
    made = parameters(form, of_one({"$ref": pointer}, **{name: {"type": "string"}}))
    assert list(made["$defs"].values()) == [{"type": "string"}]
    assert faults(made) == []


@WHOLE
def test_a_definition_may_be_a_boolean(form: str) -> None:
    made = parameters(
        form, of_one({"items": {"$ref": "#/$defs/Any"}, "not": {"$ref": "#/$defs/No"}}, Any=True, No=False)
    )
    assert made["$defs"] == {"Any": {}, "No": {"not": {}}}


@ALL
def test_old_definitions_are_renamed(form: str) -> None:
    made = parameters(
        form,
        tool(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "$id": "https://example.org/tool",
                "type": "object",
                "properties": {"p": {"$ref": "#/definitions/Point"}},
                "required": ["p"],
                "definitions": {"Point": POINT, "Unused": {"$ref": "#/definitions/Point"}},
            }
        ),
    )
    assert made["properties"] == {"p": {"$ref": "#/$defs/Point"}}
    assert made["$defs"] == {"Point": POINT}
    assert faults(made) == []


def of_draft_7(schema: Schema, **definitions: Schema) -> Any:
    """What draft 7 of one parameter comes to."""
    top = of_one(schema)["parameters"]
    top["$schema"] = "http://json-schema.org/draft-07/schema#"
    top["definitions"] = {**definitions}
    made: Any = to_mcp(tool(top))["inputSchema"]
    assert faults(made) == []
    return made["properties"]["it"]


OLD_AND_NEW: list[tuple[Schema, Schema]] = [
    ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}),
    ({"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
    ({"items": {"type": "string"}, "additionalItems": False}, {"items": {"type": "string"}}),
    ({"additionalItems": False}, {}),
    ({"items": [], "additionalItems": {"type": "null"}}, {"items": {"type": "null"}}),
    ({"dependencies": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}),
    ({"dependencies": {"a": {"required": ["b"]}}}, {"dependentSchemas": {"a": {"required": ["b"]}}}),
    (
        {"dependencies": {"a": ["b"], "c": False}},
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": False}},
    ),
    ({"contains": {}, "minContains": 2, "unevaluatedItems": False}, {"contains": {}}),
    ({"$ref": "#/definitions/A", "type": "string", "title": "T"}, {"$ref": "#/$defs/A", "title": "T"}),
]


@pytest.mark.parametrize(("old", "new"), OLD_AND_NEW)
def test_draft_7_is_written_as_2020_12(old: Schema, new: Schema) -> None:
    assert of_draft_7(old, A={"type": "integer"}) == new


@ALL
def test_other_dialects_are_refused(form: str) -> None:
    for dialect in ("http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema"):
        with pytest.raises(NotInForm, match=rf"\$: its dialect is '{dialect}'; write it in 2020-12 or draft 7"):
            FORMS[form](tool({"$schema": dialect, "type": "object"}))


@ALL
def test_the_dialect_is_said_by_none(form: str) -> None:
    said: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **POINT}
    assert parameters(form, tool(said)) == POINT


@ALL
@pytest.mark.parametrize(
    "reference",
    ["https://example.org/x", "other.json#/$defs/A", "#A", "#/$defs/B", "#/$defs/A/type", "A", "", "#/properties/it/0"],
)
def test_references_to_nothing_of_its_own_are_refused(form: str, reference: str) -> None:
    schema = of_one({"$ref": reference}, A={"type": "string", "$anchor": "A"})
    with pytest.raises(
        NotInForm, match=r": \$\.properties\.it: \$ref .* is no JSON pointer into its own parameters; put"
    ):
        FORMS[form](schema)


@ALL
@pytest.mark.parametrize("reference", ["#/properties", "#/properties/it/default", "#/%24defs"])
def test_references_to_what_is_no_schema_are_refused(form: str, reference: str) -> None:
    schema = of_one({"items": {"$ref": reference}, "default": {}}, A={})
    with pytest.raises(NotInForm, match=rf"it\.items: \$ref '{reference}' names something that is no schema; put"):
        FORMS[form](schema)


@ALL
@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_references_that_depend_on_the_way_are_refused(form: str, keyword: str) -> None:
    with pytest.raises(NotInForm, match=rf"it: \{keyword} is no JSON pointer"):
        FORMS[form](of_one({keyword: "#"}))


@ALL
def test_references_that_count_from_an_address_inside_are_refused(form: str) -> None:
    inside: Schema = {"$id": "https://example.org/inside", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": {}}}
    with pytest.raises(NotInForm, match=r"it: references inside it count from its own \$id; leave the \$id out"):
        FORMS[form](of_one(inside))


@ALL
def test_addresses_that_nothing_refers_to_are_dropped(form: str) -> None:
    assert it(form, {"$id": "https://example.org/inside", "type": "string"}) == {"type": "string"}


LOOPS: list[Schema] = [
    {"A": {"$ref": "#/$defs/A"}},
    {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    {"A": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]}},
    {"A": {"type": "string", "allOf": [{"not": {"$ref": "#/$defs/A"}}]}},
]


@ALL
@pytest.mark.parametrize("definitions", LOOPS)
def test_a_schema_that_only_leads_back_to_itself_is_refused(form: str, definitions: Schema) -> None:
    with pytest.raises(NotInForm, match="it refers to itself without end; refer to it from a property or an item only"):
        FORMS[form](of_one({"$ref": "#/$defs/A"}, **definitions))


@ALL
@pytest.mark.parametrize("top", [{"$ref": "#"}, {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}])
def test_a_root_that_only_leads_back_to_itself_is_refused(form: str, top: Schema) -> None:
    with pytest.raises(NotInForm, match=r": \$: it refers to itself and says nothing else; write out what it takes"):
        FORMS[form](tool(top))
