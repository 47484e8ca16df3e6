"""Processes that run the turn of case B31 until they are killed.

Run by itself, it makes one for each line of JSON that it is given, out of itself: everything is imported by then. Each
says its number when it has come to where it is to be killed; how it ended is said after that.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Literal

import trio

from trio_tools import Session, Tool, ToolCall, ToolContext, ToolResult, open_registry, to_json, tool
from trio_tools.journal import JournalConfig, journal
from trio_tools.journal._schema import bring_up

# Where B is when it is killed: in its body, in the middle of its effect, or behind that.
Where = Literal["body", "effect", "behind its effect"]
CALLS = [ToolCall("quick", id="A"), ToolCall("append", id="B"), ToolCall("alone", id="C")]


def tools(folder: Path, where: Where, rest: Callable[[], Awaitable[None]]) -> list[Tool]:
    """What the turn calls. Once its line is appended, B waits for `rest`."""

    async def write() -> str:
        with (folder / "lines").open("a") as file:
            file.write("a line\n")
        if where == "effect":
            await rest()
        return "line 1"

    @tool
    async def append(ctx: ToolContext) -> str:
        said = await write() if where == "body" else str(await ctx.irreversible("append", write, key="the line"))
        if where != "effect":
            await rest()
        return said

    @tool
    async def quick() -> str:
        return "A-done"

    @tool(parallel=False)
    async def alone() -> str:
        (folder / "alone").touch()
        return "C-done"

    return [append, quick, alone]


async def turn(folder: Path, where: Where, durability: Literal["full", "normal"]) -> None:
    """A ends, B appends its line and sleeps, and C is queued behind it."""
    a_is_done = trio.Event()

    async def rest() -> None:
        await a_is_done.wait()
        print(os.getpid(), flush=True)
        await trio.sleep_forever()

    def settled(position: int, result: ToolResult) -> None:
        a_is_done.set()

    config = JournalConfig(path=folder / "calls.journal", durability=durability)
    async with open_registry(plugins=[journal(config)], max_parallel_calls=2) as registry:
        for one in tools(folder, where, rest):
            registry.register(one)
        await registry.execute_turn(CALLS, scope=trio.CancelScope(), session=Session("s"), on_settled=settled)


def make_ready() -> None:
    """Do once what each of them would do first: it has what that has made."""
    to_json(ToolResult(None, "quick", ()))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        bring_up(database)


def main() -> None:
    make_ready()
    for line in sys.stdin:
        orders = json.loads(line)
        child = os.fork()
        if child == 0:
            trio.run(turn, Path(orders["folder"]), orders["where"], orders["durability"])
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("ended by", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
