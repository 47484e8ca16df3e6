"""Whatever a tool raises is one call's error: groups, exits, and exceptions that cannot even be printed."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from typing import NoReturn

import pytest
import trio
import trio.testing
from intake_tools import call, trailed

from trio_tools import ErrorCode, Tool, ToolCall, ToolError, ToolResult, tool
from trio_tools.values import exception_error


@tool(read_only=True)
async def fine() -> str:
    await trio.sleep(0.1)
    return "fine"


async def beside(first: Callable[..., object] | Tool) -> ToolResult:
    """What a call comes to whose sibling must be fine, within one turn, and so must the next call be."""
    broken = first if isinstance(first, Tool) else tool(name="broken", read_only=True)(first)
    async with trailed(broken, fine) as (registry, trail):
        calls = [ToolCall(broken.name, {}), ToolCall("fine", {})]
        try:
            result, sibling = await registry.execute_turn(calls, scope=trio.CancelScope())
        finally:
            left = registry.pending()
            registry._core.unsettled.clear()  # or leaving would wait for what is left, for ever
        after = await call(registry, "fine")
    assert left == []
    assert (sibling.value, after.value) == ("fine", "fine")
    assert trail.results.count(result) == 1
    assert result.is_error
    assert result.error is not None
    assert result.text == f"Error: {result.error.message}"
    assert (result.dispatched, result.cause, result.value) == (True, None, None)
    result.text.encode()
    return result


def thrower(thrown: Callable[[], BaseException], *, thread: bool = False) -> Callable[..., object]:
    def plain() -> NoReturn:
        raise thrown()

    async def later() -> NoReturn:
        await trio.lowlevel.checkpoint()
        raise thrown()

    return plain if thread else later


async def fails(error: BaseException) -> NoReturn:
    raise error


async def in_nurseries(*errors: BaseException, depth: int = 1) -> None:
    async with trio.open_nursery() as nursery:
        if depth > 1:
            nursery.start_soon(lambda: in_nurseries(*errors, depth=depth - 1))
        else:
            for error in errors:
                nursery.start_soon(fails, error)


@pytest.mark.parametrize("depth", [1, 2, 5])
async def test_a_group_of_one_is_shown_as_that_one_case_b18(depth: int, autojump_clock: trio.testing.MockClock) -> None:
    """case B18 a: nurseries in nurseries; type and text are named, the nurseries are not."""

    async def body() -> None:
        await in_nurseries(ValueError("bad zip 9021"), depth=depth)

    result = await beside(body)
    assert result.code == ErrorCode.TOOL_FAILED
    assert result.error is not None
    assert result.error.name == "ValueError"
    assert "ValueError" in result.text
    assert "bad zip 9021" in result.text
    assert "sub-exception" not in result.text


async def test_a_group_of_two_shows_both_case_b18(autojump_clock: trio.testing.MockClock) -> None:
    """case B18 b."""

    async def body() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails, ValueError("a1"))
            nursery.start_soon(fails, KeyError("b2"))

    result = await beside(body)
    assert all(part in result.text for part in ("ValueError", "a1", "KeyError", "b2"))
    assert result.code == ErrorCode.TOOL_FAILED


GROUPS: list[tuple[Callable[[], BaseException], list[str]]] = [
    (lambda: ExceptionGroup("g", [ExceptionGroup("h", [ValueError("x1")])]), ["ValueError", "x1"]),
    (
        lambda: ExceptionGroup("g", [ValueError("x1"), ExceptionGroup("h", [OSError("y2"), KeyError("z3")])]),
        ["x1", "y2", "z3"],
    ),
    (lambda: ExceptionGroup("g", [ValueError(), KeyError()]), ["ValueError", "KeyError"]),
    (lambda: BaseExceptionGroup("g", [ValueError("x1"), SystemExit(3)]), ["x1", "exit", "3"]),
    (lambda: BaseExceptionGroup("g", [SystemExit(3)]), ["tried to exit", "3"]),
    (lambda: ExceptionGroup("g", [MuteError(), ValueError("x1")]), ["MuteError", "x1"]),
]


@pytest.mark.parametrize(("thrown", "shown"), GROUPS)
@pytest.mark.parametrize("thread", [False, True], ids=["async", "thread"])
async def test_groups_of_any_shape_case_b18(
    thrown: Callable[[], BaseException], shown: list[str], thread: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """case B18, beyond its letter: raised by hand, mixed, blank, and with members that cannot be printed."""
    result = await beside(thrower(thrown, thread=thread))
    assert [part for part in shown if part not in result.text] == []
    assert result.code == ErrorCode.TOOL_FAILED


async def test_a_coded_error_in_a_group_of_one_keeps_its_code_case_b18(autojump_clock: trio.testing.MockClock) -> None:
    """case B18, R095: a tool that uses a nursery does not lose what it said; of two errors neither speaks for both."""

    async def one() -> None:
        await in_nurseries(ToolError("no such page", code="WEB_NOT_FOUND"), depth=2)

    result = await beside(one)
    assert (result.code, result.text) == ("WEB_NOT_FOUND", "Error: no such page")

    async def two() -> None:
        await in_nurseries(ToolError("no such page", code="WEB_NOT_FOUND"), ValueError("x1"))

    both = await beside(two)
    assert both.code == ErrorCode.TOOL_FAILED
    assert "no such page" in both.text
    assert "x1" in both.text


async def test_a_sibling_that_a_nursery_cancelled_is_not_shown_case_b18(autojump_clock: trio.testing.MockClock) -> None:
    """case B18: only what failed, not what was cancelled because of it."""

    async def body() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(fails, ValueError("bad zip 9021"))

    result = await beside(body)
    assert "Cancelled" not in result.text
    assert (result.code, result.error and result.error.name) == (ErrorCode.TOOL_FAILED, "ValueError")


EXITS: list[tuple[Callable[[], object], str]] = [
    (lambda: sys.exit(3), "3"),
    (sys.exit, "0"),
    (lambda: sys.exit(0), "0"),
    (lambda: sys.exit("disk full"), "disk full"),
    (lambda: sys.exit(-1), "-1"),
]


@pytest.mark.parametrize(("leave", "code"), EXITS)
@pytest.mark.parametrize("thread", [False, True], ids=["async", "thread"])
async def test_a_tool_that_exits_is_told_so_case_b18(
    leave: Callable[[], object], code: str, thread: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """case B18 c, D17: with the code; the process goes on."""

    def plain() -> None:
        leave()

    async def later() -> None:
        leave()

    result = await beside(plain if thread else later)
    assert (result.code, result.error and result.error.name) == (ErrorCode.TOOL_FAILED, "SystemExit")
    assert "tried to exit" in result.text
    assert result.text.endswith(code)


@pytest.mark.parametrize("depth", [1, 2])
async def test_a_child_task_that_exits_case_b18(depth: int, autojump_clock: trio.testing.MockClock) -> None:
    """case B18 c, D17: it leaves its nursery inside a group, and takes nobody along."""

    async def body() -> None:
        await in_nurseries(SystemExit(3), depth=depth)

    result = await beside(body)
    assert "tried to exit" in result.text
    assert result.text.endswith("3")


@pytest.mark.parametrize("thread", [False, True], ids=["async", "thread"])
async def test_a_tool_that_parses_bad_options_case_b18(
    thread: bool, autojump_clock: trio.testing.MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """case B18 d: argparse exits with 2."""

    def plain() -> None:
        argparse.ArgumentParser("prog").parse_args(["--nonsense"])

    async def later() -> None:
        plain()

    result = await beside(plain if thread else later)
    assert "tried to exit" in result.text
    assert result.text.endswith("2")
    assert "--nonsense" in capsys.readouterr().err


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class ExitsWhenShownError(Exception):
    def __str__(self) -> str:  # noqa: PLE0307 - the point
        sys.exit(5)


class NoTextError(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value] # pyright: ignore[reportReturnType] # noqa: PLE0307


class EndlessError(Exception):
    def __str__(self) -> str:
        return str(self)


class MuteToolError(ToolError):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("kind", [MuteError, ExitsWhenShownError, NoTextError, EndlessError])
@pytest.mark.parametrize("thread", [False, True], ids=["async", "thread"])
async def test_an_exception_that_cannot_be_printed_case_b18(
    kind: type[Exception], thread: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """case B18 e, R095: at least the type is named; also when printing it exits, recurses or gives no text."""
    result = await beside(thrower(kind, thread=thread))
    assert result.code == ErrorCode.TOOL_FAILED
    assert kind.__name__ in result.text
    assert "<unprintable thrown value>" in result.text


async def test_a_tool_error_that_cannot_be_printed_keeps_its_code_case_b18(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """case B18 e, R095."""
    result = await beside(thrower(lambda: MuteToolError("no", code="OWN_CODE")))
    assert (result.code, result.error and result.error.name) == ("OWN_CODE", "MuteToolError")


class Odd(BaseException):
    """Neither an error nor an exit."""


OTHERS: list[Callable[[], BaseException]] = [
    lambda: Odd("odd"),
    asyncio.CancelledError,
    lambda: StopIteration(1),
    StopAsyncIteration,
    lambda: GeneratorExit("mine"),
    lambda: ValueError("half a character \ud83d"),
    lambda: ValueError("x" * 1_000_000),
    AssertionError,
    lambda: RecursionError("deep"),
    MemoryError,
]


@pytest.mark.parametrize("thrown", OTHERS)
@pytest.mark.parametrize("thread", [False, True], ids=["async", "thread"])
async def test_nothing_that_a_body_raises_leaks_case_b18(
    thrown: Callable[[], BaseException], thread: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """case B18, its whole kind: one tool's mistake is one call's error, never blank and never without end."""
    result = await beside(thrower(thrown, thread=thread))
    assert result.code == ErrorCode.TOOL_FAILED
    assert result.text.removeprefix("Error: ").strip()
    assert len(result.text) < 100_000


def test_an_error_that_quotes_a_poisoned_name_is_still_text() -> None:
    """R095, case B14: UTF-8 can carry every error's text."""
    error = exception_error(KeyError("\udc80"), ErrorCode.TOOL_FAILED)
    error.message.encode()
    exception_error(ExceptionGroup("g", [ValueError("\ud800")] * 3), ErrorCode.TOOL_FAILED).message.encode()
