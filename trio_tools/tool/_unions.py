"""The row for unions: the first arm, in the order written, that fits."""

from __future__ import annotations

import types
from typing import ForwardRef, Union, get_args, get_origin

from trio_tools.tool._scalars import ANYTHING
from trio_tools.tool._shape import Hook, Misfit, Problem, Shape, Walk, must_be
from trio_tools.values import JSONValue

_SCALARS: set[object] = {str, int, float, bool, type(None)}


def union(annotation: object, walk: Walk) -> Shape | None:
    """Union, Optional, and `A | B`."""
    if get_origin(annotation) is not Union and not isinstance(annotation, types.UnionType):
        return None
    arguments = get_args(annotation)
    if _is_any_json(arguments):
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
        hook=_hook(arms),
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


def _hook(arms: list[Shape]) -> Hook:
    null = [arm for arm in arms if arm.schema.get("type") == "null"]
    rest = [arm for arm in arms if arm not in null]
    if len(rest) == 1 and null:
        return _optional(rest[0], null)
    ordered = _whole_numbers_first(arms)

    def read(value: JSONValue, of: object) -> object:
        closest: list[Problem] = []
        for arm in ordered:
            try:
                return arm.hook(value, of)
            except Misfit as misfit:
                closest = closest or _closer(arm, misfit)
        raise Misfit(closest) if closest else must_be(noun_of(arms))

    return read


def _closer(arm: Shape, misfit: Misfit) -> list[Problem]:
    """The problems of an arm that fits at the top, and fails further in or at a bound; none of one that does not."""
    plain = f" must be {arm.noun}"
    return [] if all(not one.path and one.after == plain for one in misfit.problems) else misfit.problems


def _whole_numbers_first(arms: list[Shape]) -> list[Shape]:
    """An integer arm before a float arm, wherever it was written: a whole number stays one."""
    kinds = [arm.schema.get("type") for arm in arms]
    if "number" not in kinds:
        return arms
    first = kinds.index("number")
    late = [arm for arm, kind in zip(arms[first:], kinds[first:], strict=True) if kind == "integer"]
    return [*arms[:first], *late, *(arm for arm in arms[first:] if arm not in late)]


def _optional(inner: Shape, null: list[Shape]) -> Hook:
    hook = inner.hook

    def read(value: JSONValue, of: object) -> object:
        if value is None:
            return None
        try:
            return hook(value, of)
        except Misfit as misfit:
            if _closer(inner, misfit):
                raise
            raise must_be(noun_of([inner, *null])) from None

    return read


def noun_of(arms: list[Shape]) -> str:
    """What a message calls a union."""
    return " or ".join(dict.fromkeys(arm.noun for arm in arms))
