"""The functions of the leaderboard as raw tools, and their calls run whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs
import trio

from benchmarks._bfcl import Arguments, Function, translated
from trio_tools import ErrorCode, Registry, Tool, ToolCall, ToolResult, ToolSchema, open_registry

PREFIX = "Error: invalid arguments: "


@attrs.frozen(eq=False)
class Run:
    """A call, what came of it, and what the body saw."""

    call: Arguments
    result: ToolResult
    seen: list[Mapping[str, Any]]


@attrs.frozen(eq=False)
class Tried:
    """A function: why it could not be registered, or its schema as providers are told it, and its calls."""

    function: Function
    refusal: str | None = None
    schema: ToolSchema | None = None
    runs: list[Run] = attrs.field(factory=list[Run])

    @property
    def accepted(self) -> list[Run]:
        return [run for run in self.runs if not run.result.is_error]

    @property
    def refused(self) -> list[Run]:
        return [run for run in self.runs if run.result.is_error]


async def try_all(functions: list[Function]) -> list[Tried]:
    """Every function registered on its own, as names repeat, and every call of it run."""
    async with open_registry() as registry:
        return [await _try(registry, function) for function in functions]


async def _try(registry: Registry, function: Function) -> Tried:
    seen: list[Mapping[str, Any]] = []

    async def body(whole_call: Mapping[str, Any]) -> str:
        seen.append(whole_call)
        return "done"

    try:
        registration = registry.register(raw(function, translated(function.parameters), body))
    except ValueError as error:
        return Tried(function, refusal=str(error))
    with registration:
        made = Tried(function, schema=registry.schemas()[0])
        for call in function.calls:
            seen.clear()
            made.runs.append(Run(call, await execute(registry, call), [*seen]))
        return made


async def never(whole_call: Mapping[str, Any]) -> None:
    """The body of tools whose every call is to be refused."""
    raise AssertionError(f"this was to be refused: {whole_call}")


def raw(function: Function, schema: Mapping[str, Any], body: Any = never) -> Tool:
    """A function of the data as a raw tool, with its schema as it is or translated."""
    return Tool(name=function.name, description=function.description, parameters=schema, body=body)


async def execute(registry: Registry, call: Arguments) -> ToolResult:
    """A call of the one tool that is registered, as a model makes it: by name, and as text."""
    (name,) = registry.tools
    return await registry.execute(ToolCall(name, json.dumps(call)), scope=trio.CancelScope())


def violations_of(result: ToolResult) -> list[str]:
    """What a result says is wrong with the arguments, sorted; nothing, if they were right."""
    if not result.is_error:
        return []
    assert result.code == ErrorCode.INVALID_ARGS
    assert result.text.startswith(PREFIX)
    return sorted(result.text.removeprefix(PREFIX).split("; "))
