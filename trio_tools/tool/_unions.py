"""The row for unions: the first arm, in the order written, that fits."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import ForwardRef, Union, get_args, get_origin

from trio_tools.tool._scalars import ANYTHING, NULL
from trio_tools.tool._shape import Hook, Misfit, Problem, Shape, Walk, must_be
from trio_tools.values import JSONValue

_SCALARS: set[object] = {str, int, float, bool, type(None)}
_LEAVES = ("string", "integer", "number", "boolean", "null")


def union(annotation: object, walk: Walk) -> Shape | None:
    """Union, Optional, and `A | B`."""
    if get_origin(annotation) is not Union and not isinstance(annotation, types.UnionType):
        return None
    arguments = get_args(annotation)
    if annotation == JSONValue or _is_any_json(arguments):
        return ANYTHING
    return union_of([walk.shape(one) for one in arguments])


def _is_any_json(arguments: tuple[object, ...]) -> bool:
    """Whether this is `JSONValue`, or an alias like it: all scalars, and lists and dicts of itself."""
    rest = [one for one in arguments if one not in _SCALARS]
    if len(rest) + len(_SCALARS) != len(arguments):
        return False
    inner = [get_args(one)[-1] for one in rest if get_origin(one) in (list, dict)]
    return len(inner) == len(rest) == 2 and all(_refers_back(one) for one in inner)


def _refers_back(annotation: object) -> bool:
    return isinstance(annotation, ForwardRef) or any(map(_refers_back, get_args(annotation)))


def union_of(arms: list[Shape]) -> Shape:
    """The union of these shapes."""
    if len(arms) == 1:
        return arms[0]
    return Shape(
        schema={"anyOf": _distinct([arm.schema for arm in arms])},
        noun=noun_of(arms),
        hook=_reader(arms, lambda arm: arm.hook),
        tell=_reader(arms, lambda arm: arm.tell),
        hashable=all(arm.hashable for arm in arms),
        arms=tuple(arms),
        trusted=all(arm.trusted for arm in arms),
    )


def _distinct(schemas: list[dict[str, JSONValue]]) -> list[JSONValue]:
    found: list[JSONValue] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return found


def noun_of(arms: list[Shape]) -> str:
    """What a message calls a union."""
    nouns = dict.fromkeys(arm.noun for arm in arms)
    if "a number" in nouns:
        nouns.pop("an integer", None)  # which is one
    return (", or " if any("," in noun for noun in nouns) else " or ").join(nouns)


def _reader(arms: list[Shape], of_arm: Callable[[Shape], Hook]) -> Hook:
    if len(arms) == 2 and arms[1].schema == {"type": "null"} and not _takes_null(arms[0]):
        return _optional(arms[0], of_arm(arms[0]))
    readers = [(arm, of_arm(arm)) for arm in _whole_numbers_first(arms)]

    def read(value: JSONValue, of: object) -> object:
        closest: list[Problem] = []
        for arm, hook in readers:
            try:
                return hook(value, of)
            except Misfit as misfit:
                closest = closest or _closer(arm, misfit)
        raise Misfit(closest) if closest else must_be(noun_of(arms))

    return read if sum(not _is_leaf(arm) for arm in arms) < 2 else _once(read)


def _is_leaf(arm: Shape) -> bool:
    """Whether it holds no other values, and so is read at once."""
    return not arm.schema or "enum" in arm.schema or arm.schema.get("type") in _LEAVES


def _takes_null(arm: Shape) -> bool:
    members = arm.schema.get("enum")
    return isinstance(members, list) and None in members


def _optional(inner: Shape, hook: Hook) -> Hook:
    def read(value: JSONValue, of: object) -> object:
        if value is None:
            return None
        try:
            return hook(value, of)
        except Misfit as misfit:
            if _closer(inner, misfit):
                raise
            raise must_be(noun_of([inner, NULL])) from None

    return read


def _closer(arm: Shape, misfit: Misfit) -> list[Problem]:
    """The problems of an arm that fits at the top, and fails further in or at a bound; none of one that does not."""
    plain = f" must be {arm.noun}"
    return [] if all(not one.path and one.after == plain for one in misfit.problems) else misfit.problems


def _whole_numbers_first(arms: list[Shape]) -> list[Shape]:
    """An `int` arm before a `float` arm, wherever it was written: a whole number stays one."""
    kinds = [arm.schema.get("type") if arm.measure == "number" else None for arm in arms]
    if "number" not in kinds:
        return arms
    first = kinds.index("number")
    late = [arm for arm, kind in zip(arms[first:], kinds[first:], strict=True) if kind == "integer"]
    return [*arms[:first], *late, *(arm for arm in arms[first:] if arm not in late)]


class _Reading(threading.local):
    """What unions have made of values while the outermost of them is being read, in this thread."""

    def __init__(self) -> None:
        self.depth = 0
        # by union and identity of the value, which is kept, so that no other can have its identity
        self.done: dict[tuple[Hook, int], tuple[JSONValue, object, list[Problem] | None]] = {}


_reading = _Reading()


def _once(read: Hook) -> Hook:
    """The same hook, which reads no value twice while any union around it is being read: each arm that is tried would
    else read all that is further in again, twice as often at each level."""

    def remembering(value: JSONValue, of: object) -> object:
        if not isinstance(value, (dict, list)):
            return read(value, of)
        reading, key = _reading, (read, id(value))
        if key in reading.done:
            _, made, problems = reading.done[key]
            if problems is not None:
                raise Misfit(problems)
            return made
        reading.depth += 1
        try:
            made = read(value, of)
            reading.done[key] = (value, made, None)
        except Misfit as misfit:
            reading.done[key] = (value, None, misfit.problems)
            raise
        finally:
            reading.depth -= 1
            if not reading.depth:
                reading.done.clear()
        return made

    return remembering
