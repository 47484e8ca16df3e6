"""The row for unions: the first arm, in the order written, that fits."""

from __future__ import annotations

import json
import threading
import types
from collections.abc import Callable
from typing import ForwardRef, Union, get_args, get_origin

from trio_tools.tool._scalars import ANYTHING, NULL
from trio_tools.tool._shape import Hook, Misfit, Problem, Shape, Walk, must_be, telling
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
        hook=_reader(arms, tells=False),
        tell=_reader(arms, tells=True),
        hashable=all(arm.hashable for arm in arms),
        arms=tuple(arms),
        trusted=all(arm.trusted for arm in arms),
    )


def _distinct(schemas: list[dict[str, JSONValue]]) -> list[JSONValue]:
    # by their text: to Python 1 and true are one
    return list({json.dumps(schema): schema for schema in schemas}.values())


def noun_of(arms: list[Shape]) -> str:
    """What a message calls a union."""
    nouns = dict.fromkeys(arm.noun for arm in arms)
    if "a number" in nouns:
        nouns.pop("an integer", None)  # which is one
    return (", or " if any("," in noun for noun in nouns) else " or ").join(nouns)


def _reader(nested: list[Shape], *, tells: bool) -> Hook:
    arms = [one for arm in nested for one in (arm.arms or (arm,))]  # a union in a union is read as one
    if len(arms) == 2 and arms[1].schema == {"type": "null"} and not _takes_null(arms[0]):
        return _optional(arms[0], arms[0].tell if tells else arms[0].hook)
    readers = [(arm, arm.tell if tells else arm.hook) for arm in _whole_numbers_first(arms)]

    def choose(value: JSONValue, of: object) -> tuple[Hook, object]:
        """The hook of the first arm that fits, and what it has made."""
        closest: list[Problem] = []
        left = telling.left
        tried = [one for one in readers if one[0].may_be is None or one[0].may_be(value)]
        for arm, hook in tried if tried or not tells else readers:  # of those that cannot be it, which comes closest?
            telling.left = left
            try:
                return hook, hook(value, of)
            except Misfit as misfit:
                found = _closer(arm, misfit)
                closest = found if found and (not closest or len(found) < len(closest)) else closest
        telling.left = left - len(closest)
        raise Misfit(closest) if closest else must_be(noun_of(arms))

    if sum(not _is_leaf(arm) for arm in arms) >= 2:
        return _once(choose)
    return lambda value, of: choose(value, of)[1]


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
        # by union and identity of the value: the arm that fits it, or what is wrong. The value is kept, so that no
        # other can have its identity; what an arm has made of it is not, since whoever got it may have changed it.
        self.done: dict[tuple[object, int], tuple[JSONValue, Hook | None, list[Problem]]] = {}


_reading = _Reading()


def _once(choose: Callable[[JSONValue, object], tuple[Hook, object]]) -> Hook:
    """A hook that chooses once for each value while any union around it is being read: each arm that is tried would
    else choose again for all that is further in, twice as often at each level."""

    def read(value: JSONValue, of: object) -> object:
        if not isinstance(value, (dict, list)):
            return choose(value, of)[1]
        reading, key = _reading, (choose, id(value))
        if key in reading.done:
            _, chosen, problems = reading.done[key]
            if chosen is None:
                raise Misfit(problems)
            return chosen(value, of)
        reading.depth += 1
        try:
            hook, made = choose(value, of)
            reading.done[key] = (value, hook, [])
        except Misfit as misfit:
            reading.done[key] = (value, None, misfit.problems)
            raise
        finally:
            reading.depth -= 1
            if not reading.depth:
                reading.done.clear()
        return made

    return read
