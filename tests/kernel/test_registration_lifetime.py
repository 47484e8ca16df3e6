"""The tool found at entry is the tool of the call to its end, whatever is registered since."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
import trio.testing
from intake_tools import call, trailed

from trio_tools import (
    CallNext,
    CallView,
    Dispatch,
    ErrorCode,
    Registry,
    ReplaceValue,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)


def versioned(version: str, *, timeout: float | None = None, output: object = None) -> Tool:
    """A tool `work` that says which one ran, and whose finalizer says which one finalized."""

    async def body(seconds: float = 0) -> object:
        await trio.sleep(seconds)
        return f"ran {version}"

    def finalize(result: ToolResult) -> str:
        return f"{result.text}, finalized {version}"

    return tool(name="work", timeout=timeout, output=output, finalize_content=finalize)(body)


def replaces(registry: Registry, by: Tool | None) -> Callable[..., None]:
    """Something that unregisters `work`, and registers another in its place if there is one; at its first call."""

    def replace(*_: object) -> None:
        if "work" in registry.tools and registry.tools["work"] is not by:
            registry.unregister("work")
            if by is not None:
                registry.register(by)

    return replace


@pytest.mark.parametrize("stage", ["policy", "wrapper", "post-policy", "recorder"])
@pytest.mark.parametrize("gone", [False, True])
async def test_a_tool_that_is_replaced_on_the_way_still_runs_and_finalizes(
    stage: str, gone: bool, autojump_clock: trio.testing.MockClock
) -> None:
    """D25, R008, R046: replaced or unregistered after the call has started; the next call meets the new one."""
    async with open_registry() as registry:
        registry.register(versioned("one"))
        replace = replaces(registry, None if gone else versioned("two"))

        async def around(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
            replace()
            assert dispatch.tool is not registry.tools.get("work")
            return await call_next()

        async def record(event: object) -> None:
            replace()

        join: dict[str, Callable[[], object]] = {
            "policy": lambda: registry.add_pre_policy(replace),
            "wrapper": lambda: registry.add_wrapper(around),
            "post-policy": lambda: registry.add_post_policy(replace),
            "recorder": lambda: registry.add_recorder(record),
        }
        join[stage]()
        first = await call(registry, "work")
        second = await call(registry, "work") if stage != "wrapper" else None
    assert first.text == "ran one, finalized one"
    if second is not None:
        assert second.text == ('Error: unknown tool "work"' if gone else "ran two, finalized two")


async def test_a_running_body_outlives_its_registration(autojump_clock: trio.testing.MockClock) -> None:
    """D25, R112: unregistered while it runs, and finalized by its own finalizer."""
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(versioned("one"))

        async def later() -> None:
            await trio.sleep(1)
            replaces(registry, versioned("two"))()

        nursery.start_soon(later)
        result = await call(registry, "work", {"seconds": 5})
    assert result.text == "ran one, finalized one"


async def test_the_budget_is_that_of_the_tool_that_runs(autojump_clock: trio.testing.MockClock) -> None:
    """D25, T022: a policy replaces the tool by one that has more time, then by one that has less."""
    async with open_registry() as registry:
        short, long = versioned("short", timeout=1), versioned("long", timeout=10)
        registry.register(short)
        with registry.add_pre_policy(replaces(registry, long)):
            cut = await call(registry, "work", {"seconds": 5})
        with registry.add_pre_policy(replaces(registry, short)):
            whole = await call(registry, "work", {"seconds": 5})
    assert cut.code == ErrorCode.TOOL_TIMEOUT
    assert cut.text.startswith("Error: tool call timed out after 1000ms")
    assert cut.text.endswith("finalized short")
    assert whole.text == "ran long, finalized long"


async def test_a_replaced_value_is_checked_by_the_tool_that_ran(autojump_clock: trio.testing.MockClock) -> None:
    """D25, R077: its output contract counts, also when nobody of that name is left."""
    async with open_registry() as registry:
        registry.register(versioned("one", output=str))

        def review(view: CallView, result: ToolResult) -> ReplaceValue:
            assert view.tool is not None
            if "work" in registry.tools:
                registry.unregister("work")
            return ReplaceValue(5)

        registry.add_post_policy(review)
        result = await call(registry, "work")
    assert result.code == ErrorCode.INVALID_TOOL_OUTPUT
    assert result.text.startswith('Error: tool "work" returned invalid output: ')


async def test_a_turn_finds_each_tool_when_its_call_starts(autojump_clock: trio.testing.MockClock) -> None:
    """D25: a call that waits is run by what is registered by then, with that one's budget and finalizer."""
    async with open_registry() as registry:
        registry.register(versioned("one"))

        @tool
        async def upgrade() -> None:
            await trio.sleep(1)
            replaces(registry, versioned("two", timeout=3))()

        registry.register(upgrade)
        calls = [
            ToolCall("work", {}),
            ToolCall("upgrade", {}),
            ToolCall("work", {"seconds": 2}),
            ToolCall("work", {"seconds": 5}),
        ]
        one, _, two, cut = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert (one.text, two.text) == ("ran one, finalized one", "ran two, finalized two")
    assert cut.code == ErrorCode.TOOL_TIMEOUT
    assert cut.text.endswith("finalized two")


async def test_a_tool_that_comes_while_its_call_waits_is_found(autojump_clock: trio.testing.MockClock) -> None:
    """D25, R046: unknown at the turn's entry, and known when its turn comes; not known, and it stays unknown."""
    async with open_registry() as registry:

        @tool
        async def install() -> None:
            await trio.sleep(1)
            registry.register(versioned("one"))

        registry.register(install)
        calls = [ToolCall("work", {}), ToolCall("install", {}), ToolCall("work", {})]
        before, _, after = await registry.execute_turn(calls, scope=trio.CancelScope())
    assert (before.code, after.value) == (ErrorCode.UNKNOWN_TOOL, "ran one")


async def test_every_stage_is_shown_the_tool_that_runs(autojump_clock: trio.testing.MockClock) -> None:
    """D25: from gate to observer it is one object."""
    one = versioned("one")
    async with trailed(one) as (registry, trail):
        registry.add_pre_policy(replaces(registry, versioned("two")))
        result = await call(registry, "work")
    assert result.value == "ran one"
    assert [look.tool is one for look in trail.looks] == [True] * 4


async def test_a_name_that_is_taken_over_between_two_calls_is_taken_over() -> None:
    """D25, R112: nothing of the first registration is kept."""
    async with open_registry() as registry:
        texts: list[str] = []
        for version in ("one", "two", "three"):
            with registry.register(versioned(version)):
                texts.append((await call(registry, "work")).text)
    assert texts == [f"ran {version}, finalized {version}" for version in ("one", "two", "three")]
