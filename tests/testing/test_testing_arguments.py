"""Drawn arguments of typed tools: each would reach the body, and what types allow is drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import attrs
import pytest
import trio
from annotated_types import Ge, Gt, Le, Len, Lt, MultipleOf, Predicate
from drawing import Drawn, Wanted, has, of_x, raw, some
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from benchmarks._kinds import Dice
from benchmarks.random_types import random_kind
from trio_tools import ToolCall, ToolContext, open_registry, tool
from trio_tools.testing import arguments
from trio_tools.tool import Tool

T = TypeVar("T")


def taking(annotation: Any) -> Tool:
    """A tool of one parameter, `x`, of this type."""

    async def take(x: object) -> None: ...

    take.__annotations__["x"] = annotation
    return tool(take)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.data())
def test_every_draw_is_one_that_the_tool_takes(seed: int, data: st.DataObject) -> None:
    """Over random types of the whole table, by what docs/types.md says of each, told a second time."""
    kind = random_kind(Dice(seed))
    one = taking(kind.annotation)
    try:
        strategy = arguments(one)
    except ValueError:  # bounds that exclude one another
        dice = Dice(seed)
        assert all(one.violations({"x": kind.fit(dice)}) for _ in range(50))
        reject()
    drawn = data.draw(strategy)
    assert one.violations(drawn) == []
    assert kind.judge(drawn["x"]).taken


class Color(Enum):
    RED = "red"
    BLUE = "blue"
    NONE = None


@attrs.frozen
class Placed:
    where: Path | None = None
    by_color: dict[Literal["red", "blue"], int] = attrs.field(factory=dict[Literal["red", "blue"], int])


@dataclass
class Tree(Generic[T]):
    value: T
    children: list[Tree[T]] = field(default_factory=list["Tree[T]"])


@attrs.frozen
class Link:
    name: Literal["a", "b"]
    next: Link | None = None


DRAWN: list[tuple[Any, Wanted]] = [
    (int, lambda x: x > 2**63),
    (float, lambda x: isinstance(x, float) and not x.is_integer()),
    (float, lambda x: isinstance(x, int)),
    (Color, lambda x: x == "blue"),
    (Color, lambda x: x is None),
    (int | None, lambda x: x is None),
    (int | str | None, lambda x: isinstance(x, str)),
    (list[int], lambda x: x == []),
    (list[int], lambda x: len(x) == 4),
    (list[list[list[bool]]], lambda x: x == [[[True]]]),
    (set[bool | int], lambda x: len(x) > 1),
    (tuple[int, str], lambda x: x == [0, ""]),
    (dict[Literal["red", "blue"], int], lambda x: "red" in x),
    (dict[str, list[int]], lambda x: any(x.values())),
    (object, lambda x: str(x).startswith("{'")),
    (Placed, lambda x: x == {}),
    (Placed, lambda x: x.get("by_color")),
    (Tree[int], lambda x: x.get("children") == []),
    (Tree[int], lambda x: any(one.get("children") for one in x.get("children", []))),
    (Link, lambda x: x.get("next") and x["next"].get("next")),
    (Annotated[int, Ge(3), Lt(5)], lambda x: x == 4),
    (Annotated[int, Gt(3), Le(40), MultipleOf(7)], lambda x: x == 35),
    (Annotated[float, Gt(0), Lt(1)], lambda x: 0 < x < 0.5),
    (Annotated[str, Len(2, 3)], lambda x: len(x) == 3),
    (Annotated[str, Predicate(str.islower)], lambda x: len(x) > 1),
    (Annotated[date, Ge(date(2026, 1, 1))], lambda x: x > "2030"),
]


@pytest.mark.parametrize(("annotation", "wanted"), DRAWN)
def test_what_a_type_allows_is_drawn(annotation: Any, wanted: Wanted) -> None:
    assert has(taking(annotation), wanted)


def test_optional_parameters_are_there_and_are_not() -> None:
    async def find(word: str, limit: int = 10, fuzzy: bool = False) -> None: ...

    keys = {frozenset(one) for one in some(arguments(tool(find)), 30)}
    assert keys == {frozenset({"word", *more}) for more in ([], ["limit"], ["fuzzy"], ["limit", "fuzzy"])}


def test_a_context_is_no_argument() -> None:
    async def ping(ctx: ToolContext) -> None: ...

    assert some(arguments(tool(ping))) == [{}]


def test_what_is_drawn_reaches_the_body() -> None:
    """Through the registry itself, and a body that was given typed values."""
    got: list[tuple[date, Tree[int]]] = []

    @tool
    async def take(day: date, tree: Tree[int]) -> None:
        got.append((day, tree))

    async def call(drawn: Mapping[str, object]) -> None:
        async with open_registry() as registry:
            registry.register(take)
            result = await registry.execute(ToolCall("take", drawn), scope=trio.CancelScope())
        assert result.code is None

    drawn = some(arguments(take))
    for one in drawn:
        trio.run(call, one)
    assert [day.isoformat() for day, _ in got] == [one["day"] for one in drawn]
    assert all(isinstance(tree, Tree) for _, tree in got)


def test_a_draw_is_the_tests_own_to_change() -> None:
    one = of_x({"enum": [{"a": [1]}]})
    for drawn in some(arguments(one)):
        drawn["x"] = None
    (drawn,) = some(arguments(one))
    inner: Any = drawn["x"]
    inner["a"].append(2)
    assert some(arguments(one)) == [{"x": {"a": [1]}}]


# --- parameters that are given ---------------------------------------------------------------------------------------


async def read(path: str, first_line: int = 1, encoding: Literal["utf-8", "latin-1"] = "utf-8") -> None: ...


def test_a_parameter_may_have_a_strategy_of_its_own() -> None:
    paths = st.sampled_from(["a.txt", "b.txt"])
    drawn = some(arguments(tool(read), path=paths, encoding=st.just("utf-8")), 30)
    assert all(one["path"] in ("a.txt", "b.txt") for one in drawn)
    assert all(one["encoding"] == "utf-8" for one in drawn), "optional, and given, so always there"
    assert {"first_line" in one for one in drawn} == {True, False}


def test_what_is_given_must_still_be_taken() -> None:
    drawn = some(arguments(tool(read), first_line=st.sampled_from([1, "two"])))
    assert all(one["first_line"] == 1 for one in drawn)


def test_a_strategy_for_what_is_no_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="tool \"read\": it has no parameter 'pth'; it has path, first_line, encoding"):
        arguments(tool(read), pth=st.just("a.txt"))


def test_what_is_no_strategy_or_no_tool_is_refused() -> None:
    text: Any = "a.txt"
    function: Any = read
    with pytest.raises(TypeError, match="path= must be a strategy of Hypothesis, not str"):
        arguments(tool(read), path=text)
    with pytest.raises(TypeError, match="arguments are drawn for a Tool, not function"):
        arguments(function)


# --- what cannot be drawn --------------------------------------------------------------------------------------------


def is_our_palindrome(word: str) -> bool:
    return word == "never odd or even"


def test_a_tool_that_refuses_all_that_is_drawn_says_what_it_misses() -> None:
    one = taking(Annotated[str, Predicate(is_our_palindrome)])
    with pytest.raises(ValueError, match=r"it refuses all arguments .* is_our_palindrome holds.*a strategy"):
        some(arguments(one))
    assert some(arguments(one, x=st.just("never odd or even"))) == [{"x": "never odd or even"}]


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, Ge(3), Le(2)],
        Annotated[int, Gt(0), Lt(1)],
        Annotated[float, Gt(0), Lt(5e-324)],
        Annotated[float, MultipleOf(5), Ge(1), Le(4)],
        Annotated[str, Len(3, 3), Len(1, 2)],
        Annotated[set[bool], Len(3)],
        tuple[int, Annotated[int, Gt(0), Lt(1)]],
    ],
)
def test_a_parameter_that_nothing_fits_is_told(annotation: Any) -> None:
    with pytest.raises(ValueError, match="tool \"take\": no arguments fit its schema: there is no value for 'x'"):
        arguments(taking(annotation))


@attrs.define
class Endless:
    inner: Endless


def test_a_class_that_is_never_complete_is_told() -> None:
    with pytest.raises(ValueError, match="there is no value for 'x'"):
        arguments(taking(Endless))


def test_without_hypothesis_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'trio-tools\[testing\]'"):
        arguments(tool(read))


def test_without_the_validator_of_raw_schemas_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    with pytest.raises(ModuleNotFoundError, match=r"tool \"look\": .*pip install 'trio-tools\[schema\]'"):
        arguments(raw({"type": "object"}))


def test_drawn_arguments_may_be_mutated_between_draws() -> None:
    def spoil(drawn: Drawn) -> Drawn:
        drawn.clear()
        return drawn

    assert some(arguments(tool(read)).map(spoil)) == [{}] * 12
