"""References: all go to the root or to one of its own definitions, and none leads back to itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from trio_tools.formats._draft import Draft, NotInForm
from trio_tools.formats._merge import absorb
from trio_tools.formats._walk import DEFINITIONS, IN_PLACE, Schema, copy_of, inner, listed, walk
from trio_tools.values import JSONValue, pointed_at

# What a definition may be called, so that its name needs no escapes in a pointer and no provider minds it.
_UNUSUAL = re.compile(r"[^A-Za-z0-9_.-]+")
# References that depend on where a schema was come from, or on a dialect of the past.
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_REMEDY = "put what it names under $defs, and refer to it as #/$defs/<name>"


def target_of(draft: Draft, schema: Schema) -> Schema:
    """What the `$ref` of a schema names. Raises `NotInForm` if that is nothing in the tool's own parameters."""
    reference = schema["$ref"]
    found = pointed_at(draft.root, reference) if isinstance(reference, str) else None
    if not isinstance(found, dict):
        raise draft.refusal(schema, f"$ref {reference!r} is no JSON pointer into its own parameters", _REMEDY)
    return found


def inline_root(draft: Draft) -> None:
    """Put what the root refers to in the root's place, in an `allOf` if they do not go into one schema. Raises
    `NotInForm` if it is the root again."""
    root = draft.root
    followed: set[str] = set()
    while "$ref" in root:
        target = target_of(draft, root)
        if target is root or str(root["$ref"]) in followed:
            raise draft.refusal(root, "it refers to itself and says nothing else", "write out what it takes")
        followed.add(reference := str(root.pop("$ref")))
        try:
            absorb(draft, root, {key: one for key, one in copy_of(target).items() if key not in DEFINITIONS})
        except NotInForm:
            root["allOf"] = [*listed(root, "allOf"), {"$ref": reference}]


def settle_references(draft: Draft) -> None:
    """Gather all that is referred to under `$defs` of the root, and leave out what is not.

    A definition that stands elsewhere in the tree is moved, and a reference put in its place. Raises `NotInForm` for a
    reference out of the tool's own parameters, or to something in it that is no schema.
    """
    root = draft.root
    schemas: set[int] = set()  # by their ids, once one is referred to
    targets: dict[int, tuple[str, Schema]] = {}
    taken: set[str] = set()
    seen: dict[int, Schema] = {}
    left = [root]
    while left:
        schema = left.pop()
        if id(schema) in seen:
            continue
        seen[id(schema)] = schema
        left += reversed([one for keyword, _, one in inner(schema) if keyword not in DEFINITIONS])
        if dynamic := [keyword for keyword in _DYNAMIC if keyword in schema]:
            raise draft.refusal(schema, f"{dynamic[0]} is no JSON pointer into its own parameters", _REMEDY)
        if "$ref" not in schema:
            continue
        target = target_of(draft, schema)
        schemas = schemas or {id(one) for one in walk(root)}
        if id(target) not in schemas:
            raise draft.refusal(schema, f"$ref {schema['$ref']!r} names something that is no schema", _REMEDY)
        if target is root:
            schema["$ref"] = "#"
            continue
        if id(target) not in targets:
            name = _free_name(str(schema["$ref"]), taken)
            taken.add(name)
            targets[id(target)] = (name, target)
            left.append(target)
        schema["$ref"] = f"#/$defs/{targets[id(target)][0]}"
    _gather(root, seen.values(), targets.values())


def _free_name(reference: str, taken: set[str]) -> str:
    last = unquote(reference).rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    name = wanted = _UNUSUAL.sub("_", last) or "_"
    count = len(taken)
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    return name


def _gather(root: Schema, live: Iterable[Schema], targets: Iterable[tuple[str, Schema]]) -> None:
    """Make the targets the root's definitions, and the only ones."""
    for schema in live:
        for keyword in DEFINITIONS:
            schema.pop(keyword, None)
    definitions: dict[str, JSONValue] = {}
    for name, target in targets:
        moved = dict(target)
        definitions[name] = moved
        target.clear()
        target["$ref"] = f"#/$defs/{name}"
    if definitions:
        root["$defs"] = definitions


def refuse_endless(draft: Draft) -> None:
    """Raises `NotInForm` for a schema that comes back to itself before it has looked into the value."""

    def after(schema: Schema) -> Iterator[Schema]:
        yield from (one for keyword, _, one in inner(schema) if keyword in IN_PLACE)
        if "$ref" in schema:
            yield target_of(draft, schema)

    if (found := find_loop(draft.root, after)) is not None:
        raise draft.refusal(found, "it refers to itself without end", "refer to it from a property or an item only")


def find_loop(root: Schema, after: Callable[[Schema], Iterator[Schema]]) -> Schema | None:
    """A schema that comes after itself, if one of those in a tree does. What comes after one is in it, or is what it
    refers to."""
    if not any("$ref" in schema for schema in walk(root)):
        return None  # a tree comes to its leaves
    done: set[int] = set()
    for start in walk(root):
        if id(start) in done:
            continue
        path = [(start, after(start))]
        on_path = {id(start)}
        while path:
            schema, left = path[-1]
            following = next(left, None)
            if following is None:
                path.pop()
                on_path.discard(id(schema))
                done.add(id(schema))
            elif id(following) in on_path:
                return following
            elif id(following) not in done:
                on_path.add(id(following))
                path.append((following, after(following)))
    return None
