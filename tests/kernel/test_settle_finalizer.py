"""The finalizer: the tool's own last word on what a model reads."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Heard, once

from trio_tools import (
    Block,
    CallNext,
    CallView,
    Deny,
    Dispatch,
    ErrorCode,
    Image,
    Json,
    Registry,
    Text,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    to_json,
    tool,
)

Prepare: TypeAlias = Callable[[Registry, trio.CancelScope], None]


class Finalizer:
    """Notes what it is given, and answers with the same text each time."""

    def __init__(self) -> None:
        self.given: list[ToolResult] = []

    def __call__(self, result: ToolResult) -> str:
        self.given.append(result)
        return f"<{result.code}>"


async def work(what: str, ctx: ToolContext) -> object:
    ctx.defer_context("seen")
    match what:
        case "sleep":
            await trio.sleep(60)
        case "raise":
            raise ValueError("no")
        case "odd":
            return {1, 2, object()}
        case _:
            return what
    return None


def _nothing(registry: Registry, scope: trio.CancelScope) -> None:
    pass


def _deny(registry: Registry, scope: trio.CancelScope) -> None:
    registry.add_pre_policy(lambda call: Deny("no"))


def _broken_gate(registry: Registry, scope: trio.CancelScope) -> None:
    def fail(call: CallView) -> None:
        raise OSError("no policy file")

    registry.add_pre_policy(fail)


def _cancelled(registry: Registry, scope: trio.CancelScope) -> None:
    scope.cancel()


def _cancelled_later(registry: Registry, scope: trio.CancelScope) -> None:
    scope.deadline = trio.current_time() + 0.5


def _block(registry: Registry, scope: trio.CancelScope) -> None:
    registry.add_post_policy(lambda call, result: Block("no"))


def _broken_wrapper(registry: Registry, scope: trio.CancelScope) -> None:
    async def fail(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        raise OSError("no cache")

    registry.add_wrapper(fail)


@pytest.mark.parametrize(
    ("prepare", "arguments", "code"),
    [
        (_nothing, {"what": "go"}, None),
        (_nothing, {"what": "raise"}, ErrorCode.TOOL_FAILED),
        (_nothing, {"what": "odd"}, ErrorCode.INVALID_TOOL_OUTPUT),
        (_nothing, {"what": "sleep"}, ErrorCode.TOOL_TIMEOUT),
        (_nothing, {"whom": 1}, ErrorCode.INVALID_ARGS),
        (_nothing, "{", ErrorCode.INVALID_ARGS),
        (_deny, {"what": "go"}, ErrorCode.DENIED),
        (_broken_gate, {"what": "go"}, ErrorCode.POLICY_FAILED),
        (_cancelled, {"what": "go"}, ErrorCode.ABORTED_BEFORE_DISPATCH),
        (_cancelled_later, {"what": "sleep"}, ErrorCode.ABORTED),
        (_block, {"what": "go"}, ErrorCode.BLOCKED),
        (_broken_wrapper, {"what": "go"}, ErrorCode.WRAPPER_FAILED),
    ],
)
async def test_it_runs_once_on_every_outcome_of_a_known_tool_and_touches_content_only(
    prepare: Prepare, arguments: dict[str, object] | str, code: str | None, autojump_clock: MockClock
) -> None:
    """R091, R008: also where the arguments could not be read."""
    finalizer, heard = Finalizer(), Heard()
    async with open_registry() as registry:
        registry.register(tool(timeout=1, finalize_content=finalizer)(work))
        registry.add_observer(heard)
        scope = trio.CancelScope()
        prepare(registry, scope)
        result = await registry.execute(ToolCall("work", arguments), scope=scope)
    (given,) = finalizer.given
    assert result.code == code
    assert result.text == f"<{code}>"
    assert (given.value, given.error, given.contexts) == (result.value, result.error, result.contexts)
    assert (given.cause, given.dispatched, given.superseded) == (result.cause, result.dispatched, result.superseded)
    assert heard.results == [result]


async def test_it_runs_for_a_sibling_that_was_skipped() -> None:
    """R091, D10"""
    finalizer = Finalizer()
    async with open_registry(max_parallel_calls=1) as registry:
        registry.register(tool(finalize_content=finalizer)(work))
        scope = trio.CancelScope()
        calls = [ToolCall("work", {"what": "go"}, id=name) for name in "ab"]
        results = await registry.execute_turn(calls, scope=scope, on_settled=lambda position, result: scope.cancel())
    assert [result.text for result in results] == ["<None>", "<ABORTED_BEFORE_DISPATCH>"]
    assert [given.call_id for given in finalizer.given] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "go"),
        ("", ""),
        ((Text("a"), Json({"b": 1})), 'a\n{"b": 1}'),
        ((Image("aGk=", "image/png"),), "[image content]"),
    ],
)
async def test_it_may_keep_or_replace_what_is_read(
    content: str | tuple[Text | Json | Image, ...] | None, text: str
) -> None:
    """R091: nothing keeps it."""
    async with open_registry() as registry:
        registry.register(tool(finalize_content=lambda result: content)(work))
        result = await once(registry, "work", what="go")
    assert (result.text, result.value, result.code) == (text, "go", None)


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        (ValueError("no paper"), "no paper"),
        (SystemExit(2), "exit"),
        (BaseExceptionGroup("g", [OSError("no paper")]), "no paper"),
    ],
)
async def test_one_that_raises_over_a_success_is_the_outcome(thrown: BaseException, message: str) -> None:
    """R091: its message is the error, it is not called again, and the value is not lost."""
    calls: list[ToolResult] = []

    def fail(result: ToolResult) -> str:
        calls.append(result)
        raise thrown

    async with open_registry() as registry:
        registry.register(tool(finalize_content=fail)(work))
        result = await once(registry, "work", what="go")
    assert (result.code, len(calls)) == (ErrorCode.FINALIZER_FAILED, 1)
    assert (result.value, result.dispatched, result.contexts) == (None, True, ("seen",))
    assert result.superseded is not None
    assert result.superseded.value == "go"
    assert result.text.startswith("Error: ")
    assert message in result.text


async def test_one_that_raises_over_a_failure_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    """R091, and the precedence at settlement: a failure is what the model must hear of."""

    def fail(result: ToolResult) -> str:
        raise OSError("no paper")

    async with open_registry() as registry:
        registry.register(tool(finalize_content=fail)(work))
        result = await once(registry, "work", what="raise")
    assert (result.code, "no" in result.text, "no paper" in result.text) == (ErrorCode.TOOL_FAILED, True, False)
    assert [record.levelno for record in caplog.records if "no paper" in record.message] == [logging.ERROR]


@pytest.mark.parametrize("answer", [3, True, object(), ["a"], {"text": "a"}, b"a", ("a",), (Text("a"), None)])
async def test_an_answer_that_is_no_content_is_a_failure(answer: object) -> None:
    """R091, R092"""

    def finalize(result: ToolResult) -> Any:
        return answer

    async with open_registry() as registry:
        registry.register(tool(finalize_content=finalize)(work))
        result = await once(registry, "work", what="go")
    assert (result.code, result.value) == (ErrorCode.FINALIZER_FAILED, None)


@pytest.mark.parametrize(
    "content",
    [
        "\ud800",
        (Text("a \udcff b"),),
        (Image("\ud800", "image/png"),),
        (Image(b"hi", "image/png"),),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        (Text(5),),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ],
)
async def test_content_that_no_store_can_hold_is_a_failure(content: str | tuple[Text | Image, ...]) -> None:
    """R092, R090: what the finalizer gives is snapshotted again; a lone surrogate has no UTF-8."""
    async with open_registry() as registry:
        registry.register(tool(finalize_content=lambda result: content)(work))
        result = await once(registry, "work", what="go")
    assert result.is_error
    assert json.dumps(to_json(result), ensure_ascii=False).encode()


async def test_nobody_finalizes_an_unknown_tool() -> None:
    """R091, R046"""
    finalizer = Finalizer()
    async with open_registry() as registry:
        registry.register(tool(finalize_content=finalizer)(work))
        result = await once(registry, "wrok", what="go")
    assert (result.code, finalizer.given) == (ErrorCode.UNKNOWN_TOOL, [])


@pytest.mark.parametrize("when", ["gate", "body"])
async def test_the_finalizer_is_that_of_the_tool_that_ran(when: str) -> None:
    """D25, R008: whatever is registered under its name meanwhile."""
    mine, other = Finalizer(), Finalizer()

    def swap() -> None:
        registry.unregister("work")
        registry.register(tool(name="work", finalize_content=other)(work))

    async def swapping(what: str) -> str:
        if when == "body":
            swap()
        return what

    async with open_registry() as registry:
        registry.register(tool(name="work", finalize_content=mine)(swapping))
        if when == "gate":
            registry.add_pre_policy(lambda call: swap())
        await once(registry, "work", what="go")
    assert (len(mine.given), len(other.given)) == (1, 0)


async def test_what_it_is_given_cannot_be_changed() -> None:
    """R090"""
    refused: list[type[BaseException]] = []

    def finalize(result: ToolResult) -> None:
        value: Any = result.value
        for change in (lambda: value.update(a=2), lambda: setattr(result, "value", 2)):
            try:
                change()
            except (TypeError, AttributeError) as error:
                refused.append(type(error))

    @tool(finalize_content=finalize)
    async def table() -> dict[str, int]:
        return {"a": 1}

    async with open_registry() as registry:
        registry.register(table)
        result = await once(registry, "table")
    assert (result.value, len(refused)) == ({"a": 1}, 2)
