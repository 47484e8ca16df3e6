"""A raw schema as data: brought into canonical form, and looked over for what no validator should be asked."""

from __future__ import annotations

from collections.abc import Mapping

from trio_tools.values import FrozenDict, JSONValue, freeze_mapping, pointed_at, subschemas

# References to references at the root. A real schema has one; a circle has no end.
_HOPS = 20
# Schemas that references may unfold to: what a validator looks through, at worst, for each value.
MOST_UNFOLDED = 100_000


def canonical(schema: FrozenDict) -> FrozenDict:
    """A schema of arguments with a plain `type: object` at its top.

    Raises `ValueError` for one that no arguments fit or that refers to anything outside itself, and `NotJSON` where the
    two are too much together.
    """
    root = dict(schema)
    for _ in range(_HOPS):
        reference = root.pop("$ref", None)
        if reference is None:
            break
        target = _target(root, reference)
        twice = sorted((target.keys() & root.keys()) - {"description", "title", "default"})
        if twice:
            raise ValueError(f"the $ref at the root says {twice[0]!r}, and so does what stands beside it")
        root = {**target, **root}
    else:
        raise ValueError("the $ref at the root leads to no end")
    kind = root.pop("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise ValueError(f"arguments are always an object, and the schema asks for {kind!r}")
    root = {"type": "object", **root}
    for inner in subschemas(root):
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            place = inner.get(keyword)
            if isinstance(place, str) and not place.startswith("#"):
                raise ValueError(f"the {keyword} {place!r} lies outside the schema, and is never fetched")
        if inner is not root and isinstance(inner.get("$id"), str):
            raise ValueError(f"a schema with an $id of its own inside ({inner['$id']!r}): references would mislead")
    _refuse_unfolding(root)
    return freeze_mapping(root)


def _refuse_unfolding(root: dict[str, JSONValue]) -> None:
    """A reference to a reference, twice at each step, is a small schema and an endless one to look through."""
    sizes: dict[int, int] = {}  # by identity of the schema that a reference leads to; 0 while it is looked at

    def size(schema: dict[str, JSONValue]) -> int:
        count = 0
        for inner in subschemas(schema):
            count += 1
            reference = inner.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                continue
            try:
                target = _target(root, reference)
            except ValueError:
                continue  # the validator says it better
            if id(target) not in sizes:
                sizes[id(target)] = 0
                sizes[id(target)] = size(target)
            count += sizes[id(target)]
            if count > MOST_UNFOLDED:
                raise ValueError(f"its references unfold to more than {MOST_UNFOLDED:,} schemas")
        return count

    try:
        size(root)
    except RecursionError:
        raise ValueError("its references lead on and on") from None


def _target(root: dict[str, JSONValue], reference: JSONValue) -> dict[str, JSONValue]:
    pointer = reference if isinstance(reference, str) and reference.startswith("#/") else None
    found = None if pointer is None else pointed_at(root, pointer)
    if found is None:
        raise ValueError(f"the $ref {reference!r} at the root leads nowhere within the schema")
    if not isinstance(found, dict):
        raise ValueError(f"the $ref {reference!r} at the root leads to no schema")
    return found


def branches_endlessly(schema: Mapping[str, JSONValue]) -> bool:
    """Whether a schema offers choices and contains itself: what the validator tells of a value then grows with each
    level, by as many times as there are choices."""
    root = dict(schema)
    all_of_it = list(subschemas(root))
    offers = any(keyword in one for one in all_of_it for keyword in ("anyOf", "oneOf"))
    return offers and any(_reaches(root, one, one) for one in all_of_it if "$ref" in one)


def _reaches(root: dict[str, JSONValue], start: dict[str, JSONValue], goal: dict[str, JSONValue]) -> bool:
    seen: list[dict[str, JSONValue]] = []
    todo = [start]
    while todo:
        reference = todo.pop().get("$ref")
        try:
            target = root if reference == "#" else _target(root, reference)
        except ValueError:
            return True  # an anchor, say: where it leads is the validator's to know
        if any(target is one for one in seen):
            continue
        seen.append(target)
        for inner in subschemas(target):
            if inner is goal:
                return True
            if "$ref" in inner:
                todo.append(inner)
    return False
