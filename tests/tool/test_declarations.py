"""A declaration that serves every function which one `def` makes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio

from trio_tools import Tool, ToolCall, open_registry, tool
from trio_tools.tool import Body, Declaration


def greeting(name: str) -> Body:
    async def greet(whom: str, times: int = 1) -> str:
        """Say hello.

        Args:
            whom: Who is greeted.
        """
        return " ".join([f"{name} greets {whom}."] * times)

    return greet


def counting(upto: int) -> Iterator[int]:
    yield from range(upto)


async def said_by(one: Tool) -> str:
    async with open_registry() as registry:
        registry.register(one)
        return (await registry.execute(ToolCall("greet", {"whom": "Ann"}), scope=trio.CancelScope())).text


def test_each_function_is_declared_as_by_itself() -> None:
    declaration = Declaration()
    for name in ("Bob", "Cid"):
        body = greeting(name)
        declared, alone = declaration.tool(timeout=3)(body), tool(timeout=3)(body)
        assert declared.body is body
        assert declared.schema() == alone.schema()
        assert (declared.name, declared.timeout, declared.signature.is_async) == ("greet", 3, True)
        assert trio.run(said_by, declared) == f"{name} greets Ann."


def test_options_are_of_each_tool() -> None:
    declaration = Declaration()
    tools = [declaration.tool(name=name, read_only=flag)(greeting("Bob")) for name, flag in (("a", True), ("b", False))]
    assert [(one.name, one.read_only, one.parallel) for one in tools] == [("a", True, True), ("b", False, False)]


def test_a_function_of_another_def_is_refused() -> None:
    declaration = Declaration()
    declaration.tool()(greeting("Bob"))
    with pytest.raises(TypeError, match=r'^tool "said_by": its declaration is that of another function$'):
        declaration.tool()(said_by)


def test_what_cannot_be_declared_is_refused_each_time_and_keeps_nothing() -> None:
    declaration = Declaration()
    for _ in range(2):
        with pytest.raises(TypeError, match="a generator cannot be a tool"):
            declaration.tool()(counting)
    assert declaration.tool()(greeting("Bob")).name == "greet"


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^tool\(\) has no option colour"):
        Declaration().tool(colour="red")  # type: ignore[call-arg]
