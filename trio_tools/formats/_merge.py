"""Two schemas made one, where that is sound."""

from __future__ import annotations

from trio_tools.formats._draft import Draft
from trio_tools.formats._walk import ANNOTATIONS, IN_PLACE, Schema, listed, written

# Keywords that mean something else beside one another than apart: `additionalProperties` are all but the `properties`
# of its own schema. A group must come from one side.
_TOGETHER = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"prefixItems", "items"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"if", "then", "else"}),
)
# What these leave over depends on all that is beside them.
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_EVALUATING = _UNEVALUATED.union(IN_PLACE, {"$ref"}, *_TOGETHER)


def absorb(draft: Draft, schema: Schema, other: Schema) -> None:
    """Add the keywords of `other` to a schema, which then takes what both took. Its own annotations stand.

    Raises `NotInForm` where no one schema says both.
    """
    for one in (schema, other):
        if one.get("properties") == {} and "additionalProperties" not in one:
            del one["properties"]  # says nothing
    added = {key: value for key, value in other.items() if key not in schema or key not in ANNOTATIONS}
    if required := [*listed(schema, "required"), *listed(added, "required")]:
        schema["required"] = added["required"] = list(dict.fromkeys(required))
    open_ended = not _UNEVALUATED.isdisjoint(schema.keys() | added.keys())
    alike = [frozenset({key}) for key in added]
    clash: set[str] = set()
    for group in (*alike, *_TOGETHER, *([_EVALUATING] if open_ended else [])):
        mine, theirs = ({key: one[key] for key in group & one.keys()} for one in (schema, added))
        if mine and theirs and written(mine) != written(theirs):
            clash |= mine.keys() | theirs.keys()
    if clash:
        raise draft.refusal(schema, f"its allOf speaks of {', '.join(sorted(clash))} too", "write the two as one")
    schema.update(added)
