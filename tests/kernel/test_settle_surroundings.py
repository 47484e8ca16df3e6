"""What a call takes from its surroundings: context variables, and the call that it is nested in."""

from __future__ import annotations

from contextvars import ContextVar

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Heard, Log, once

from trio_tools import (
    CallNext,
    CallToken,
    CallView,
    Dispatch,
    SyncToolContext,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)

variable: ContextVar[str] = ContextVar("variable", default="nobody's")


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_call_runs_in_a_copy_of_its_caller_s_context_and_observers_see_the_body_s(is_async: bool) -> None:
    """Nothing flows back to the caller, nor to siblings."""
    seen: list[str] = []

    async def body(label: str) -> None:
        seen.append(variable.get())
        variable.set(f"the body's of {label}")

    def thread_body(label: str) -> None:
        seen.append(variable.get())
        variable.set(f"the body's of {label}")

    variable.set("the caller's")
    async with open_registry() as registry:
        registry.register(tool(name="note")(body if is_async else thread_body))
        registry.add_observer(lambda call, result: seen.append(variable.get()))
        calls = [ToolCall("note", {"label": label}) for label in "ab"]
        await registry.execute_turn(calls, scope=trio.CancelScope())
    assert seen == ["the caller's", "the body's of a", "the caller's", "the body's of b"]
    assert variable.get() == "the caller's"


async def test_what_the_stages_of_a_call_set_is_seen_by_those_inside_and_by_no_other_call() -> None:
    seen: list[str] = []

    def gate(call: CallView) -> None:
        seen.append(variable.get())
        variable.set("the gate's")

    async def wrap(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        seen.append(variable.get())
        variable.set("the wrapper's")
        return await call_next()

    @tool
    async def note() -> None:
        seen.append(variable.get())

    async with open_registry() as registry:
        registry.register(note)
        registry.add_pre_policy(gate)
        registry.add_wrapper(wrap)
        for _ in range(2):
            await once(registry, "note")
    assert seen == ["nobody's", "the gate's", "the wrapper's"] * 2


async def test_a_nested_call_knows_its_parent_by_token_only() -> None:
    """R103: an opaque token, and the outer call goes on unharmed."""
    heard = Heard()

    @tool
    async def outer(ctx: ToolContext) -> str:
        inner = await once(registry, "inner", "inner")
        ctx.defer_context("after the inner call")
        return f"{inner.text} of {ctx.call.id}"

    @tool
    async def inner() -> str:
        return "inner"

    async with open_registry() as registry:
        registry.register(outer)
        registry.register(inner)
        registry.add_observer(heard)
        result = await once(registry, "outer", "outer")
    nested, around = heard.views
    assert (result.text, result.contexts) == ("inner of outer", ("after the inner call",))
    assert (nested.parent is around.token, around.parent, nested.token is around.token) == (True, None, False)
    assert type(nested.parent) is CallToken
    assert [name for name in dir(nested.parent) if not name.startswith("_")] == []


async def test_a_call_that_an_observer_or_a_later_task_makes_has_no_parent(nursery: trio.Nursery) -> None:
    """R103: the call whose context it inherits is over."""
    heard = Heard()

    @tool
    async def spawn() -> str:
        nursery.start_soon(after)
        return "a"

    @tool
    async def other() -> str:
        return "b"

    async def after() -> None:
        await settled.wait()
        await once(registry, "other", "of a task")

    async def follow(call: CallView, result: ToolResult) -> None:
        if call.id == "spawn":
            await once(registry, "other", "of an observer")
            settled.set()

    async with open_registry() as registry:
        settled = trio.Event()
        registry.register(spawn)
        registry.register(other)
        registry.add_observer(follow)
        registry.add_observer(heard)
        await once(registry, "spawn", "spawn")
        await wait_all_tasks_blocked()
    assert {(view.id, view.parent) for view in heard.views} == {
        ("spawn", None),
        ("of an observer", None),
        ("of a task", None),
    }


async def test_a_call_from_a_thread_s_body_is_nested_too() -> None:
    """R103"""
    heard = Heard()

    @tool
    def outer(ctx: SyncToolContext) -> str:
        return trio.from_thread.run(once, registry, "inner").text

    @tool
    async def inner() -> str:
        return "inner"

    async with open_registry() as registry:
        registry.register(outer)
        registry.register(inner)
        registry.add_observer(heard)
        await once(registry, "outer")
    nested, around = heard.views
    assert nested.parent is around.token


async def test_a_call_from_a_foreign_nursery_has_no_parent_from_its_start_to_its_end(
    autojump_clock: MockClock, nursery: trio.Nursery
) -> None:
    """R103, L016: a task that outlives the outer call is not inside it; every event says so."""
    log, heard = Log(), Heard()

    @tool
    async def outer() -> None:
        nursery.start_soon(once, registry, "nap", "inner")
        await trio.sleep(1)

    @tool
    async def nap() -> None:
        await trio.sleep(3)

    async with open_registry() as registry:
        registry.register(outer)
        registry.register(nap)
        registry.add_recorder(log)
        registry.add_observer(heard)
        await once(registry, "outer", "outer")
        await trio.sleep(5)
    around, nested = heard.views
    assert (around.id, nested.id, nested.parent) == ("outer", "inner", None)
    refs = [event.ref for event in log.events if event.ref.call_id == "inner"]
    assert [ref.parent for ref in refs] == [None] * 4
