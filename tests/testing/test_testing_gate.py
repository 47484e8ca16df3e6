"""Gates: a tool parks, the test waits for that and no time, and lets it go on or cancels it there."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import ErrorCode, ToolCall, ToolResult, open_registry, tool
from trio_tools.testing import Gate


async def test_a_test_waits_for_the_tool_to_park_and_lets_it_go_on(autojump_clock: MockClock) -> None:
    """The control of what follows: a tool that nobody cancels answers, and no time has passed."""
    gate = Gate()
    results: list[ToolResult] = []

    async def fetch() -> str:
        await gate.wait()
        return "answer"

    async def call() -> None:
        results.append(await registry.execute(ToolCall("fetch"), scope=trio.CancelScope()))

    began = trio.current_time()
    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(fetch)
        nursery.start_soon(call)
        await gate.reached()
        assert (gate.waiting, results) == (1, [])
        gate.open()
    assert [result.value for result in results] == ["answer"]
    assert (gate.arrived, gate.waiting, gate.cut, trio.current_time()) == (1, 0, 0, began)


async def test_a_tool_that_is_cancelled_at_its_park_is_counted(autojump_clock: MockClock) -> None:
    gate, scope = Gate(), trio.CancelScope()
    results: list[ToolResult] = []

    async def fetch() -> None:
        await gate.wait()

    async def call() -> None:
        results.append(await registry.execute(ToolCall("fetch"), scope=scope))

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(fetch)
        nursery.start_soon(call)
        await gate.reached()
        scope.cancel()
    assert [result.code for result in results] == [ErrorCode.ABORTED]
    assert (gate.arrived, gate.waiting, gate.cut) == (1, 0, 1)


async def test_a_plain_function_parks_from_its_thread() -> None:
    gate = Gate()

    def count() -> int:
        trio.from_thread.run(gate.wait)
        return gate.arrived

    async with open_registry() as registry, trio.open_nursery() as nursery:
        registry.register(tool(count))

        async def open_it() -> None:
            await gate.reached()
            gate.open()

        nursery.start_soon(open_it)
        result = await registry.execute(ToolCall("count"), scope=trio.CancelScope())
    assert (result.value, gate.cut) == (1, 0)


async def test_reached_waits_for_as_many_as_it_is_told(nursery: trio.Nursery) -> None:
    gate, both = Gate(), trio.Event()

    async def watch() -> None:
        await gate.reached(2)
        both.set()

    nursery.start_soon(watch)
    nursery.start_soon(gate.wait)
    await wait_all_tasks_blocked()
    assert (gate.arrived, both.is_set()) == (1, False)
    nursery.start_soon(gate.wait)
    await both.wait()
    gate.open()


async def test_arrivals_that_have_gone_on_still_count(nursery: trio.Nursery) -> None:
    gate = Gate()
    nursery.start_soon(gate.wait)
    await gate.reached()
    gate.open()
    await wait_all_tasks_blocked()
    assert gate.waiting == 0
    await gate.reached()
    await gate.wait()
    assert gate.arrived == 2


async def test_one_at_a_time_goes_through_in_order_of_arrival(nursery: trio.Nursery) -> None:
    gate, gone = Gate(), list[str]()

    async def pass_by(name: str) -> None:
        await gate.wait()
        gone.append(name)

    for count, name in enumerate("abc", 1):
        nursery.start_soon(pass_by, name)
        await gate.reached(count)
    for so_far in (["a"], ["a", "b"]):
        gate.let_one_through()
        await wait_all_tasks_blocked()
        assert gone == so_far
    assert (gate.is_open, gate.waiting) == (False, 1)
    gate.open()
    await wait_all_tasks_blocked()
    assert gone == ["a", "b", "c"]


async def test_nobody_can_be_let_through_where_nobody_waits() -> None:
    with pytest.raises(RuntimeError, match="nobody waits"):
        Gate().let_one_through()


@pytest.mark.parametrize("is_open", [False, True])
async def test_who_comes_in_a_cancelled_scope_is_cut(is_open: bool) -> None:
    gate = Gate()
    if is_open:
        gate.open()
    with trio.CancelScope() as scope:
        scope.cancel()
        await gate.wait()
    assert scope.cancelled_caught
    assert (gate.arrived, gate.waiting, gate.cut) == (1, 0, 1)


async def test_one_that_was_let_through_is_not_cut_any_more() -> None:
    gate, gone = Gate(), list[str]()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:

            async def pass_by() -> None:
                await gate.wait()
                gone.append("through")

            nursery.start_soon(pass_by)
            await gate.reached()
            gate.let_one_through()
            scope.cancel()
    assert (gone, gate.cut) == (["through"], 0)


async def test_a_test_that_waits_in_vain_is_bounded_by_its_own_deadline(autojump_clock: MockClock) -> None:
    gate = Gate()
    with pytest.raises(trio.TooSlowError), trio.fail_after(5):
        await gate.reached()
    assert repr(gate) == "<Gate closed: 0 arrived, 0 wait, 0 were cut>"
