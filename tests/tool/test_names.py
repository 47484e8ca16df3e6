"""Names of tools: valid for every provider, stable, and never two tools under one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from trio_tools import Tool, ToolCall, open_registry, tool

VALID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def saying(word: str) -> Callable[[], object]:
    async def body() -> str:
        return word

    return body


def named(name: str) -> Tool:
    return tool(name=name)(saying(name))


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("search", "search"),
        ("catalog.query", "catalog_query"),
        ("sum two", "sum_two"),
        ("größe", "gr__e"),
        ("gro\u0308ße", "gr__e"),  # the same in Unicode's other form
        ("a\n", "a_"),
        ("_", "_"),
        ("-", "-"),
        ("a" * 64, "a" * 64),
    ],
)
def test_a_name_is_made_valid(declared: str, shown: str) -> None:
    """Case B13: `declared` keeps it as it was."""
    assert (named(declared).name, named(declared).declared) == (shown, declared)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100).filter(str.strip))
def test_any_name_that_is_not_blank_becomes_a_valid_one(declared: str) -> None:
    """Case B13: the same each time, by itself alone."""
    assert VALID.fullmatch(named(declared).name)
    assert named(declared).name == named(declared).name


@pytest.mark.parametrize("pair", [("a" * 70, "a" * 64 + "b" * 6), ("天气", "预报"), ("x" * 65, "x" * 66)])
async def test_names_that_only_their_end_or_their_letters_tell_apart_stay_apart(pair: tuple[str, str]) -> None:
    """Case B13: each call reaches its own function, in whatever order they were registered."""
    for order in (pair, pair[::-1]):
        async with open_registry() as registry:
            for name in order:
                registry.register(named(name))
            for name in order:
                call = ToolCall(named(name).name)
                assert (await registry.execute(call, scope=trio.CancelScope())).value == name


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_name_is_refused(blank: str) -> None:
    """Case B13: an empty one is no missing one."""
    with pytest.raises(ValueError, match="a name that is not blank"):
        tool(name=blank)(saying("x"))


class Thing:
    def __call__(self) -> None: ...


@pytest.mark.parametrize("body", [lambda: None, Thing()])
def test_what_has_no_name_is_asked_for_one(body: Any) -> None:
    """Case B13."""
    with pytest.raises(ValueError, match="no name of its own; give the tool one with name="):
        tool(body)


@pytest.mark.parametrize("pair", [("catalog.query", "catalog_query"), ("a" * 64, "a" * 64), ("größe", "gro\u0308ße")])
async def test_a_collision_is_refused_with_both_names(pair: tuple[str, str]) -> None:
    """Case B13, R111: never a silent overwrite; the first stays."""
    async with open_registry() as registry:
        registry.register(named(pair[0]))
        with pytest.raises(ValueError, match="is already registered") as caught:
            registry.register(named(pair[1]))
        assert f'tool "{named(pair[0]).name}" is already registered' in str(caught.value)
        for declared in pair:
            assert f'saying.<locals>.body (declared as "{declared}")' in str(caught.value)
        result = await registry.execute(ToolCall(named(pair[0]).name), scope=trio.CancelScope())
    assert result.value == pair[0]
