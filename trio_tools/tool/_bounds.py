"""The row for Annotated: bounds, and a description.

Metadata is known by its attributes, which are those of annotated-types, so that none need be installed; other packages
that use the same names are understood too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin

import attrs

from trio_tools.tool._describe import described_as, description_in
from trio_tools.tool._shape import Hook, Measure, Misfit, Problem, Shape, Walk
from trio_tools.tool._unions import union_of
from trio_tools.values import EMPTY, JSONValue, printable

Check: TypeAlias = Callable[[Any], bool]

_LENGTHS: dict[Measure, tuple[str, str, str, str]] = {
    "string": ("minLength", "maxLength", "character", "characters"),
    "array": ("minItems", "maxItems", "item", "items"),
    "object": ("minProperties", "maxProperties", "property", "properties"),
}
_LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool], str]] = {
    "ge": ("minimum", operator.ge, ">="),
    "gt": ("exclusiveMinimum", operator.gt, ">"),
    "le": ("maximum", operator.le, "<="),
    "lt": ("exclusiveMaximum", operator.lt, "<"),
}


class _Bound(NamedTuple):
    """One bound on one shape: what the schema says of it, if it can, the test, and the words."""

    words: str
    check: Check
    schema: Mapping[str, JSONValue] = EMPTY
    trusted: bool = True  # whether the test runs no code of the tool's author


def annotated(annotation: object, walk: Walk) -> Shape | None:
    """Annotated, with all that its metadata says."""
    if get_origin(annotation) is not Annotated:
        return None
    inner, *metadata = get_args(annotation)
    shape = walk.shape(inner)
    for one in _flat(metadata):
        shape = _bound_by(shape, one)
    return attrs.evolve(shape, schema=described_as(shape, description_in(metadata)))


def _flat(metadata: Iterable[Any]) -> Iterator[Any]:
    """Groups of metadata taken apart, such as `Interval` and `Len`, and those that are kept in a list."""
    for one in metadata:
        inner = getattr(one, "metadata", None)
        if getattr(one, "__is_annotated_types_grouped_metadata__", False):
            yield from _flat(one)
        elif isinstance(inner, list):
            yield from _flat(inner)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield one


def _bound_by(shape: Shape, metadata: Any) -> Shape:
    """The shape within what one piece of metadata asks for; itself if that is no bound."""
    if shape.arms:
        bounded = [_bounded_arm(arm, metadata) for arm in shape.arms]
        if all(one is None for one in bounded):
            raise TypeError(f"{metadata!r} bounds nothing that is {shape.noun}")
        arms = [arm if one is None else one for arm, one in zip(shape.arms, bounded, strict=True)]
        same = all(one is arm for one, arm in zip(arms, shape.arms, strict=True))
        return shape if same else union_of(arms)
    one = _bounded_arm(shape, metadata)
    if one is None:
        raise TypeError(f"{metadata!r} bounds nothing that is {shape.noun}")
    return one


def _bounded_arm(shape: Shape, metadata: Any) -> Shape | None:
    """The shape within these bounds; None if they are bounds, and none that can bind it."""
    bounds = list(_bounds(shape, metadata))
    bounded: Shape | None = shape
    for bound in bounds:
        bounded = None if bounded is None or bound is None else _within(bounded, bound)
    return bounded


def _within(shape: Shape, bound: _Bound) -> Shape | None:
    schema = {**shape.schema}
    for keyword, limit in bound.schema.items():
        tighter = _tighter(keyword, schema.get(keyword), limit)
        if tighter is None:
            return None
        schema[keyword] = tighter
    untold = shape.untold if bound.schema else f"{shape.untold} Must be {bound.words}.".lstrip()
    return attrs.evolve(
        shape,
        schema=schema,
        hook=_checked(shape.hook, bound),
        tell=_checked(shape.tell, bound),
        untold=untold,
        trusted=shape.trusted and bound.trusted,
    )


def _tighter(keyword: str, one: JSONValue, other: JSONValue) -> JSONValue:
    """Of two bounds the one that says both; None if none does."""
    if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        return other
    if keyword == "multipleOf":
        return _common_multiple(one, other)
    return max(one, other) if "min" in keyword.lower() else min(one, other)


def _common_multiple(one: float, other: float) -> JSONValue:
    """The least number that is a multiple of both; None if no JSON number is."""
    (above, below), (above_too, below_too) = (Decimal(str(number)).as_integer_ratio() for number in (one, other))
    least, scale = math.lcm(above * below_too, above_too * below), below * below_too
    number = least // scale if least % scale == 0 else least / scale
    return number if Decimal(str(number)) * scale == least else None


def _checked(hook: Hook, bound: _Bound) -> Hook:
    problem = Problem(f" must be {bound.words}")

    def read(value: JSONValue, of: object) -> object:
        found = hook(value, of)
        try:
            if bound.check(found):
                return found
        except RecursionError:
            raise
        except Exception as error:  # a predicate of the tool's author, or a comparison that Python refuses
            raise Misfit([Problem(f"{problem.after}: {printable(error)}")]) from None
        raise Misfit([problem])

    return read


def _bounds(shape: Shape, metadata: Any) -> Iterator[_Bound | None]:
    """The bounds that metadata asks for; None for one that cannot bind this shape."""
    for name, (keyword, compare, sign) in _LIMITS.items():
        limit = getattr(metadata, name, None)
        if limit is not None:
            yield _limit(shape, limit, keyword, compare, sign)
    step = getattr(metadata, "multiple_of", None)
    if step is not None:
        yield _multiple(shape, step)
    least, most = getattr(metadata, "min_length", None), getattr(metadata, "max_length", None)
    if least is not None and least != 0:
        yield _length(shape, least, 0, operator.ge, "at least")
    if most is not None:
        yield _length(shape, most, 1, operator.le, "at most")
    match type(metadata).__name__:
        case "Predicate" if not shape.arms:
            words = f"such that {getattr(metadata.func, '__name__', 'its predicate')} holds"
            yield _Bound(words, metadata.func, trusted=False)
        case "Timezone":
            yield _zone(metadata.tz) if shape.kind in (datetime, time) else None
        case _:
            pass


def _limit(shape: Shape, limit: Any, keyword: str, compare: Callable[[Any, Any], bool], sign: str) -> _Bound | None:
    def check(value: Any) -> bool:
        return compare(value, limit)

    words = f"{sign} {limit}"
    if shape.measure == "number":
        return _Bound(words, check, {keyword: limit}) if _is_number(limit) else None
    fits = shape.kind is not None and isinstance(limit, (shape.kind, int) if shape.kind is Decimal else shape.kind)
    return _Bound(words, check) if fits else None


def _multiple(shape: Shape, step: Any) -> _Bound | None:
    fits = _is_number(step) if shape.measure == "number" else shape.kind is Decimal and isinstance(step, Decimal)
    exact = _exact(step) if fits else None
    if exact is None or exact[0] <= 0:
        return None
    above, below = exact

    def check(value: Any) -> bool:
        number = _exact(value)
        return number is not None and number[0] * below % (number[1] * above) == 0

    told: dict[str, JSONValue] = {} if isinstance(step, Decimal) else {"multipleOf": step}
    return _Bound(f"a multiple of {step}", check, told)


def _is_number(limit: object) -> bool:
    return type(limit) is int or (type(limit) is float and math.isfinite(limit))


def _exact(number: object) -> tuple[int, int] | None:
    """A number as a fraction: a whole one as it is, another as it is written, so that 0.3 is a multiple of 0.1."""
    if isinstance(number, int) or (isinstance(number, float) and number.is_integer()):
        return int(number), 1
    return Decimal(str(number)).as_integer_ratio() if isinstance(number, (float, Decimal)) else None


def _length(shape: Shape, count: int, side: int, compare: Callable[[int, int], bool], words: str) -> _Bound | None:
    def check(value: Any) -> bool:
        return compare(len(value), count)

    if type(count) is not int or count < 0 or shape.measure not in (*_LENGTHS, "size"):
        return None
    if shape.measure == "size":
        return _Bound(f"{words} {count} bytes long", check)
    *keywords, unit, units = _LENGTHS[shape.measure]
    return _Bound(f"of {words} {count} {unit if count == 1 else units}", check, {keywords[side]: count})


def _zone(zone: object) -> _Bound:
    def check(value: Any) -> bool:
        if not isinstance(value, (datetime, time)):
            return False
        if zone is None:
            return value.tzinfo is None
        return value.tzinfo is not None if zone is Ellipsis else value.tzinfo == zone

    words = "in the time zone that is asked for" if zone is not None else "without a time zone"
    return _Bound(words, check, trusted=False)  # a zone may compare as its author likes
