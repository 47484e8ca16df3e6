"""Exactly one publication whatever fails, and how what is raised reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import pytest
import trio
from trio.testing import MockClock
from turn_tools import Heard, Log, once

from trio_tools import (
    CallEvent,
    CallNext,
    Dispatch,
    ErrorCode,
    Registry,
    ToolCall,
    ToolError,
    ToolResult,
    open_registry,
    tool,
)


def _fail(*_: object) -> None:
    raise OSError("broken")


async def _hang(*_: object) -> None:
    await trio.sleep_forever()


async def _broken_wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    await call_next()
    raise SystemExit(4)


async def _broken_recorder(event: CallEvent) -> None:
    raise OSError("disk full")


def _break_gate(registry: Registry) -> None:
    registry.add_pre_policy(_fail)


def _break_wrapper(registry: Registry) -> None:
    registry.add_wrapper(_broken_wrapper)


def _break_body(registry: Registry) -> None:
    registry.unregister("work")
    registry.register(tool(name="work")(_fail_as_body))


def _break_review(registry: Registry) -> None:
    registry.add_post_policy(_hang)


def _break_finalizer(registry: Registry) -> None:
    registry.unregister("work")
    registry.register(tool(name="work", finalize_content=_fail)(work))


def _break_observer(registry: Registry) -> None:
    registry.add_observer(_fail)
    registry.add_observer(_hang)


def _break_recorder(registry: Registry) -> None:
    registry.add_recorder(_broken_recorder)


BREAKERS: dict[str, Callable[[Registry], None]] = {
    "gate": _break_gate,
    "wrapper": _break_wrapper,
    "body": _break_body,
    "review": _break_review,
    "finalizer": _break_finalizer,
    "observer": _break_observer,
    "recorder": _break_recorder,
}


async def _fail_as_body() -> str:
    raise ExceptionGroup("many", [OSError("broken"), KeyError("b")])


async def work() -> str:
    await trio.sleep(1)
    return "a"


@pytest.mark.parametrize(
    "breakers", [*combinations(BREAKERS, 1), *combinations(BREAKERS, 2), tuple(BREAKERS)], ids="+".join
)
@pytest.mark.parametrize("given_up_at", [0.5, 600.0])
async def test_a_call_is_published_exactly_once_whatever_fails(
    breakers: Iterable[str], given_up_at: float, autojump_clock: MockClock
) -> None:
    """R094, R093"""
    heard, log, told = Heard(), Log(), list[ToolResult]()

    def on_settled(position: int, result: ToolResult) -> None:
        told.append(result)
        raise OSError("no terminal")

    async with open_registry() as registry:
        registry.register(tool(work))
        registry.add_recorder(log)
        for name in breakers:
            BREAKERS[name](registry)
        registry.add_observer(heard)
        scope = trio.CancelScope(deadline=trio.current_time() + given_up_at)
        (result,) = await registry.execute_turn([ToolCall("work")], scope=scope, on_settled=on_settled)
        assert registry.pending() == []
    assert [one is result for one in (*told, *heard.results)] == [True, True]
    assert [event.result is result for event in log.settled] in ([], [True])


class CodedError(Exception):
    code = "NOT_OURS"
    message = "not this"


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("thrown", "message", "code"),
    [
        (ToolError("no room", code="DISK_FULL"), "no room", "DISK_FULL"),
        (ToolError("no room"), "no room", ErrorCode.TOOL_FAILED),
        (ToolError("no room", code="ABORTED"), "no room", ErrorCode.TOOL_FAILED),
        (ToolError("no room", code="lower"), "no room", ErrorCode.TOOL_FAILED),
        (CodedError("this"), "CodedError: this", ErrorCode.TOOL_FAILED),
        (MuteError(), "MuteError: <unprintable thrown value>", ErrorCode.TOOL_FAILED),
        (ValueError(), "ValueError", ErrorCode.TOOL_FAILED),
        (ValueError("\ud800"), "ValueError: ?", ErrorCode.TOOL_FAILED),
    ],
)
async def test_how_what_is_raised_reads(thrown: BaseException, message: str, code: str) -> None:
    """R095: the text is never blank, and only a `ToolError` brings a code."""

    @tool
    async def fail() -> None:
        raise thrown

    async with open_registry() as registry:
        registry.register(fail)
        result = await once(registry, "fail")
    assert result.error is not None
    assert (result.text, result.error.message, result.code) == (f"Error: {message}", message, code)
    assert result.error.name == type(thrown).__name__
