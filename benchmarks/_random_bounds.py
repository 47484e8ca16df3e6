"""Random bounds for `Annotated`, each with a test of its own: the library that defines them tests nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import annotated_types as at
import attrs

from benchmarks._kinds import Dice, Kind, Text, Whole
from benchmarks._kinds_many import Bound, Renamed, arms_of
from benchmarks._kinds_text import DATE, DATETIME, DECIMAL, TIME

# Annotated as a value: a checker cannot follow an annotation that is drawn.
_ANNOTATED: Any = __import__("typing").Annotated


@attrs.frozen
class Within:
    """A bound that somebody else defined: only its attributes tell what it is."""

    ge: float | None = None
    lt: float | None = None
    max_length: int | None = None


def annotate(annotation: object, metadata: Sequence[object]) -> Any:
    return _ANNOTATED[(annotation, *metadata)]


def _exact(number: Any) -> Fraction:
    """The number as it is written: 19.9 is 199/10, and no float."""
    return Fraction(int(number)) if number == int(number) else Fraction(str(number))


def is_multiple(of: object) -> Callable[[Any], bool]:
    return lambda value: (_exact(value) / _exact(of)).denominator == 1


def _sizes(limit: Any, dice: Dice) -> Bound:
    edges = (limit, limit - 1, limit + 1, float(limit)) if isinstance(limit, (int, float)) else ()
    match dice.randrange(6):
        case 0:
            return Bound(at.Ge(limit), "size", lambda value: value >= limit, edges)
        case 1:
            return Bound(at.Gt(limit), "size", lambda value: value > limit, edges)
        case 2:
            return Bound(at.Le(limit), "size", lambda value: value <= limit, edges)
        case 3:
            return Bound(at.Lt(limit), "size", lambda value: value < limit, edges)
        case 4:
            return Bound(at.Interval(ge=limit), "size", lambda value: value >= limit, edges)
        case _:
            return Bound(at.Interval(gt=limit), "size", lambda value: value > limit, edges)


def _number(arms: Sequence[Kind], dice: Dice) -> list[Bound]:
    with_decimals = DECIMAL in arms  # bound by whole numbers: neither by others nor to multiples of one
    if not with_decimals and dice.one_in(3):
        of = dice.choice((2, 3, 5, 0.5, 0.1, 0.01))
        edges = (0, 0.3, 0.7, 19.9, 19.99, 6, 6.0, 9, -4, 2**53 + 1)
        return [Bound(at.MultipleOf(of), "size", is_multiple(of), edges)]
    if dice.one_in(8):
        return [Bound(Within(ge=0, lt=10), "size", lambda value: 0 <= value < 10, (0, 10, -1, 9.5, 10.0))]
    limits = (0, 1, 3, -2, 2**53, 2**53 + 1, 10**20, *(() if with_decimals else (0.5,)))
    return [_sizes(dice.choice(limits), dice) for _ in range(dice.randint(1, 2))]


def _length(dice: Dice) -> list[Bound]:
    least, most = dice.randint(0, 2), dice.randint(2, 3)
    match dice.randrange(5):
        case 0:
            return [Bound(at.MinLen(least), "length", lambda value: len(value) >= least)]
        case 1:
            return [Bound(at.MaxLen(most), "length", lambda value: len(value) <= most)]
        case 2:
            return [Bound(Within(max_length=most), "length", lambda value: len(value) <= most)]
        case 3:
            return [Bound(at.Len(least), "length", lambda value: len(value) >= least)]
        case _:
            return [Bound(at.Len(least, most), "length", lambda value: least <= len(value) <= most)]


def _is_even(value: int) -> bool:
    return value % 2 == 0


def bounds_for(kind: Kind, dice: Dice) -> list[Bound]:
    """Bounds that some arm of this kind can take; none if there are none."""
    if isinstance(kind, Renamed):
        return bounds_for(kind.of, dice)
    arms = arms_of(kind)
    if kind in (DATETIME, TIME) and dice.one_in(2):
        return [Bound(at.Timezone(...), "predicate", lambda value: value.tzinfo is not None)]
    if kind in (DATE, DATETIME, DECIMAL):
        return [_sizes(_limit(kind), dice)]
    if isinstance(kind, (Text, Whole)) and dice.one_in(4):
        test: Any = str.islower if isinstance(kind, Text) else _is_even
        return [Bound(at.Predicate(test), "predicate", test)]
    # a number bounds no date, and whether it then binds the other arms of a union is left open
    numeric = all(one.number or one is DECIMAL or "size" not in one.bindable for one in arms)
    aspects = sorted(kind.bindable if numeric else kind.bindable - {"size"})
    if not aspects:
        return []
    return _number(arms, dice) if dice.choice(aspects) == "size" else _length(dice)


def _limit(kind: Kind) -> object:
    if kind is DATE:
        return date(2026, 11, 30)
    return datetime(2026, 11, 30, 6, 30, tzinfo=UTC) if kind is DATETIME else Decimal("1.5")
