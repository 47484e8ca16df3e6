"""Services by type, and plugins in order of need."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Protocol, TypeAlias

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from trio_tools import Plugin, Registry, SyncToolContext, ToolCall, ToolContext, open_registry, plugin, tool


@attrs.frozen
class Nothing:
    """No config."""


class Store:
    """A service."""


class Clock(Protocol):
    """Another, of which only the type checker knows what it can do."""

    def now(self) -> float: ...


class StoppedClock:
    def now(self) -> float:
        return 5


def providing(name: str, *services: tuple[type, object], requires: Iterable[str] = ()) -> Plugin[Nothing]:
    @plugin(name, config=Nothing, requires=requires, provides=[kind for kind, _ in services])
    @asynccontextmanager
    async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        for kind, service in services:
            registry.provide(kind, service)
        yield

    return opener


def noting(name: str, lines: list[str], requires: Iterable[str]) -> Plugin[Nothing]:
    @plugin(name, config=Nothing, requires=tuple(requires))
    @asynccontextmanager
    async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        lines.append(name)
        yield
        lines.append(name)

    return opener


async def test_a_service_is_required_by_its_type_in_plugins_tools_and_the_program() -> None:
    store = Store()

    @tool
    async def asks(ctx: ToolContext) -> bool:
        return ctx.require(Store) is store

    @tool
    def asks_from_a_thread(ctx: SyncToolContext) -> bool:
        return ctx.require(Store) is store

    async with open_registry(plugins=[providing("store", (Store, store), (Clock, StoppedClock()))]) as registry:
        registry.register(asks)
        registry.register(asks_from_a_thread)
        assert registry.require(Store) is store
        assert registry.require(Clock).now() == 5  # type: ignore[type-abstract]  # mypy asks for a concrete class
        for name in ("asks", "asks_from_a_thread"):
            assert (await registry.execute(ToolCall(name), scope=trio.CancelScope())).value is True


@pytest.mark.parametrize("second", ["plugin", "program"])
async def test_a_second_service_of_one_type_is_refused_naming_both(second: str) -> None:
    one, two = providing("one", (Store, Store())), providing("two", (Store, Store()))
    who = 'plugin "two"' if second == "plugin" else "the program"
    text = f'tests.*Store is already provided by plugin "one"; {who} cannot provide it, too'.replace("tests.*", ".*")
    with pytest.raises(ValueError, match=text):
        async with open_registry(plugins=[one, two] if second == "plugin" else [one]) as registry:
            registry.provide(Store, Store())


async def test_a_missing_service_names_who_could_provide_it() -> None:
    """As a tool's failure, and at once in a plugin that opens too early."""

    @plugin("early", config=Nothing)
    @asynccontextmanager
    async def early(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        registry.require(Store)
        yield

    could = 'plugin "store" does while it is open: name it in requires'
    with pytest.raises(LookupError, match=f"no .*Store is provided: {could}"):
        async with open_registry(plugins=[early, providing("store", (Store, Store()))]):
            pass

    @tool
    async def asks(ctx: ToolContext) -> None:
        ctx.require(Store)

    async with open_registry() as registry:
        registry.register(asks)
        result = await registry.execute(ToolCall("asks"), scope=trio.CancelScope())
    assert result.code == "TOOL_FAILED"
    assert result.text.endswith("Store is provided: no plugin that is known here could")


async def test_a_service_goes_when_its_registration_does() -> None:
    async with open_registry() as registry:
        with registry.provide(Store, Store()):
            assert isinstance(registry.require(Store), Store)
        with pytest.raises(LookupError):
            registry.require(Store)
        registry.provide(Store, Store())


async def test_what_is_no_service_of_its_type_is_refused() -> None:
    async with open_registry() as registry:
        with pytest.raises(TypeError, match=r"the program provides int, which is no .*Store"):
            registry.provide(Store, 3)  # type: ignore[arg-type, unused-ignore]  # the mistake
        with pytest.raises(TypeError, match="a service is provided by its type, not by 'store'"):
            registry.provide("store", 3)  # type: ignore[arg-type]  # the mistake


async def test_a_plugin_that_does_not_provide_what_it_says_fails_to_open() -> None:
    @plugin("empty", config=Nothing, provides=[Store])
    @asynccontextmanager
    async def empty(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        yield

    with pytest.raises(RuntimeError, match=r'plugin "empty" says that it provides .*Store, and does not'):
        async with open_registry(plugins=[empty]):
            pass


async def test_plugins_are_opened_in_order_of_need_and_left_in_reverse() -> None:
    lines: list[str] = []
    listed = [noting(name, lines, needs) for name, needs in [("top", "ba"), ("a", "c"), ("b", ""), ("c", "")]]
    async with open_registry(plugins=listed):
        lines.append("block")
    assert lines == ["b", "c", "a", "top", "block", "top", "a", "c", "b"]


@given(st.data())
def test_any_needs_without_a_circle_are_met_and_listed_order_holds_otherwise(data: st.DataObject) -> None:
    names = [f"p{number}" for number in range(data.draw(st.integers(1, 8)))]
    needs = {
        name: data.draw(st.lists(st.sampled_from(names[:place]), unique=True)) if place else []
        for place, name in enumerate(names)
    }
    listed: list[str] = data.draw(st.permutations(names))
    lines: list[str] = []

    async def main() -> None:
        async with open_registry(plugins=[noting(name, lines, needs[name]) for name in listed]):
            lines.append("block")

    trio.run(main)
    opened = lines[: len(names)]
    assert lines == [*opened, "block", *reversed(opened)]
    assert all(opened.index(need) < opened.index(name) for name in names for need in needs[name])
    if not any(needs.values()):
        assert opened == listed


@pytest.mark.parametrize(
    ("needs", "text"),
    [
        ({"a": "a"}, "plugins require each other, and none can be the first to open: a -> a"),
        ({"top": "a", "a": "b", "b": "c", "c": "a"}, "plugins require each other, .* to open: a -> b -> c -> a"),
        ({"a": "x"}, 'plugin "a" requires plugin "x", which is not listed'),
    ],
)
async def test_needs_that_cannot_be_met_are_told_before_anything_opens(needs: dict[str, str], text: str) -> None:
    lines: list[str] = []
    with pytest.raises(ValueError, match=text):
        open_registry(plugins=[noting(name, lines, need) for name, need in needs.items()])
    assert lines == []


Declared: TypeAlias = Callable[[], object]


@pytest.mark.parametrize(
    ("declare", "error", "text"),
    [
        (lambda: plugin("a b", config=Nothing), ValueError, "a plugin's name is of letters, digits, - and _"),
        (lambda: plugin("", config=Nothing), ValueError, "a plugin's name is of letters"),
        (lambda: plugin(3, config=Nothing), TypeError, "a plugin's name must be a string, not 3"),  # type: ignore[arg-type]
        (lambda: plugin("a", config=int), TypeError, 'plugin "a": config must be an attrs class'),
        (lambda: plugin("a", config=Nothing, requires="b"), TypeError, "requires must be a tuple, such as .'b',."),
        (lambda: plugin("a", config=Nothing, requires=[Store]), TypeError, "requires holds .* which is no str"),  # type: ignore[list-item]
        (lambda: plugin("a", config=Nothing, provides=["b"]), TypeError, "provides holds 'b', which is no type"),  # type: ignore[list-item]
    ],
)
def test_a_plugin_that_is_declared_wrongly_says_so(declare: Declared, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        declare()


def test_a_plugin_that_is_no_context_manager_says_what_is_missing() -> None:
    async def opener(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        yield

    with pytest.raises(TypeError, match="put @asynccontextmanager under @plugin"):
        plugin("bare", config=Nothing)(opener)  # type: ignore[arg-type]  # the mistake
