"""Registering tools: budgets are checked, names are free or taken, and every registration can be undone."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from intake_tools import call, trailed

from trio_tools import ErrorCode, Registry, Tool, ToolContext, open_registry, plugin, tool


async def plain(text: str, times: int = 1) -> str:
    """Repeat a text.

    Args:
        text: What to repeat.
        times: How often.
    """
    return text * times


async def other(text: str) -> str:
    return f"other {text}"


WRONG: list[Any] = [0, -1, 0.0, -0.5, math.nan, math.inf, -math.inf, True, False, "30", [30]]


@pytest.mark.parametrize("field", ["timeout", "idle_timeout"])
@pytest.mark.parametrize("seconds", WRONG, ids=repr)
def test_a_budget_is_a_positive_finite_number(field: str, seconds: Any) -> None:
    """R110, D2: seconds; the text names the field and the value."""
    options = {field: seconds}
    with pytest.raises(ValueError, match=f"{field} must be a positive finite number of seconds") as caught:
        tool(**options)(plain)
    assert repr(seconds) in str(caught.value)


@pytest.mark.parametrize("seconds", [1, 0.001, 1e9])
def test_a_budget_may_be_any_positive_finite_number(seconds: float) -> None:
    """R110: whole or not; without one there is none."""
    assert tool(timeout=seconds, idle_timeout=seconds)(plain).timeout == seconds
    assert (tool(plain).timeout, tool(plain).idle_timeout) == (None, None)


def test_a_budget_is_checked_wherever_a_tool_is_made() -> None:
    """R110: also when one is made of another."""
    with pytest.raises(ValueError, match="timeout must be a positive finite number"):
        attrs.evolve(tool(plain), timeout=-1)


async def test_a_name_can_be_registered_once() -> None:
    """R111: the text to the letter, with a hint; what was there stays, and is what runs."""
    async with open_registry() as registry:
        registry.register(plain)
        with pytest.raises(ValueError, match=r'^tool "plain" is already registered') as caught:
            registry.register(tool(name="plain")(other))
        assert len(str(caught.value)) > len('tool "plain" is already registered')
        result = await call(registry, "plain", {"text": "a"})
    assert result.value == "a"


async def test_two_registries_know_nothing_of_one_another() -> None:
    """R111: a name is taken in one registry only."""
    async with open_registry() as one, open_registry() as another:
        one.register(plain)
        another.register(tool(name="plain")(other))
        results = [await call(registry, "plain", {"text": "a"}) for registry in (one, another)]
    assert [result.value for result in results] == ["a", "other a"]


async def test_registering_gives_back_the_way_to_undo_it() -> None:
    """R112: by `remove`, by leaving its block, however that is left; then the name is free again."""
    async with open_registry() as registry:
        registration = registry.register(plain)
        registration.remove()
        with registry.register(plain):
            assert list(registry.tools) == ["plain"]
        with pytest.raises(KeyError, match="in the block"), registry.register(plain):
            raise KeyError("in the block")
        assert dict(registry.tools) == {}
        registry.register(tool(name="plain")(other))
        registration.remove()
        assert (await call(registry, "plain", {"text": "a"})).value == "other a"


async def test_unregistering_by_name() -> None:
    """R112, R046: the name is free, the tool is unknown, and a name that is none is a LookupError."""
    async with open_registry() as registry:
        registry.register(plain)
        registry.unregister("plain")
        assert (await call(registry, "plain", {"text": "a"})).code == ErrorCode.UNKNOWN_TOOL
        for name in ("plain", "nobody"):
            with pytest.raises(LookupError, match=f'"{name}"'):
                registry.unregister(name)
        registry.register(plain)
        assert (await call(registry, "plain", {"text": "a"})).value == "a"


@pytest.mark.parametrize("same", [True, False], ids=["the same tool", "another tool"])
async def test_a_registration_that_is_over_takes_back_nothing_else(same: bool) -> None:
    """R112: the name was unregistered and registered anew; the first handle concerns the first registration only."""
    first = tool(plain)
    async with open_registry() as registry:
        registration = registry.register(first)
        registry.unregister("plain")
        registry.register(first if same else tool(name="plain")(other))
        registration.remove()
        assert list(registry.tools) == ["plain"]


async def _untyped(text) -> str:  # type: ignore[no-untyped-def] # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    return str(text)  # pyright: ignore[reportUnknownArgumentType]


async def _sets(text: set[list[str]]) -> str:
    return str(text)


async def _stars(*texts: str) -> str:
    return str(texts)


async def _two_contexts(one: ToolContext, other: ToolContext) -> str:
    return "never"


BODIES: list[Any] = [_untyped, _sets, _stars, _two_contexts]  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize("body", BODIES)
async def test_a_registration_that_fails_leaves_the_name_free(body: Any) -> None:
    """R112: it names tool and parameter, and the others stay."""
    async with open_registry() as registry:
        registry.register(plain)
        with pytest.raises(TypeError, match=rf'tool "{body.__name__}", parameter "\w+"'):
            registry.register(body)
        assert list(registry.tools) == ["plain"]
        registry.register(tool(name=body.__name__)(other))
        assert (await call(registry, body.__name__, {"text": "a"})).value == "other a"


async def test_what_a_plugin_registered_goes_when_it_leaves() -> None:
    """R112: disposing the owner unregisters; here the owner is a context manager that ends early."""

    @asynccontextmanager
    async def joined(registry: Registry) -> AsyncGenerator[None]:
        with registry.register(plain), registry.register(other):
            yield

    async with open_registry() as registry:
        async with joined(registry):
            assert sorted(registry.tools) == ["other", "plain"]
        assert dict(registry.tools) == {}
        async with joined(registry):
            assert (await call(registry, "plain", {"text": "a"})).value == "a"


@attrs.frozen
class Nothing:
    """No configuration."""


async def test_a_plugins_tools_are_there_from_the_start() -> None:
    """R112."""

    @plugin("toolbox", config=Nothing)
    @asynccontextmanager
    async def toolbox(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        with registry.register(plain):
            yield

    async with open_registry(plugins=[toolbox]) as registry:
        assert (await call(registry, "plain", {"text": "a"})).value == "a"
    assert dict(registry.tools) == {}


async def test_the_view_of_the_tools_is_read_only_and_live() -> None:
    """R111, R112: there is one way in and one way out."""
    async with open_registry() as registry:
        view: Any = registry.tools
        with pytest.raises(TypeError):
            view["plain"] = tool(plain)
        with pytest.raises((TypeError, AttributeError)):
            view.clear()
        registry.register(plain)
        assert list(view) == ["plain"]
        assert isinstance(view["plain"], Tool)


def everything(name: str) -> Tool:
    return tool(
        name=name,
        timeout=30,
        idle_timeout=5,
        finalize_content=lambda _: None,
        parallel=lambda _: True,
        pool=trio.CapacityLimiter(1),
        read_only=True,
        idempotent=True,
        destructive=True,
        output=str,
    )(plain)


async def test_schemas_show_three_things_and_no_more() -> None:
    """R114: no budget, no classifier, no callback; and strict JSON."""
    async with open_registry() as registry:
        registry.register(everything("plain"))
        (schema,) = registry.schemas()
    assert schema.keys() == {"name", "description", "parameters"}
    assert (schema["name"], schema["description"]) == ("plain", "Repeat a text.")
    assert schema["parameters"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to repeat."},
            "times": {"type": "integer", "description": "How often.", "default": 1},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema


async def test_schemas_are_copies_through_and_through() -> None:
    """R114: changing one, down to its innermost list, changes nothing."""
    async with open_registry() as registry:
        registry.register(plain)
        schema: Any = registry.schemas()[0]
        schema["name"] = "changed"
        schema["parameters"]["properties"]["text"]["type"] = "integer"
        schema["parameters"]["properties"]["extra"] = {}
        schema["parameters"]["required"].append("times")
        (again,) = registry.schemas()
        assert again["name"] == "plain"
        assert again["parameters"] == registry.tools["plain"].parameters
        assert (await call(registry, "plain", {"text": "a"})).value == "a"
    assert again["parameters"]["required"] == ["text"]


@pytest.mark.parametrize("names", [["b", "a", "B", "_", "10", "9"], ["9", "10", "_", "B", "a", "b"]])
async def test_tools_are_advertised_in_one_order(names: list[str]) -> None:
    """L023, R114: however they were registered, and after one was replaced."""
    async with open_registry() as registry:
        for name in names:
            registry.register(everything(name))
        registry.unregister("a")
        registry.register(everything("a"))
        assert [schema["name"] for schema in registry.schemas()] == sorted(names)


async def test_the_function_stays_at_the_tool() -> None:
    """R110: a decorated function is a tool, and still callable as what it was."""
    declared = tool(timeout=1)(plain)
    assert declared.body is plain
    async with trailed(declared) as (registry, _):
        assert (await call(registry, "plain", {"text": "a", "times": 2})).value == await plain("a", 2)
