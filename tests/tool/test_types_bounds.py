"""Bounds and descriptions in `Annotated`: what JSON Schema has words for is told, all of it holds."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from annotated_types import Ge, Gt, Interval, Le, Len, Lt, MaxLen, MinLen, MultipleOf, Predicate, Timezone, doc
from declared import of, read, refusal, schema_of
from typing_extensions import Doc


class Meta:
    """As other packages name their bounds."""

    ge = 1
    description = "from elsewhere"


class Field:
    """As other packages keep theirs in a list."""

    description = "a field"

    def __init__(self) -> None:
        self.metadata = [Ge(1), Le(2)]


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (Annotated[int, Ge(1)], {"type": "integer", "minimum": 1}),
        (Annotated[float, Gt(0.5), Lt(1)], {"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 1}),
        (Annotated[int, Interval(ge=1, le=5)], {"type": "integer", "minimum": 1, "maximum": 5}),
        (Annotated[int, MultipleOf(3)], {"type": "integer", "multipleOf": 3}),
        (Annotated[str, Len(1, 3)], {"type": "string", "minLength": 1, "maxLength": 3}),
        (Annotated[list[int], MinLen(1)], {"type": "array", "items": {"type": "integer"}, "minItems": 1}),
        (
            Annotated[dict[str, int], MaxLen(2)],
            {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
        ),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Annotated[int, Doc("how many")], {"type": "integer", "description": "how many"}),
        (Annotated[int, doc("how many")], {"type": "integer", "description": "how many"}),
        (Annotated[int, Meta()], {"type": "integer", "minimum": 1, "description": "from elsewhere"}),
        (Annotated[int, Field()], {"type": "integer", "minimum": 1, "maximum": 2, "description": "a field"}),
        (Annotated[int, object()], {"type": "integer"}),
        (Annotated[int | None, Ge(1)], {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}),
        (
            Annotated[date, "when", Ge(date(2026, 1, 1))],
            {"type": "string", "format": "date", "description": "when. Must be >= 2026-01-01."},
        ),
        (Annotated[int, Ge(3), Ge(1), Le(9), Le(7)], {"type": "integer", "minimum": 3, "maximum": 7}),
        (Annotated[float, MultipleOf(0.2), MultipleOf(0.3)], {"type": "number", "multipleOf": 0.6}),
    ],
)
def test_a_bound_is_told_where_the_schema_has_a_word_for_it(annotation: Any, told: object) -> None:
    """R117: on a union it binds the arms that it can bind."""
    assert schema_of(annotation) == told


@pytest.mark.parametrize(
    ("annotation", "fits", "wrong", "violation"),
    [
        (Annotated[int, Ge(1)], 1, 0, '"x" must be >= 1'),
        (Annotated[int, Gt(1)], 2, 1, '"x" must be > 1'),
        (Annotated[float, Le(0.5)], 0.5, 0.6, '"x" must be <= 0.5'),
        (Annotated[int | None, Lt(3)], None, 3, '"x" must be < 3'),
        (Annotated[float, MultipleOf(0.1)], 0.3, 0.35, '"x" must be a multiple of 0.1'),
        (Annotated[int, MultipleOf(7)], 7 * 10**40, 10**40, '"x" must be a multiple of 7'),
        (Annotated[str, MinLen(2)], "äö", "ä", '"x" must be of at least 2 characters'),
        (Annotated[list[int], MaxLen(1)], [1], [1, 2], '"x" must be of at most 1 item'),
        (Annotated[set[int], MinLen(2)], [1, 2], [1], '"x" must be of at least 2 items'),
        (Annotated[bytes, MaxLen(1)], "AA==", "AAA=", '"x" must be at most 1 bytes long'),
        (Annotated[Decimal, Ge(Decimal("0.1"))], "0.10", "0.09", '"x" must be >= 0.1'),
        (Annotated[float, Predicate(math.isfinite)], 1.5, True, '"x" must be a number'),
        (Annotated[str, Predicate(str.islower)], "a", "A", '"x" must be such that islower holds'),
        (
            Annotated[datetime, Timezone(UTC)],
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00+01:00",
            '"x" must be in the time zone that is asked for',
        ),
        (list[Annotated[int, Ge(1)]], [1], [1, 0], '"x[1]" must be >= 1'),
    ],
)
def test_a_bound_holds_whether_or_not_it_is_told(annotation: Any, fits: Any, wrong: Any, violation: str) -> None:
    """R117, D26."""
    read(annotation, fits)
    assert refusal(annotation, wrong) == violation


def _fails(value: object) -> bool:
    raise KeyError(value)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Annotated[str, Predicate(_fails)], "a"),
        (Annotated[datetime, Ge(datetime(2026, 1, 1))], "2026-01-01T00:00:00Z"),
    ],
)
def test_a_bound_that_raises_is_a_refusal(annotation: Any, value: object) -> None:
    """R117: the body is not entered on what nobody could check."""
    assert refusal(annotation, value).startswith('"x" must be ')


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[str, Ge(1)],
        Annotated[bool, Ge(1)],
        Annotated[int, MinLen(1)],
        Annotated[int | None, MinLen(1)],
        Annotated[int, Ge(Decimal("1.5"))],
        Annotated[int, Ge(math.nan)],
        Annotated[int, MultipleOf(0)],
        Annotated[int, MultipleOf(math.inf)],
    ],
    ids=str,
)
def test_a_bound_that_can_bind_nothing_fails_when_declared(annotation: Any) -> None:
    """Case B26: rather than be passed over."""
    with pytest.raises(TypeError, match="bounds nothing"):
        of(annotation)
