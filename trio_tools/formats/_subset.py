"""Forms that know a part of JSON Schema: what they lack is said another way, told in the description, or refused."""

from __future__ import annotations

import re

import attrs

from trio_tools.formats._draft import Draft
from trio_tools.formats._merge import absorb
from trio_tools.formats._references import target_of
from trio_tools.formats._spelling import takes_nothing
from trio_tools.formats._walk import Schema, all_within, copy_of, listed, named, written
from trio_tools.formats._words import is_bound, tell, words_for, words_for_keys
from trio_tools.values import JSONValue

# What anything may have beside it; a reference in a schema that is wrapped round it.
_NOTES = frozenset({"title", "description"})
# Structure that has no words in any subset.
_STRUCTURE = frozenset(
    {
        *("not", "if", "then", "else", "contains", "unevaluatedItems"),
        *("patternProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    }
)
# Structure that a subset knows, but not beside a reference or a union.
_SHAPE = frozenset(
    {
        *("type", "enum", "const", "items", "prefixItems", "properties", "required", "additionalProperties"),
        *("$ref", "anyOf", "oneOf", "allOf"),
    }
)
# Look-around and back references, which engines that never backtrack do not have. What only looks like them is told in
# words too, which does no harm.
_BACKTRACKING = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<")


def backtracks(pattern: JSONValue) -> bool:
    """Whether a regular expression is of the kind that OpenAI refuses."""
    return isinstance(pattern, str) and _BACKTRACKING.search(pattern) is not None


@attrs.frozen
class Subset:
    """The keywords and formats of one form, and those keywords that stand `alone` but for title and description."""

    keywords: frozenset[str]
    formats: frozenset[str]
    alone: frozenset[str]

    def keeps(self, keyword: str, value: JSONValue) -> bool:
        """Whether the form takes this keyword with this value."""
        if keyword == "format":
            return isinstance(value, str) and value in self.formats
        return keyword in self.keywords and not (keyword == "pattern" and backtracks(value))


def narrow(draft: Draft, schema: Schema) -> None:
    """Say one schema without `allOf` and `oneOf`, and leave out what takes nothing.

    Raises `NotInForm` for structure that has no words in a subset.
    """
    _merge_all_of(draft, schema)
    if lost := sorted(schema.keys() & (_STRUCTURE | {"allOf"})):
        raise draft.refusal(schema, f"this form has no {lost[0]}", "say it with properties, items, enum or anyOf")
    if "oneOf" in schema:
        if "anyOf" in schema:
            raise draft.refusal(schema, "this form has no oneOf beside anyOf", "write the two as one anyOf")
        schema["anyOf"] = schema.pop("oneOf")
        tell(schema, "Exactly one of these.")
    if "anyOf" in schema:
        schema["anyOf"] = [arm for arm in listed(schema, "anyOf") if not takes_nothing(arm)] or schema["anyOf"]
    if schema.get("additionalProperties") is False:
        needed = listed(schema, "required")
        for name, one in [*named(schema, "properties").items()]:
            if takes_nothing(one) and name not in needed:
                del named(schema, "properties")[name]
    if "$ref" in schema and written(schema.get("type")) == written(target_of(draft, schema).get("type")):
        schema.pop("type", None)


def _merge_all_of(draft: Draft, schema: Schema) -> None:
    """Make one schema of one with an `allOf` of one. The root takes in what is referred to, since it may not refer."""
    at_top = schema is draft.root
    while len(arms := listed(schema, "allOf")) == 1 and isinstance(arm := arms[0], dict):
        del schema["allOf"]
        absorb(draft, schema, copy_of(_followed(draft, arm)) if at_top else arm)
        if at_top and "$ref" in schema:
            raise draft.refusal(schema, "this form has no $ref at the top", "write out what it names")
        if at_top:
            schema.setdefault("properties", {})


def cut(draft: Draft, schema: Schema, subset: Subset) -> None:
    """Cut what a subset has no keyword for, and tell it; unknown keywords go without a word. Raises `NotInForm` for
    structure beside a keyword that stands alone."""
    alone = next(iter(sorted(subset.alone & schema.keys())), None)
    told: list[str] = []
    for keyword, value in [*schema.items()]:
        if keyword in _NOTES or (subset.keeps(keyword, value) and alone in {None, keyword}):
            continue
        if keyword in _SHAPE:
            raise draft.refusal(
                schema, f"this form has no {keyword} beside {alone}", f"write it into what {alone} names"
            )
        del schema[keyword]
        if keyword == "propertyNames" and isinstance(value, dict):
            told.append(words_for_keys(_followed(draft, value)))
        elif is_bound(keyword):
            told.append(words_for(keyword, value))
    tell(schema, *told)
    if "$ref" in schema and len(schema) > 1:
        schema["anyOf"] = [{"$ref": schema.pop("$ref")}]


def _followed(draft: Draft, schema: Schema) -> Schema:
    """What a schema that is just a reference comes to in the end."""
    while "$ref" in schema and all_within(schema, frozenset({"$ref"})):
        schema = target_of(draft, schema)
    return schema
