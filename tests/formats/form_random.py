"""Random canonical schemas, and values that are likely to fit a schema."""

from __future__ import annotations

from functools import cache
from typing import Any

from form_schemas import Schema
from hypothesis import assume
from hypothesis import strategies as st

# Levels of a random schema and of a value. Enough for every pair of keywords to meet.
DEPTH = 3
DEEPEST_VALUE = 6

SCALARS: list[Schema | bool] = [
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null")),
    {"type": ["string", "null"]},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "pattern": "^a"},
    {"type": "string", "pattern": "^(?!a)", "contentEncoding": "base64"},
    {"type": "string", "format": "date", "x-unknown": 1},
    {"type": "string", "format": "uri", "description": "a link"},
    {"type": "integer", "minimum": 1, "maximum": 3},
    {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5, "default": 1},
    {"enum": ["a", 1, None]},
    {"enum": [True, False, "a"]},
    {"type": "string", "enum": ["a", "b", 1]},
    {"const": "a"},
    {"const": True},
]
# What a subset may have no words for. Rare, or nothing else would be tried.
ODD: list[Schema | bool] = [{}, True, False, {"not": {"type": "null"}}, {"type": "array"}, {"type": "object"}]
NAMES = st.sampled_from(["a", "b", "c"])
REFERENCES: list[Schema] = [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B", "description": "B"}, {"$ref": "#"}]
NOTES: list[Schema] = [{}, {}, {"description": "note"}, {"default": None}, {"title": "T", "deprecated": True}]

ARRAY_BOUNDS: list[Schema] = [{}, {"minItems": 1}, {"maxItems": 2, "uniqueItems": True}]
OBJECT_BOUNDS: list[Schema] = [{}, {}, {}, {"minProperties": 1}, {"propertyNames": {"maxLength": 1}}]


def as_schema(value: Any) -> Schema:
    """A value that is known to be a schema, for checkers to know too."""
    schema: Schema = value
    return schema


# What is drawn from is made once: Hypothesis looks at each strategy that it has not seen, and that takes longer than to
# draw from it.
_KINDS = ["scalar", "scalar", "reference", "array", "tuple", "object", "object", "anyOf", "oneOf", "allOf", "odd"]
_ANY_KIND, _FLAT_KIND = st.sampled_from(_KINDS), st.sampled_from(_KINDS[:3])
_SCALAR, _ODD = st.sampled_from(SCALARS), st.sampled_from(ODD)
_REFERENCE, _NOTES = st.sampled_from(REFERENCES), st.sampled_from(NOTES)
_ARRAY_BOUNDS = st.sampled_from(ARRAY_BOUNDS)
_TUPLE_ENDS = st.sampled_from(["closed", "open", "schema"])
_OBJECT_BOUNDS = st.sampled_from(OBJECT_BOUNDS)
_MORE = st.sampled_from([None, None, False, False, False, False, "schema"])
_EIGHTH = st.integers(0, 7)


@cache
def schemas(depth: int = DEPTH) -> st.SearchStrategy[Any]:
    """A schema of one value."""
    return _schemas(depth)


@cache
def objects(depth: int = DEPTH) -> st.SearchStrategy[Any]:
    """A schema of an object."""
    return _objects(depth)


@cache
def _several(depth: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(schemas(depth), min_size=1, max_size=most)


@cache
def _properties(depth: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(NAMES, schemas(depth), max_size=2)


@st.composite
def _schemas(draw: st.DrawFn, depth: int) -> Any:
    kind = draw(_ANY_KIND if depth else _FLAT_KIND)
    if kind == "scalar":
        return draw(_SCALAR)
    if kind == "odd":
        return draw(_ODD)
    notes = draw(_NOTES)
    if kind == "reference":
        return {**draw(_REFERENCE), **notes}
    inner = schemas(depth - 1)
    if kind == "array":
        return {"type": "array", "items": draw(inner), **draw(_ARRAY_BOUNDS), **notes}
    if kind == "tuple":
        members, end = draw(_several(depth - 1, 2)), draw(_TUPLE_ENDS)
        closed = {"items": False, "minItems": len(members)} if end == "closed" else {}
        return {
            "type": "array",
            "prefixItems": members,
            **({"items": draw(inner)} if end == "schema" else closed),
            **notes,
        }
    if kind == "object":
        return {**draw(objects(depth - 1)), **notes}
    if kind == "allOf":
        beside = draw(inner)
        return {**(as_schema(beside) if isinstance(beside, dict) else {}), "allOf": [draw(inner)], **notes}
    return {kind: draw(_several(depth - 1, 3)), **notes}


@st.composite
def _objects(draw: st.DrawFn, depth: int) -> Any:
    properties = draw(_properties(depth))
    required = [name for name in properties if draw(_EIGHTH)]
    schema: Schema = {"type": "object", "properties": properties, "required": required}
    extra = draw(_MORE)
    if extra is not None:
        schema["additionalProperties"] = draw(schemas(depth)) if extra == "schema" else extra
    return {**schema, **draw(_OBJECT_BOUNDS)}


@cache
def parameters_of_tools() -> st.SearchStrategy[Any]:
    """The parameters of a tool, with two definitions."""
    return _parameters()


@st.composite
def _parameters(draw: st.DrawFn) -> Any:
    return {**draw(objects()), "$defs": {"A": draw(schemas(1)), "B": draw(schemas(2))}}


TEXTS = ["", "a", "b", "ab", "abc", "2026-11-30"]
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-1, 4), st.sampled_from([0.5, 1.5]), st.sampled_from(TEXTS))
ANYTHING = st.one_of(PLAIN, st.lists(PLAIN, max_size=2), st.dictionaries(NAMES, PLAIN, max_size=2))
OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(TEXTS),
    "integer": st.integers(-1, 4),
    "number": st.one_of(st.integers(-1, 4), st.sampled_from([0.5, 1.5])),
    "boolean": st.booleans(),
    "null": st.none(),
}


@st.composite
def values(draw: st.DrawFn, schema: Any, root: Schema, depth: int = DEEPEST_VALUE) -> Any:
    """A value that a schema may well take: it follows the structure, and passes over bounds."""
    if not isinstance(schema, dict) or not depth:
        return draw(ANYTHING)
    schema = as_schema(schema)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return draw(values(root if name == "#" else root["$defs"][name], root, depth - 1))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return draw(values(draw(st.sampled_from(schema[keyword])), root, depth - 1))
    if "const" in schema or "enum" in schema:
        return draw(st.sampled_from([schema["const"]] if "const" in schema else schema["enum"]))
    said: str | list[str] = schema.get("type", "any")
    kind = said if isinstance(said, str) else draw(st.sampled_from(said))
    if kind == "array":
        members = [draw(values(one, root, depth - 1)) for one in schema.get("prefixItems", [])]
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        assume(least <= most)  # or there is no such array
        wanted = draw(st.integers(least, most))
        while len(members) < wanted and schema.get("items") is not False:
            members.append(draw(values(schema.get("items"), root, depth - 1)))
        return members[:wanted]
    if kind == "object":
        made = {
            name: draw(values(one, root, depth - 1))
            for name, one in schema.get("properties", {}).items()
            if name in schema.get("required", []) or draw(st.booleans())
        }
        if schema.get("additionalProperties") is not False and draw(st.booleans()):
            made.setdefault(draw(NAMES), draw(values(schema.get("additionalProperties"), root, depth - 1)))
        return made
    return draw(OF_TYPE.get(kind, ANYTHING))
