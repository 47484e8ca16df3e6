"""Rows of the table for JSON's own scalars and for closed sets: nothing is coerced, and what is refused is told."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Any, Literal

import pytest
from declared import of, read, refusal, schema_of

from trio_tools import JSONValue


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Mode(StrEnum):
    FAST = "fast"


class Odd(Enum):
    """Values of every JSON scalar."""

    NOTHING = None
    YES = True
    TWO = 2
    HALF = 0.5


@pytest.mark.parametrize(
    ("annotation", "value", "seen"),
    [
        (int, 3.0, 3),
        (int, 2.0**53 - 1, 2**53 - 1),
        (int, -(10**4000), -(10**4000)),
        (float, 3, 3.0),
        (float, 2**60, 2.0**60),  # a float holds it
        (float, -0.0, -0.0),
        (Literal[1, "1"], "1", "1"),
        (Literal[1, "1"], 1.0, 1),
        (Literal[None, True], True, True),
        (Color, "red", Color.RED),
        (Level, 2, Level.HIGH),
        (Level, 1.0, Level.LOW),
        (Mode, "fast", Mode.FAST),
        (Odd, None, Odd.NOTHING),
        (Odd, True, Odd.YES),
        (Odd, 0.5, Odd.HALF),
        (Literal[Color.RED, "x"], "red", Color.RED),
        (object, {"a": [1, None]}, {"a": [1, None]}),
        (JSONValue, [1, {"a": "b"}], [1, {"a": "b"}]),
    ],
)
def test_what_fits_is_the_value_as_declared(annotation: Any, value: object, seen: object) -> None:
    """R117, case B15, case B26: same value, and the type that the annotation promises."""
    got = read(annotation, value)
    assert (got, type(got)) == (seen, type(got) if annotation in (object, JSONValue) else type(seen))


@pytest.mark.parametrize(
    ("annotation", "value", "violation"),
    [
        (int, "3", '"x" must be an integer'),
        (int, True, '"x" must be an integer'),
        (int, 3.5, '"x" must be an integer'),
        (int, 1e25, '"x" must be an integer, and one of 2^53 or more written without a point or exponent'),
        (float, "1.5", '"x" must be a number'),
        (float, False, '"x" must be a number'),
        (float, 2**53 + 1, '"x" must be a number that a float holds exactly'),
        (float, 10**400, '"x" must be a number that a float holds exactly'),
        (bool, "false", '"x" must be a boolean'),
        (bool, 0, '"x" must be a boolean'),
        (str, 5, '"x" must be a string'),
        (str, ["a"], '"x" must be a string'),
        (Literal[1], True, '"x" must be one of [1]'),
        (Literal[True], 1, '"x" must be one of [true]'),
        (Literal["a", 1], "1", '"x" must be one of ["a",1]'),
        (Color, "RED", '"x" must be one of ["red","blue"]'),
        (Color, {"a": 1}, '"x" must be one of ["red","blue"]'),
        (Odd, False, '"x" must be one of [null,true,2,0.5]'),
    ],
)
def test_what_does_not_fit_is_refused_in_words(annotation: Any, value: object, violation: str) -> None:
    """R117, D26, case B15, case B26: and what is allowed is listed."""
    assert refusal(annotation, value) == violation


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int, {"type": "integer"}),
        (None, {"type": "null"}),
        (Any, {}),
        (JSONValue, {}),
        (Color, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (Literal[1, 1.0, True], {"enum": [1, True]}),
        (Odd, {"enum": [None, True, 2, 0.5]}),
    ],
)
def test_the_schema_says_the_same(annotation: Any, schema: object) -> None:
    """R117, case B26."""
    assert schema_of(annotation) == schema


class Empty(Enum):
    pass


class Bits(Flag):
    A = 1
    B = 2


class Objects(Enum):
    A = (1, 2)


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (Empty, "has no members"),
        (Bits, "combine"),
        (Objects, "(1, 2)"),
        (Literal[b"a"], "b'a'"),
        (complex, "complex"),
        (type, "type"),
        (type[int], "type[int]"),
        (range, "range"),
        (Decimal | complex, "complex"),
        (list[complex], "complex"),
    ],
)
def test_a_type_without_an_answer_fails_when_it_is_declared(annotation: Any, said: str) -> None:
    """Case B26: naming tool, parameter and type."""
    with pytest.raises(TypeError, match='tool "take", parameter "x": ') as caught:
        of(annotation)
    assert said in str(caught.value)
