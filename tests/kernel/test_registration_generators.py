"""Generators as tools and at the seams: refused at once, since their scopes would be in force across a yield."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing
from intake_tools import call, trailed

from trio_tools import (
    CallNext,
    CallView,
    Dispatch,
    ErrorCode,
    Progress,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

Join = Callable[[Registry, Any], object]

SEAMS: list[Join] = [
    Registry.add_pre_policy,
    Registry.add_wrapper,
    Registry.add_post_policy,
    Registry.add_observer,
    Registry.add_progress_observer,
    Registry.add_recorder,
]


async def in_scope(*args: int) -> AsyncIterator[int]:
    with trio.move_on_after(10):
        for number in range(3):
            await trio.lowlevel.checkpoint()
            yield number


async def in_nursery(*args: int) -> AsyncIterator[int]:
    async with trio.open_nursery():
        for number in range(3):
            await trio.lowlevel.checkpoint()
            yield number


def plain(*args: int) -> Iterator[int]:
    with trio.CancelScope():  # noqa: ASYNC100 - the point
        yield from range(3)


@functools.wraps(in_scope)
def wrapped(*args: int) -> AsyncIterator[int]:
    return in_scope(*args)


class Holder:
    async def method(self, *args: int) -> AsyncIterator[int]:
        with trio.move_on_after(10):
            yield 1

    @classmethod
    async def of_class(cls, *args: int) -> AsyncIterator[int]:
        with trio.move_on_after(10):
            yield 1

    @staticmethod
    async def static(*args: int) -> AsyncIterator[int]:
        with trio.move_on_after(10):
            yield 1


class CallableAsync:
    async def __call__(self, *args: int) -> AsyncIterator[int]:
        with trio.move_on_after(10):
            yield 1


class CallablePlain:
    def __call__(self, *args: int) -> Iterator[int]:
        with trio.move_on_after(10):
            yield 1


GENERATORS: dict[str, object] = {
    "async, a scope": in_scope,
    "async, a nursery": in_nursery,
    "sync": plain,
    "wrapped": wrapped,
    "method": Holder().method,
    "class method": Holder.of_class,
    "static method": Holder.static,
    "partial": functools.partial(in_scope, 1),
    "partial of a sync one": functools.partial(plain, 1),
    "partial of a method": functools.partial(Holder().method, 1),
    "callable": CallableAsync(),
    "callable sync": CallablePlain(),
}


def refusal(join: Join, registry: Registry, generator: object) -> str:
    """What is said when it is refused; empty if it is taken."""
    try:
        join(registry, generator)
    except TypeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
async def test_generators_are_refused_at_every_seam_case_b30(generator: object) -> None:
    """case B30: with a clear text, in whatever form they come; nothing is left behind."""
    async with trailed(managed) as (registry, _):
        said = {join.__name__: refusal(join, registry, generator) for join in SEAMS}
        assert [seam for seam, text in said.items() if "generator" not in text] == []


@pytest.mark.parametrize("generator", [in_scope, in_nursery, plain, wrapped, Holder().method])
async def test_generators_are_refused_at_registration_case_b30(
    generator: Any, autojump_clock: trio.testing.MockClock
) -> None:
    """case B30: the name stays free, other tools and the next call are as ever."""
    async with trailed(managed) as (registry, trail):
        assert "generator" in refusal(Registry.register, registry, generator)
        assert list(registry.tools) == ["managed"]
        assert (await call(registry, "managed")).value == "managed"
    assert trail.stages == ["policy", "wrapper", "post-policy", "observer"]


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_a_generator_cannot_be_declared_as_a_tool_case_b30(generator: Any) -> None:
    """case B30: the text names the tool and says what to do instead."""
    with pytest.raises(TypeError, match=r'"streaming".*generator.*return the result'):
        tool(name="streaming")(generator)


async def numbers() -> AsyncGenerator[int]:
    with trio.move_on_after(10):
        for number in range(3):
            await trio.sleep(1)
            yield number


@asynccontextmanager
async def limited() -> AsyncGenerator[None]:
    with trio.move_on_after(10):
        yield


@tool(read_only=True)
async def total(context: ToolContext) -> int:
    """Reads a generator to its end in the task that began it, and reports as it goes."""
    summed = 0
    async with aclosing(numbers()) as items:
        async for number in items:
            summed += number
            context.report_progress(number, 2)
    return summed


@tool(read_only=True)
async def first() -> int:
    """Stops after the first item, and closes what it read from."""
    async with aclosing(numbers()) as items:
        async for number in items:
            return number
    return -1


@tool(read_only=True)
async def managed() -> str:
    async with limited():
        await trio.sleep(1)
    return "managed"


async def test_the_alternatives_work_at_once_and_after_one_another_case_b30(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """case B30: read to the end, left after the first item, two at once; the next call is as ever."""
    progress: list[float] = []

    def report(view: CallView, step: Progress) -> None:
        progress.append(step.done)

    calls = [ToolCall(name, {}) for name in ("total", "first", "managed", "total", "first")]
    async with trailed(total, first, managed) as (registry, _):
        registry.add_progress_observer(report)
        results = await registry.execute_turn(calls, scope=trio.CancelScope())
        again = await call(registry, "first")
    assert [result.value for result in results] == [3, 0, "managed", 3, 0]
    assert sorted(progress) == [0, 0, 1, 1, 2, 2]
    assert again.value == 0


async def test_the_alternatives_can_be_cancelled_after_the_first_item_case_b30(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """case B30: balanced, and the generators are closed in the tasks that ran them."""
    scope = trio.CancelScope(deadline=trio.current_time() + 1.5)
    calls = [ToolCall(name, {}) for name in ("total", "first", "total")]
    async with trailed(total, first) as (registry, trail):
        results = await registry.execute_turn(calls, scope=scope)
        after = await call(registry, "total")
    assert [result.code for result in results] == [ErrorCode.ABORTED, None, ErrorCode.ABORTED]
    assert len(trail.results) == 4
    assert after.value == 3


async def test_seams_take_what_wraps_a_scope_lexically_case_b30(autojump_clock: trio.testing.MockClock) -> None:
    """case B30: async functions with scopes and context managers inside, at every seam."""

    async def policy(view: CallView) -> None:
        async with limited():
            await trio.sleep(1)

    async def wrapper(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(60):
            async with trio.open_nursery():
                return await call_next()
        raise AssertionError("nothing takes that long here")

    async def review(view: CallView, result: ToolResult) -> None:
        await policy(view)

    async with trailed(managed) as (registry, trail):
        registry.add_pre_policy(policy)
        registry.add_wrapper(wrapper)
        registry.add_post_policy(review)
        registry.add_observer(review)
        registry.add_recorder(trail.record)
        result = await call(registry, "managed")
    assert result.value == "managed"
    assert len(trail.events) == 4


@tool(name="returns_one")
async def returns_async() -> object:
    return numbers()


@tool(name="returns_one")
def returns_sync() -> object:
    return plain()


@tool(name="returns_one")
async def returns_expression() -> object:
    return (number for number in range(3))


@pytest.mark.parametrize("body", [returns_async, returns_sync, returns_expression])
async def test_a_generator_as_a_value_is_no_output_case_b30(body: Any) -> None:
    """case B30, R051: what hides its generator from registration comes to an error result; nobody steps through it."""
    async with trailed(body) as (registry, _):
        results = await registry.execute_turn([ToolCall("returns_one", {})] * 2, scope=trio.CancelScope())
    assert [(result.code, result.dispatched) for result in results] == [(ErrorCode.INVALID_TOOL_OUTPUT, True)] * 2
    assert "generator" in results[0].text


@pytest.mark.parametrize("defaults", [True, False])
async def test_a_scope_that_a_body_leaves_open_is_that_calls_fault_alone_case_b30(
    defaults: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """case B30, R094: as by breaking out of a loop over such a generator; one result each, and the next call works."""

    @tool
    async def leaves_open() -> str:
        trio.CancelScope().__enter__()
        return "left"

    results: list[ToolResult] = []
    failed: Exception | None = None
    async with open_registry(defaults=defaults) as registry:
        registry.register(leaves_open)
        registry.register(managed)
        try:
            calls = [ToolCall("leaves_open", {}), ToolCall("managed", {})]
            results += await registry.execute_turn(calls, scope=trio.CancelScope())
        except Exception as thrown:
            failed = thrown
        left = registry.pending()
        registry._core.unsettled.clear()  # or leaving would wait for what is left, for ever
        after = await call(registry, "managed")
    assert (failed, left) == (None, [])
    assert [result.dispatched for result in results] == [True, True]
    assert (results[1].value, after.value) == ("managed", "managed")
