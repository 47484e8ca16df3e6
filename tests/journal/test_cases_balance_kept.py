"""Case B36 on a file, whose writer is as slow as somebody else's lock makes it: as many results as calls, on disk."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from pathlib import Path

import attrs
import pytest
import trio
from kept_tools import SESSION, calls_of, kept, on_disk, read_again, run
from trio.testing import wait_all_tasks_blocked

from trio_tools import ErrorCode, Registry, Tool, ToolCall, ToolResult, tool

BEFORE, RAN = ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED
# When the turn of a, b and c is cancelled, and the codes that are to be on disk.
MOMENTS: dict[str, list[ErrorCode | None]] = {
    "before the first": [BEFORE, BEFORE, BEFORE],
    "while the first is being announced": [BEFORE, BEFORE, BEFORE],
    "during the first": [RAN, BEFORE, BEFORE],
    "between first and second": [None, BEFORE, BEFORE],
    "while the second's result is written": [None, None, BEFORE],
}


@attrs.define
class Desk:
    """Three calls, one after the other, and the moment at which they are cancelled."""

    path: Path
    moment: str
    scope: trio.CancelScope
    twice: bool
    started: dict[str, trio.Event] = attrs.field(factory=lambda: defaultdict[str, trio.Event](trio.Event))
    locked: trio.Event = attrs.field(factory=trio.Event)
    holder: sqlite3.Connection | None = None
    results: tuple[ToolResult, ...] | None = None

    def tool(self) -> Tool:
        @tool
        async def work(label: str) -> str:
            self.started[label].set()
            if self.moment == "during the first" and label == "a":
                await trio.sleep_forever()
            if self.moment == "while the second's result is written" and label == "b":
                self.lock()
            return label

        return work

    def lock(self) -> None:
        """From now on whatever is written waits."""
        self.holder = sqlite3.connect(self.path)
        self.holder.execute("BEGIN IMMEDIATE")
        self.locked.set()

    def unlock(self) -> None:
        assert self.holder is not None
        self.holder.close()

    def cancel(self) -> None:
        self.scope.cancel()
        if self.twice:
            self.scope.cancel()

    def settled(self, position: int, result: ToolResult) -> None:
        if self.moment == "between first and second" and position == 0:
            self.cancel()

    async def watch(self) -> None:
        """Cancel at those moments that somebody has to wait for."""
        match self.moment:
            case "during the first":
                await self.started["a"].wait()
                self.cancel()
            case "before the first" | "between first and second":
                pass
            case _:
                await self.locked.wait()
                await wait_all_tasks_blocked()
                before = on_disk(self.path)
                self.cancel()
                await wait_all_tasks_blocked()
                assert (self.results, on_disk(self.path)) == (None, before), "nothing is said before it is written"
                self.unlock()

    async def turn(self, registry: Registry, mine: trio.CancelScope) -> None:
        calls = [ToolCall("work", {"label": one}, id=one) for one in "abc"]
        self.results = await registry.execute_turn(calls, scope=mine, session=SESSION, on_settled=self.settled)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("whose", ["handed over", "enclosing"])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_case_b36_a_cancelled_turn_is_balanced_on_disk(
    moment: str, whose: str, twice: bool, tmp_path: Path
) -> None:
    """Case B36 (a) to (e), L014, M023: and a fresh turn can follow at once, here and when it is opened again."""
    path, codes = tmp_path / "calls.journal", MOMENTS[moment]
    mine, other = trio.CancelScope(), trio.CancelScope()
    desk = Desk(path, moment, mine if whose == "handed over" else other, twice)
    async with kept(path, desk.tool(), at_once=1) as registry:
        if moment == "while the first is being announced":
            desk.lock()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(desk.watch)
            if moment == "before the first":
                desk.cancel()
            with other:
                await desk.turn(registry, mine)
        wanted = [*zip("abc", codes, strict=True)]
        assert on_disk(path) == wanted
        assert (desk.results is None) == (whose == "enclosing")
        fresh = await run(registry, ToolCall("work", {"label": "d"}, id="d"))
        results = await calls_of(registry)
        assert desk.results is None or results == [*desk.results, fresh]
        assert (fresh.code, on_disk(path)) == (None, [*wanted, ("d", None)])
    assert set(desk.started) == {label for label, code in wanted if code is not BEFORE} | {"d"}
    assert [record.result for record in await read_again(path)] == results
