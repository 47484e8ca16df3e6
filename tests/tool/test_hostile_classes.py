"""Classes and unions that are made to confuse: the body gets what its annotation says, or the tool is refused."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import attrs
import pytest
from declared import of, read, refusal, schema_of

T = TypeVar("T")
U = TypeVar("U")


@attrs.define
class Bush:
    n: int = 0
    left: Bush | None = None


class Based(TypedDict, Generic[T]):
    a: T


class Derived(Based[int]):
    b: NotRequired[int]


class Both(TypedDict, Generic[T, U]):
    a: T
    b: U


class Swapped(Both[U, int], Generic[U]):
    c: U


def test_a_typed_dict_has_the_arguments_of_its_generic_base() -> None:
    """R117: each key in the class that it is written in."""
    assert refusal(Derived, {"a": "x"}) == '"x.a" must be an integer'
    assert read(Swapped[str], {"a": "a", "b": 1, "c": "c"}) == {"a": "a", "b": 1, "c": "c"}
    assert refusal(Swapped[str], {"a": "a", "b": "b", "c": "c"}) == '"x.b" must be an integer'


def test_arms_that_python_calls_equal_are_two() -> None:
    """R117: as JSON has it, 1 is not true."""
    annotation = Literal[1, "a"] | Literal[True, "a"]
    assert schema_of(annotation) == {"anyOf": [{"enum": [1, "a"]}, {"enum": [True, "a"]}]}
    assert read(annotation, True) is True


@pytest.mark.parametrize("offset", ["+01:99", "+00:60", "-24:00"])
def test_an_offset_that_is_none_is_refused(offset: str) -> None:
    """R117."""
    assert "must be a date-time" in refusal(datetime, f"2026-01-01T00:00:00{offset}")


def test_a_union_in_a_union_is_read_as_one() -> None:
    """R117: a whole number stays one, wherever the arms are written."""
    assert repr(read(Annotated[float | str, "d"] | int, 3)) == "3"
    assert repr(read(float | Annotated[int | str, "d"], 3)) == "3"


@attrs.define
class Inner:
    a: int


@attrs.define
class Spoiler:
    inner: Inner | Bush

    def __attrs_post_init__(self) -> None:
        assert isinstance(self.inner, Inner)
        self.inner.a *= 100
        raise ValueError("not me")


@attrs.define
class Taker:
    inner: Inner | Bush


def test_what_a_refused_arm_was_given_is_not_what_the_next_one_gets() -> None:
    """R117, case B23: it may have changed it."""
    assert read(Spoiler | Taker, {"inner": {"a": 2}}) == Taker(Inner(2))


@attrs.define
class Named:
    """Names that cattrs uses itself."""

    cl: int
    converter: int
    attrs: int = 1
    _cattrs_use_alias: int = 2


def test_a_field_may_have_any_name() -> None:
    """R117."""
    assert read(Named, {"cl": 1, "converter": 2}) == Named(1, 2)
    odd = dataclasses.make_dataclass("My\nModel", [("x", int)])
    assert read(odd, {"x": 1}) == odd(1)


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...


@attrs.define
class Square(Shape):
    side: int


@attrs.define(init=False)
class Own:
    x: int

    def __init__(self, y: int) -> None:
        self.x = y


@dataclasses.dataclass
class Mixed(Bush):
    """A dataclass that descends from an attrs class."""

    more: int = 0


@attrs.define
class Grow(Generic[T]):
    next: Grow[list[T]] | None = None


@pytest.mark.parametrize(
    ("annotation", "said"),
    [(Square, "is abstract"), (Own, "does not take its fields"), (Grow[int], "grows each time")],
)
def test_a_class_that_no_arguments_make_fails_when_it_is_declared(annotation: Any, said: str) -> None:
    """Case B26."""
    with pytest.raises(TypeError, match=f'tool "take", parameter "x": .*{said}'):
        of(annotation)


def test_a_dataclass_that_descends_from_an_attrs_class_is_a_dataclass() -> None:
    """R117."""
    assert set(schema_of(Mixed)["properties"]) == {"more"}
