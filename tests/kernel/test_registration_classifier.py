"""Whether a call may overlap with others: only a literal True says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from trio_tools import ErrorCode, JSONValue, ToolCall, ToolResult, open_registry, tool


@attrs.define
class Meter:
    """How many bodies run at once, and in which order they ended."""

    now: int = 0
    peak: int = 0
    ended: list[int] = attrs.field(factory=list[int])

    async def body(self, number: int, safe: bool = True) -> float:
        self.now += 1
        self.peak = max(self.peak, self.now)
        await trio.sleep(1)
        self.now -= 1
        self.ended.append(number)
        return trio.current_time()


async def peak(calls: list[ToolCall], **options: Any) -> tuple[int, tuple[ToolResult, ...]]:
    meter = Meter()
    async with open_registry() as registry:
        registry.register(tool(name="work", **options)(meter.body))
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
    return meter.peak, results


TWO = [ToolCall("work", {"number": number}) for number in range(2)]


def _raises(arguments: object) -> bool:
    raise LookupError("no such argument")


def _exits(arguments: object) -> bool:
    raise SystemExit(1)


def _changes(arguments: Any) -> bool:
    arguments["number"] = 5
    return True


class Truth:
    def __bool__(self) -> bool:
        return True


def answers(answer: object) -> Callable[[object], object]:
    return lambda _: answer


EXCLUSIVE: list[Any] = [
    False,
    answers(1),
    answers("yes"),
    answers([True]),
    answers(Truth()),
    answers(None),
    answers(False),
    lambda: True,
    _raises,
    _exits,
    _changes,
]


@pytest.mark.parametrize("parallel", EXCLUSIVE)
async def test_any_doubt_is_exclusive(parallel: Any, autojump_clock: trio.testing.MockClock) -> None:
    """R116: what is truthy and not True, what raises, what tries to change the arguments; it overrides read_only."""
    at_once, results = await peak(TWO, parallel=parallel, read_only=True)
    assert at_once == 1
    assert [result.is_error for result in results] == [False, False]


@pytest.mark.parametrize("option", ["parallel", "read_only", "idempotent", "destructive", "pool", "finalize_content"])
@pytest.mark.parametrize("wrong", [3, "yes"])
def test_an_option_of_the_wrong_type_is_refused_where_it_stands(option: str, wrong: object) -> None:
    """R110, R116: with tool and option named, before anything runs on it."""
    options: dict[str, Any] = {option: wrong}

    async def named() -> None: ...

    with pytest.raises(TypeError, match=f'tool "named": {option} must be'):
        tool(**options)(named)


@pytest.mark.parametrize(
    "options",
    [{"parallel": True}, {"parallel": answers(True)}, {"read_only": True}],
)
async def test_a_literal_true_is_parallel(options: dict[str, Any], autojump_clock: trio.testing.MockClock) -> None:
    """R116: said, answered, or by being read-only."""
    assert (await peak(TWO, **options))[0] == 2


async def test_nothing_said_is_exclusive(autojump_clock: trio.testing.MockClock) -> None:
    """R116."""
    assert (await peak(TWO))[0] == 1


async def test_the_classifier_sees_the_frozen_arguments(autojump_clock: trio.testing.MockClock) -> None:
    """R116, R004: as they will run, whatever their form was."""
    seen: list[object] = []

    def classify(arguments: dict[str, JSONValue]) -> bool:
        seen.append(dict(arguments))
        with pytest.raises(TypeError):
            arguments["number"] = 5
        return arguments["safe"] is True

    calls = [
        ToolCall("work", '{"number": 0, "safe": true}'),
        ToolCall("work", {"number": 1, "safe": True}),
        ToolCall("work", {"number": 2, "safe": False}),
        ToolCall("work", {"number": 3, "safe": True}),
    ]
    at_once, results = await peak(calls, parallel=classify)
    assert [result.value for result in results] == [1, 1, 2, 3]
    assert at_once == 2
    assert {"number": 0, "safe": True} in seen


@pytest.mark.parametrize(
    ("unfit", "code"),
    [
        (ToolCall("nobody", {}), ErrorCode.UNKNOWN_TOOL),
        (ToolCall("work", {"number": "x"}), ErrorCode.INVALID_ARGS),
        (ToolCall("work", "{"), ErrorCode.INVALID_ARGS),
    ],
)
async def test_a_call_that_cannot_run_is_exclusive(
    unfit: ToolCall, code: ErrorCode, autojump_clock: trio.testing.MockClock
) -> None:
    """R116, L002: a barrier both ways, and the classifier is not asked about it."""

    def classify(arguments: dict[str, JSONValue]) -> bool:
        assert isinstance(arguments["number"], int)
        return True

    settled: list[int] = []
    meter = Meter()
    calls = [*TWO, unfit, ToolCall("work", {"number": 2})]
    async with open_registry() as registry:
        registry.register(tool(name="work", parallel=classify)(meter.body))
        results = await registry.execute_turn(
            calls, scope=trio.CancelScope(), on_settled=lambda position, _: settled.append(position)
        )
    assert [result.code for result in results] == [None, None, code, None]
    assert [results[place].value for place in (0, 1, 3)] == [1, 1, 2]
    assert sorted(settled[:2]) == [0, 1]
    assert settled[2:] == [2, 3]


async def test_a_classifier_that_fails_once_costs_only_that_overlap(autojump_clock: trio.testing.MockClock) -> None:
    """R116: doubt about one call is no doubt about the next."""

    def classify(arguments: dict[str, JSONValue]) -> bool:
        if arguments["number"] == 1:
            raise LookupError("no such argument")
        return True

    calls = [ToolCall("work", {"number": number}) for number in range(4)]
    at_once, results = await peak(calls, parallel=classify)
    assert [result.value for result in results] == [1, 2, 3, 3]
    assert at_once == 2
