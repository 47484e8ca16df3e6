"""Programming errors: raised at once with a plain message, and no call has begun."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import attrs
import pytest
import trio
import trio.testing
from intake_tools import call, cancelled_scope, trailed

from trio_tools import ErrorCode, NotJSON, Registry, ToolCall, open_registry, tool


@tool
async def quick() -> str:
    return "done"


Run = Callable[[Registry, Any], Awaitable[object]]


def _execute(registry: Registry, scope: Any) -> Awaitable[object]:
    return registry.execute(ToolCall("quick", {}), scope=scope)


def _execute_turn(registry: Registry, scope: Any) -> Awaitable[object]:
    return registry.execute_turn([ToolCall("quick", {})] * 2, scope=scope)


runs = pytest.mark.parametrize("run", [_execute, _execute_turn], ids=["execute", "execute_turn"])


async def refuses(run: Callable[[], Awaitable[object]], kind: type[Exception], match: str) -> None:
    """It raises this very type, bare, before any checkpoint."""
    with trio.testing.assert_no_checkpoints(), pytest.raises(kind, match=match) as caught:
        await run()
    assert type(caught.value) is kind


@runs
@pytest.mark.parametrize("scope", [None, 5, pytest.param(object(), id="object"), trio.CancelScope], ids=repr)
async def test_no_scope_is_a_type_error(run: Run, scope: object) -> None:
    """The caller owns the lifetime; None is no scope that is never cancelled."""
    async with trailed(quick) as (registry, trail):
        await refuses(functools.partial(run, registry, scope), TypeError, "scope must be a trio.CancelScope")
        assert registry.pending() == []
    assert trail.stages == []


@runs
async def test_no_scope_at_all_is_a_type_error(run: Run) -> None:
    """There is no default, and no overload without one."""
    async with trailed(quick) as (registry, _):
        method: Any = registry.execute if run is _execute else registry.execute_turn
        with pytest.raises(TypeError, match="scope"):
            await method(ToolCall("quick", {}) if run is _execute else [])


@runs
async def test_a_scope_that_was_entered_before_is_a_runtime_error(run: Run) -> None:
    """Entered and left, still entered, or used up by a call."""
    async with trailed(quick) as (registry, trail):
        left, used = trio.CancelScope(), trio.CancelScope()
        with left:
            pass
        await call(registry, "quick", scope=used)
        for spent in (left, used):
            await refuses(functools.partial(run, registry, spent), RuntimeError, "entered before")
        with trio.CancelScope() as entered:
            await refuses(functools.partial(run, registry, entered), RuntimeError, "entered before")
        assert len(trail.results) == 1
        assert (await call(registry, "quick")).value == "done"


async def test_a_scope_serves_one_of_two_calls_at_once(autojump_clock: trio.testing.MockClock) -> None:
    """The second is told at once, and the first goes on."""
    gate = trio.Event()

    @tool
    async def waits() -> str:
        await gate.wait()
        return "went on"

    async with trailed(waits) as (registry, trail), trio.open_nursery() as nursery:
        scope = trio.CancelScope()
        nursery.start_soon(functools.partial(call, registry, "waits", scope=scope))
        await trio.testing.wait_all_tasks_blocked()
        await refuses(functools.partial(_execute, registry, scope), RuntimeError, "entered before")
        gate.set()
    assert [result.value for result in trail.results] == ["went on"]


@runs
@pytest.mark.parametrize("scope", [trio.CancelScope, cancelled_scope])
async def test_a_closed_registry_is_a_runtime_error(run: Run, scope: Callable[[], trio.CancelScope]) -> None:
    """Calls end with the block; a cancelled scope changes nothing."""
    async with trailed(quick) as (registry, _):
        pass
    await refuses(functools.partial(run, registry, scope()), RuntimeError, "closed")


async def test_a_registry_whose_block_raised_is_closed_too() -> None:
    """However it ended."""
    kept: list[Registry] = []

    async def breaks() -> None:
        async with open_registry() as registry:
            kept.append(registry)
            raise KeyError("from the block")

    with pytest.raises(KeyError, match="from the block"):
        await breaks()
    await refuses(functools.partial(_execute, kept[0], trio.CancelScope()), RuntimeError, "closed")


@pytest.mark.parametrize("garbage", [None, "quick", {"name": "quick"}, ("quick", {}), ToolCall], ids=repr)
async def test_what_is_no_tool_call_is_a_type_error(garbage: Any) -> None:
    """For one call, and anywhere in a turn, whose other calls then do not start."""
    async with trailed(quick) as (registry, trail):
        await refuses(lambda: registry.execute(garbage, scope=trio.CancelScope()), TypeError, "ToolCall")
        calls = [ToolCall("quick", {}), garbage]
        await refuses(lambda: registry.execute_turn(calls, scope=trio.CancelScope()), TypeError, "ToolCall")
        assert registry.pending() == []
    assert trail.stages == []


async def test_a_scope_survives_a_call_that_was_refused() -> None:
    """It was not entered, and serves the corrected call."""
    scope = trio.CancelScope()
    garbage: Any = "quick"
    async with trailed(quick) as (registry, _):
        await refuses(lambda: registry.execute(garbage, scope=scope), TypeError, "ToolCall")
        assert (await call(registry, "quick", scope=scope)).value == "done"


async def test_a_list_of_calls_that_raises_raises_and_starts_nothing() -> None:
    """Calls may be any iterable; it is gone through, once, before anything begins (R001)."""

    def calls() -> Iterator[ToolCall]:
        yield ToolCall("quick", {})
        raise KeyError("no more")

    async with trailed(quick) as (registry, trail):
        with pytest.raises(KeyError, match="no more"):
            await registry.execute_turn(calls(), scope=trio.CancelScope())
        assert await registry.execute_turn(iter([]), scope=trio.CancelScope()) == ()
        assert await registry.execute_turn((), scope=cancelled_scope()) == ()
    assert trail.stages == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: ToolCall(5, {}),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        lambda: ToolCall("t", None),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        lambda: ToolCall("t", [("a", 1)]),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        lambda: ToolCall("t", b"{}"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        lambda: ToolCall("t", {}, id=7),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ],
)
def test_a_call_that_is_none_cannot_be_made(make: Callable[[], ToolCall]) -> None:
    """A name and an id are strings, arguments a mapping or text."""
    with pytest.raises(TypeError, match="tool call"):
        make()


def test_the_metadata_of_a_call_is_its_own() -> None:
    """R004: snapshotted when the call is made, and refused if it is no JSON."""
    metadata: dict[str, object] = {"trace": [1]}
    made = ToolCall("t", {}, metadata=metadata)
    metadata["trace"] = [2]
    assert made.metadata == {"trace": [1]}
    assert attrs.evolve(made, id="2").metadata == {"trace": [1]}
    with pytest.raises(NotJSON, match="not JSON"):
        ToolCall("t", {}, metadata={"trace": object()})


async def test_a_call_needs_no_arguments_and_no_id() -> None:
    """L001: none are the empty ones."""
    async with trailed(quick) as (registry, trail):
        result = await registry.execute(ToolCall("quick"), scope=trio.CancelScope())
    assert (result.value, result.call_id, trail.at("observer").arguments) == ("done", None, {})
    assert result.code not in set(ErrorCode)
