"""Aliases and type parameters in the syntax of Python 3.12, and what came before it."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from declared import of, read, refusal, schema_of
from typing_extensions import TypeAliasType

SYNTAX = """
    import dataclasses
    from trio_tools import tool

    type Nested = int | list[Nested]
    type Pair[T] = tuple[T, T]

    @dataclasses.dataclass
    class Box[T]:
        x: T
        more: "list[Box[T]] | None" = None

    @tool
    async def take(nested: Nested, pair: Pair[int], box: Box[str]) -> None: ...
"""

Names = TypeAliasType("Names", list[str])
Odd = TypeAliasType("Odd", complex)


def test_an_alias_is_what_it_stands_for() -> None:
    """R117."""
    assert schema_of(Names) == schema_of(list[str])
    assert read(Names, ["a"]) == ["a"]
    assert refusal(Names, [1]) == '"x[0]" must be a string'


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "newer.py"
    path.write_text(textwrap.dedent(SYNTAX))
    sys.path.insert(0, str(tmp_path))
    try:
        import newer  # type: ignore[import-not-found] # pyright: ignore[reportMissingImports]

        yield newer
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("newer", None)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax came with Python 3.12")
def test_an_alias_may_contain_itself_and_a_class_have_parameters(module: Any) -> None:
    """Case B26: also where its annotations are text."""
    good: dict[str, object] = {"nested": [1, [2, []]], "pair": [1, 2], "box": {"x": "a", "more": [{"x": "b"}]}}
    assert module.take.violations(good) == []
    assert module.take.violations({**good, "nested": [["a"]], "pair": [1, "b"], "box": {"x": 1}}) == [
        '"nested[0][0]" must be an integer or an array',
        '"pair[1]" must be an integer',
        '"box.x" must be a string',
    ]
    assert set(module.take.parameters["$defs"]) == {"Nested", "Box_str"}


def test_an_alias_of_a_type_without_a_form_fails_when_declared() -> None:
    """Case B26."""
    with pytest.raises(TypeError, match="complex"):
        of(Odd)
