"""Anything callable is a tool, with what is left of its parameters; what cannot be one says why."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import pytest
import trio

from trio_tools import SyncToolContext, ToolCall, ToolContext, open_registry, tool

P = ParamSpec("P")
R = TypeVar("R")


async def weather(key: str, city: str, days: int = 1) -> str:
    """Say what the weather will be."""
    return f"{key} {city} {days}"


def logged(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """A plain wrapper of an async function."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
        return function(*args, **kwargs)

    return wrapper


def made_async(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """An async wrapper of a plain function."""

    @functools.wraps(function)
    async def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        await trio.lowlevel.checkpoint()
        return function(*args, **kwargs)

    return wrapper


def awaited_already(function: Callable[P, Awaitable[R]]) -> Callable[P, str]:
    """Makes a plain function of an async one, and does not run it."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> str:
        return "instead"

    return wrapper


@made_async
def shout(text: str) -> str:
    return text.upper()


@functools.lru_cache
def cached(text: str) -> str:
    return text * 2


class Caller:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    async def __call__(self, text: str) -> str:
        """Called as an object."""
        return self.prefix + text

    async def method(self, text: str) -> str:
        return self.prefix + text

    @classmethod
    async def of_class(cls, text: str) -> str:
        return cls.__name__ + text

    @staticmethod
    async def static(text: str) -> str:
        return text


TOOLS: list[tuple[Any, str, dict[str, object], list[str], str]] = [
    (functools.partial(weather, "k"), "weather", {"city": "Rome"}, ["city", "days"], "k Rome 1"),
    (functools.partial(weather, key="k"), "weather", {"city": "Rome"}, ["city", "days"], "k Rome 1"),
    (functools.partial(functools.partial(weather, "k"), days=3), "weather", {"city": "Rome"}, ["city"], "k Rome 3"),
    (logged(weather), "weather", {"key": "k", "city": "Rome"}, ["key", "city", "days"], "k Rome 1"),
    (functools.partial(logged(weather), "k"), "weather", {"city": "Rome"}, ["city", "days"], "k Rome 1"),
    (awaited_already(weather), "weather", {"key": "k", "city": "Rome"}, ["key", "city", "days"], "instead"),
    (shout, "shout", {"text": "a"}, ["text"], "A"),
    (cached, "cached", {"text": "a"}, ["text"], "aa"),
    (Caller("x").method, "method", {"text": "a"}, ["text"], "xa"),
    (Caller.of_class, "of_class", {"text": "a"}, ["text"], "Callera"),
    (Caller.static, "static", {"text": "a"}, ["text"], "a"),
]


@pytest.mark.parametrize(("body", "name", "arguments", "parameters", "answer"), TOOLS)
async def test_a_callable_is_a_tool_with_what_is_left_of_its_parameters(
    body: Any, name: str, arguments: dict[str, object], parameters: list[str], answer: str
) -> None:
    """Case B13: what a partial has bound is not in the schema, and cannot be given again."""
    declared = tool(body)
    properties: Any = declared.parameters["properties"]
    assert (declared.name, list(properties)) == (name, parameters)
    async with open_registry() as registry:
        registry.register(declared)
        result = await registry.execute(ToolCall(name, arguments), scope=trio.CancelScope())
    assert result.value == answer
    assert declared.violations({**arguments, "bound": 1})


async def test_an_object_that_is_called_needs_a_name() -> None:
    """Case B13: and has the words of its `__call__`."""
    with pytest.raises(ValueError, match="Caller object has no name of its own"):
        tool(Caller("x"))
    declared = tool(name="caller")(Caller("x"))
    async with open_registry() as registry:
        registry.register(declared)
        result = await registry.execute(ToolCall("caller", {"text": "a"}), scope=trio.CancelScope())
    assert result.value == "xa"


async def test_positional_only_parameters_keep_their_places() -> None:
    """R117: one that is left out has its own default, and those after it are not lost."""
    seen: list[object] = []

    @tool
    async def place(a: int, b: int = 2, c: int = 3, /, d: int = 4, *, e: int = 5) -> None:
        seen.append([a, b, c, d, e])

    @tool
    def thread(ctx: SyncToolContext | None, b: int = 2, /, *, c: int) -> list[object]:
        return [ctx is not None, b, c]

    async with open_registry() as registry:
        registry.register(place)
        registry.register(thread)
        for arguments in ({"a": 1, "c": 0}, {"a": 1, "e": 0}, {"a": 1, "b": 0, "d": 0}):
            await registry.execute(ToolCall("place", arguments), scope=trio.CancelScope())
        result = await registry.execute(ToolCall("thread", {"c": 1}), scope=trio.CancelScope())
    assert seen == [[1, 2, 0, 4, 5], [1, 2, 3, 4, 0], [1, 0, 3, 0, 5]]
    assert result.value == [True, 2, 1]


async def _generates() -> AsyncGenerator[int]:
    yield 1


def _generates_too() -> Generator[int]:
    yield 1


@contextmanager
def _managed() -> Generator[int]:
    yield 1


def _stars(*texts: str) -> None: ...
def _keywords(**texts: str) -> None: ...
def _bare(text) -> None: ...  # type: ignore[no-untyped-def] # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
async def _plain_context(ctx: SyncToolContext) -> None: ...
def _async_context(ctx: ToolContext) -> None: ...


NO_TOOLS: list[tuple[Any, str]] = [
    (_generates, "a generator cannot be a tool"),
    (_generates_too, "a generator cannot be a tool"),
    (functools.partial(_generates), "a generator cannot be a tool"),
    (_managed, "a generator cannot be a tool"),
    (Caller, "Caller is a class, and a class is not a tool"),
    (int, "int is a class"),
    (print, "needs an annotation|what \\*args"),
    (_stars, r'parameter "texts": a model cannot be told'),
    (_keywords, r'parameter "texts": a model cannot be told'),
    (_bare, r'parameter "text": needs an annotation'),
    (_plain_context, "an async def takes a ToolContext"),
    (_async_context, "a plain def a SyncToolContext"),
    (5, "a tool is made of a function, not of int"),
]


@pytest.mark.parametrize(("body", "said"), NO_TOOLS)
def test_what_cannot_be_a_tool_says_why(body: Any, said: str) -> None:
    """Case B26: when it is declared, not when it is called."""
    with pytest.raises(TypeError, match=said):
        tool(body)
