"""What a form has no keyword for, in words that a model reads in the description."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from trio_tools.formats._walk import ANNOTATIONS, Schema, listed, types_of
from trio_tools.values import JSONValue

Words: TypeAlias = Callable[[JSONValue], str]


def _json(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _values(value: JSONValue) -> str:
    return ", ".join(_json(one) for one in value) if isinstance(value, list) else _json(value)


def _of(before: str, unit: str = "") -> Words:
    """Words round a value; the unit is in the plural unless the value is 1."""
    return lambda value: " ".join([before, _json(value), *([unit if value == 1 else f"{unit}s"] if unit else [])]) + "."


def _if_true(words: str) -> Words:
    return lambda value: words if value is True else ""


def _text(before: str) -> Words:
    return lambda value: f"{before} {value}."


# A sentence for each bound and annotation. What is in here may be cut where a form lacks it: the registry still checks
# it at run time. What is not in here, and no annotation, is structure.
_WORDS: dict[str, Words] = {
    "minLength": _of("At least", "character"),
    "maxLength": _of("At most", "character"),
    "pattern": _text("Matches the regular expression"),
    "format": _text("Format:"),
    "contentEncoding": _text("Encoded as"),
    "contentMediaType": _text("Holds"),
    "minimum": _of("At least"),
    "maximum": _of("At most"),
    "exclusiveMinimum": _of("More than"),
    "exclusiveMaximum": _of("Less than"),
    "multipleOf": _of("A multiple of"),
    "minItems": _of("At least", "item"),
    "maxItems": _of("At most", "item"),
    "uniqueItems": _if_true("No repeats."),
    "minProperties": _of("At least", "key"),
    "maxProperties": _of("At most", "key"),
    "enum": lambda value: f"One of {_values(value)}.",
    "const": lambda value: f"Just {_json(value)}.",
    "default": lambda value: f"Default: {_json(value)}.",
    "examples": lambda value: f"Examples: {_values(value)}.",
    "deprecated": _if_true("Deprecated."),
    "readOnly": _if_true("Read-only."),
    "writeOnly": _if_true("Write-only."),
}
# What a reader may be left without: notes to maintainers, and what a text holds once it is decoded.
_UNTOLD = frozenset({"$comment", "contentSchema"})


def words_for(keyword: str, value: JSONValue) -> str:
    """The sentence for a keyword that is cut; empty if there is nothing to tell."""
    return _WORDS[keyword](value) if keyword in _WORDS else ""


def words_for_keys(schema: Schema) -> str:
    """The sentence for a `propertyNames`, its references followed: what it says of a text, or as it is written."""
    said = {key: one for key, one in schema.items() if key not in ANNOTATIONS and key != "type"}
    if not said:
        return ""
    if said.keys() <= _WORDS.keys():
        return "Each key: " + " ".join(words_for(key, one) for key, one in said.items())
    return f"Each key fits the JSON Schema {_json(said)}."


def is_bound(keyword: str) -> bool:
    """Whether a keyword only bounds or notes what others say, so that it may be cut."""
    return keyword in _WORDS.keys() - {"enum", "const"} or keyword in _UNTOLD or keyword == "propertyNames"


def tell(schema: Schema, *sentences: str) -> None:
    """Add sentences to a schema's description."""
    told = [sentence for sentence in sentences if sentence]
    said = schema.get("description")
    if told and isinstance(said, str) and said.strip():
        said = said.strip()
        told.insert(0, said if said[-1] in ".!?:;" else f"{said}.")
    if told:
        schema["description"] = " ".join(told)


def label(schema: Schema) -> str:
    """A schema in a word or two: `integer`, `one of "a", "b"`, `Point`; with its description, if it has one."""
    said = schema.get("description")
    note = f" ({said.strip()})" if isinstance(said, str) and said.strip() else ""
    if isinstance(reference := schema.get("$ref"), str):
        return (reference.rpartition("/")[2] if "/" in reference else "the whole again") + note
    if "const" in schema:
        return _json(schema["const"]) + note
    if values := listed(schema, "enum"):
        return f"one of {_values(values)}{note}"
    return (" or ".join(str(one) for one in types_of(schema)) or "one of several") + note
