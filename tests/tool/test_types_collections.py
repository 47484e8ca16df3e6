"""Rows of the table for arrays, objects with free keys, and unions of anything."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import attrs
import pytest
from declared import of, read, refusal, schema_of


class Color(Enum):
    RED = "red"


@attrs.frozen
class Point:
    x: int
    y: int = 0


@pytest.mark.parametrize(
    ("annotation", "value", "seen"),
    [
        (list[int], [1, 2.0], [1, 2]),
        (Sequence[str], ["a"], ["a"]),
        (Collection[str], [], []),
        (Iterable[float], [1], [1.0]),
        (list, [1, "a"], [1, "a"]),
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[()], [], ()),
        (tuple, [1, [2]], (1, [2])),
        (set[str], ["a"], {"a"}),
        (frozenset[tuple[int, int]], [[1, 2]], frozenset({(1, 2)})),
        (AbstractSet[Point], [{"x": 1}], frozenset({Point(1)})),
        (dict[str, int], {"a": 1.0}, {"a": 1}),
        (Mapping[str, list[int]], {"a": []}, {"a": []}),
        (dict, {"a": [1]}, {"a": [1]}),
        (dict[Color, int], {"red": 1}, {Color.RED: 1}),
        (dict[Literal["a", "b"], int], {"b": 1}, {"b": 1}),
        (dict[date, int], {"2026-01-01": 1}, {date(2026, 1, 1): 1}),
        (int | str, "5", "5"),
        (float | int, 5, 5),
        (float | str | int, 5.0, 5),
        (date | str, "2026-01-01", date(2026, 1, 1)),
        (str | date, "2026-01-01", "2026-01-01"),
        (Point | list[int], {"x": 1}, Point(1)),
        (int | None, None, None),
        (dict[str, int | None] | None, {"a": None}, {"a": None}),
    ],
)
def test_what_fits_is_read_to_its_type(annotation: Any, value: object, seen: object) -> None:
    """R117, case B15: members too, and a whole number goes to the int arm wherever it stands."""
    got = read(annotation, value)
    assert (got, type(got), repr(got)) == (seen, type(seen), repr(seen))


@pytest.mark.parametrize(
    ("annotation", "value", "violation"),
    [
        (list[int], "123", '"x" must be an array'),
        (list[str], {"0": "a"}, '"x" must be an array'),
        (list[list[int]], [[1], ["a"]], '"x[1][0]" must be an integer'),
        (tuple[int, str], [1], '"x" must be an array of 2 items'),
        (tuple[int, str], ["a", "a"], '"x[0]" must be an integer'),
        (tuple[()], [1], '"x" must be an empty array'),
        (set[int], [1, 1.0], '"x" must be an array without repeats'),
        (set[bool | int], [True, 1], '"x" must be an array without repeats'),
        (set[datetime], ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"], '"x" must be an array without repeats'),
        (frozenset[Path], ["a", "a/"], '"x" must be an array without repeats'),
        (dict[str, int], [], '"x" must be an object'),
        (dict[str, int], {"a": {"b": 1}}, '"x.a" must be an integer'),
        (dict[Color, int], {"blue": 1}, 'the key "x.blue" must be one of ["red"]'),
        (dict[Path, int], {"a": 1, "a/": 2}, '"x" must be an object without two spellings of one key'),
        (int | str, 1.5, '"x" must be an integer or a string'),
        (int | list[int], ["a"], '"x[0]" must be an integer'),
        (Point | None, {"x": "1"}, '"x.x" must be an integer'),
        (str | None, 5, '"x" must be a string or null'),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(annotation: Any, value: object, violation: str) -> None:
    """R117, D26, case B15."""
    assert refusal(annotation, value) == violation


def test_every_item_that_does_not_fit_is_told_up_to_a_bound() -> None:
    """D26: a model mends what it reads, and nobody reads ten thousand lines."""
    found = of(list[int]).violations({"x": ["a"] * 10_000})
    assert found[:2] == ['"x[0]" must be an integer', '"x[1]" must be an integer']
    assert found[100:] == ["and there may be more"]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (tuple[()], {"type": "array", "maxItems": 0}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2},
        ),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            dict[UUID, int],
            {
                "type": "object",
                "propertyNames": {"type": "string", "format": "uuid"},
                "additionalProperties": {"type": "integer"},
            },
        ),
        (int | str | None, {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    ],
)
def test_the_schema_says_the_same(annotation: Any, schema: object) -> None:
    """R117, case B26."""
    assert schema_of(annotation) == schema


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (set, "needs the type of its members"),
        (set[Any], "must be hashable"),
        (set[list[int]], "must be hashable"),
        (frozenset[dict[str, int]], "must be hashable"),
        (dict[int, str], "the keys of a JSON object are strings"),
        (dict[bool | str, str], "the keys of a JSON object are strings"),
    ],
)
def test_members_and_keys_that_json_cannot_carry_fail_when_declared(annotation: Any, said: str) -> None:
    """Case B26."""
    with pytest.raises(TypeError, match=said):
        of(annotation)


def test_two_orders_of_one_union_are_two_types() -> None:
    """R117: though Python calls them equal, and caches by that."""
    first: Any = datetime | str
    second: Any = str | datetime
    assert first == second
    text = "2026-01-01T00:00:00Z"
    assert read(first, text) == datetime(2026, 1, 1, tzinfo=UTC)
    assert read(second, text) == text
    assert read(list[first], [text]) == [datetime(2026, 1, 1, tzinfo=UTC)]
    assert read(list[second], [text]) == [text]
