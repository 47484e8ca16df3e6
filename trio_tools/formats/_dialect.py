"""Dialects: every form is JSON Schema 2020-12, whichever the tool was written in."""

from __future__ import annotations

from trio_tools.formats._draft import Draft
from trio_tools.formats._walk import ANNOTATIONS, DEFINITIONS, Schema, named, walk
from trio_tools.values import JSONValue

# Keywords of 2020-12 that draft 7 does not know, and so passes over.
_LATER = frozenset(
    {
        *("prefixItems", "minContains", "maxContains", "unevaluatedItems"),
        *("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    }
)


def modernize(draft: Draft) -> None:
    """Write draft 7, where `$schema` says so, as 2020-12, which needs no `$schema`; addresses of schemas go too.

    Raises `NotInForm` for any other dialect, and for an address inside that references may count from.
    """
    said = str(draft.root.pop("$schema", "2020-12"))
    if "draft-07" in said:
        for schema in walk(draft.root):
            _modernize(schema)
    elif "2020-12" not in said:
        raise draft.refusal(draft.root, f"its dialect is {said!r}", "write it in 2020-12 or draft 7")
    draft.root.pop("$id", None)
    addressed = [schema for schema in walk(draft.root) if schema.pop("$id", None) is not None]
    if addressed and any("$ref" in schema for schema in walk(draft.root)):
        raise draft.refusal(addressed[0], "references inside it count from its own $id", "leave the $id out")


def _modernize(schema: Schema) -> None:
    for keyword in _LATER & schema.keys():
        del schema[keyword]
    if "$ref" in schema:  # in draft 7 it stands alone: what is beside it is passed over
        for keyword in schema.keys() - ANNOTATIONS - DEFINITIONS - {"$ref"}:
            del schema[keyword]
    rest = schema.pop("additionalItems", None)
    if isinstance(members := schema.get("items"), list):
        del schema["items"]
        if members:
            schema["prefixItems"] = members
        if rest is not None:
            schema["items"] = rest
    dependencies = named(schema, "dependencies")
    schema.pop("dependencies", None)
    keys: dict[str, JSONValue] = {key: one for key, one in dependencies.items() if isinstance(one, list)}
    schemas: dict[str, JSONValue] = {key: one for key, one in dependencies.items() if not isinstance(one, list)}
    schema.update({name: one for name, one in (("dependentRequired", keys), ("dependentSchemas", schemas)) if one})
