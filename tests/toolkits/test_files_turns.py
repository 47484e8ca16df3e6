"""Writes of one file come one after the other, in the order in which they came; others do not wait."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import trio
from asking import asking, until

from trio_tools import CallEvent, EffectBegun, ErrorCode, ToolCall, ToolResult
from trio_tools.toolkits.files._root import Root
from trio_tools.toolkits.files._turns import Turns


async def test_they_come_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    """F006: by whatever link; who gives up is left out, and keeps nobody waiting."""
    (tmp_path / "link").symlink_to("f")
    came: list[int] = []
    let_go, scopes = trio.Event(), [trio.CancelScope() for _ in range(6)]
    with Root(tmp_path) as root:
        turns = Turns(root.aim, trio.CapacityLimiter(1))

        async def come(number: int, path: str) -> None:
            with scopes[number]:
                async with turns.of(path):
                    came.append(number)
                    await let_go.wait()

        def queued(number: int) -> bool:
            return len(turns._queues.get("f", ())) > number

        async with trio.open_nursery() as nursery:
            for number in range(6):
                nursery.start_soon(come, number, "link" if number % 2 else "f")
                await until(partial(queued, number))
            await trio.testing.wait_all_tasks_blocked()
            assert came == [0]
            async with turns.of("other"):  # does not wait
                scopes[2].cancel()
                await trio.testing.wait_all_tasks_blocked()
            let_go.set()
    assert came == [0, 1, 3, 4, 5]
    assert turns._queues == {}


@pytest.mark.parametrize("end", ["cancelled", "waits"])
async def test_a_write_that_waits_can_be_given_up(tmp_path: Path, end: str) -> None:
    """F006, M020: it changes nothing then; else it comes after the one before it."""
    begun, go_on, results = trio.Event(), trio.Event(), dict[str, ToolResult]()
    waiting = trio.CancelScope()

    async def hold_up(event: CallEvent) -> None:
        if isinstance(event, EffectBegun) and not begun.is_set():
            begun.set()
            await go_on.wait()

    async with asking(tmp_path) as ask:
        ask.registry.add_recorder(hold_up)

        async def write(content: str, scope: trio.CancelScope) -> None:
            call = ToolCall("write", {"file_path": "f", "content": content})
            results[content] = await ask.registry.execute(call, scope=scope)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, "first", trio.CancelScope())
            await begun.wait()
            nursery.start_soon(write, "second", waiting)
            await until(
                lambda: any("files/_turns.py" in line for call in ask.registry.pending() for line in call.where)
            )
            if end == "cancelled":
                waiting.cancel()
                await until(lambda: len(ask.registry.pending()) == 1)
            go_on.set()
    assert results["first"].code is None
    if end == "cancelled":
        assert (results["second"].code, results["second"].effects) == (ErrorCode.ABORTED, ())
    assert (tmp_path / "f").read_text() == ("first" if end == "cancelled" else "second")
