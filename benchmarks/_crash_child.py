"""What is killed: an agent that makes turns with effects into a journal, until it is.

Run as a program, this is a warm process: it has imported everything and written a result, and forks an agent for each
line that it reads, so that a hundred of them cost seconds and not a minute. What an agent did to the world, and which
results it was given, stands in two files that the kernel keeps whatever becomes of the agent.
"""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from random import Random
from typing import Literal
from unittest.mock import patch

import attrs
import trio

from trio_tools import (
    Session,
    SyncToolContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    open_registry,
    to_json,
    tool,
)
from trio_tools.journal import JournalConfig, journal
from trio_tools.journal._file import FileStore
from trio_tools.journal._schema import bring_up

# How many agents of one process make turns at once, each in a session of its own: so that commits are shared.
AGENTS = 3
# Orders that are paid under a key of their own. Few, so that later agents meet the keys of those that were killed.
ORDERS = 400
# Seconds that a step may take, at most. A few times what a commit takes, so that kills meet both.
STEP = 0.004
# Seconds for which the slow disk of the control is busy at a time.
BUSY = 0.05


@attrs.frozen
class Orders:
    """What an agent is told, as JSON on one line: the files that it writes, and the seed of all that it does.

    `hasty` is the control of the judge: nobody waits for a disk that is slow.
    """

    journal: str
    world: str
    acks: str
    seed: int
    durability: Literal["full", "normal"] = "full"
    hasty: bool = False


class World:
    """What cannot be undone: lines at the end of a file, each written at once. Whoever started the agent is told that
    there is one more."""

    def __init__(self) -> None:
        self._file = -1  # none yet

    def open(self, path: str) -> None:
        """This is the file."""
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, **line: object) -> None:
        """Do it."""
        os.write(self._file, json.dumps(line).encode() + b"\n")
        os.write(1, b"did\n")


def entered(world: World, ctx: ToolContext | SyncToolContext) -> str:
    """Note that a body was, and return the id of its call."""
    call = ctx.call.id
    assert call is not None
    world.note(entered=call)
    return call


async def act(world: World, draw: Random, ctx: ToolContext, name: str, key: str | None = None) -> object:
    """Have an effect that takes its time."""
    call = ctx.call.id

    async def action() -> str:
        await trio.sleep(draw.uniform(0, STEP))
        world.note(effect=name, call=call, key=key)
        await trio.sleep(draw.uniform(0, STEP))
        return f"receipt of {call}"

    return await ctx.irreversible(name, action, key=key)


def tools(world: World, draw: Random) -> list[Tool]:
    """Tools of each kind: that reads, fails, has effects one or two, under a key, in a thread, or by another tool."""

    @tool(read_only=True)
    async def look() -> str:
        await trio.sleep(draw.uniform(0, STEP))
        return "nothing"

    @tool
    async def send(ctx: ToolContext) -> object:
        entered(world, ctx)
        await trio.sleep(draw.uniform(0, STEP))
        return await act(world, draw, ctx, "send")

    @tool(parallel=True)
    async def send_two(ctx: ToolContext) -> object:
        entered(world, ctx)
        await act(world, draw, ctx, "first")
        if draw.random() < 0.3:
            raise ToolError("changed its mind")
        return await act(world, draw, ctx, "second")

    @tool(parallel=True)
    async def pay(order: int, ctx: ToolContext) -> object:
        entered(world, ctx)
        return await act(world, draw, ctx, "pay", f"order-{order}")

    @tool
    def stamp(ctx: SyncToolContext) -> object:
        call = entered(world, ctx)

        def action() -> str:
            world.note(effect="stamp", call=call, key=None)
            return f"receipt of {call}"

        return ctx.irreversible("stamp", action)

    @tool
    async def outer(ctx: ToolContext) -> str:
        call = entered(world, ctx)
        inner = ToolCall("send", {}, id=f"{call}/inner")
        return (await ctx.execute(inner, scope=trio.CancelScope())).text

    return [look, send, send_two, pay, stamp, outer]


async def _at_once(store: FileStore, added: int) -> None:
    """It will be on disk some time."""
    await trio.lowlevel.checkpoint()


def _slow_disk(path: str) -> None:
    """Another writer, who has the file for most of the time."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        while True:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(BUSY)
            other.execute("COMMIT")
            time.sleep(BUSY / 10)


async def be_hasty(path: str) -> None:
    """Wait for no disk, and have a slow one."""
    with patch.object(FileStore, "written", _at_once):
        await trio.to_thread.run_sync(_slow_disk, path, abandon_on_cancel=True)


async def agent(orders: Orders, world: World, draw: Random, offered: list[Tool]) -> None:
    """Make turns for ever, with tools that act on this world by this draw."""
    draw.seed(orders.seed)
    acks = World()
    world.open(orders.world)
    acks.open(orders.acks)
    configured = journal(JournalConfig(path=orders.journal, durability=orders.durability))
    async with open_registry(plugins=[configured]) as registry, trio.open_nursery() as nursery:
        for one in offered:
            registry.register(one)
        if orders.hasty:
            nursery.start_soon(be_hasty, orders.journal)
        print("open", flush=True)
        names = [one.name for one in registry.tools.values()]

        async def converse(number: int) -> None:
            turn = 0
            while True:
                calls = [
                    ToolCall(name, {"order": draw.randrange(ORDERS)} if name == "pay" else {}, id=f"{place}.{position}")
                    for place in (f"{orders.seed}.{number}.{turn}",)
                    for position, name in enumerate(draw.choices(names, k=draw.randint(1, 4)))
                ]

                def acknowledge(position: int, result: ToolResult, calls: list[ToolCall] = calls) -> None:
                    acks.note(call=calls[position].id, result=to_json(result))

                scope = trio.CancelScope()
                if draw.random() < 0.25:
                    scope.relative_deadline = draw.uniform(0, 4 * STEP)
                session = Session(f"agent {number}")
                await registry.execute_turn(calls, scope=scope, session=session, on_settled=acknowledge)
                turn += 1

        for number in range(AGENTS):
            nursery.start_soon(converse, number)


def make_ready() -> None:
    """Do once what each agent would do first: it has what that has made."""
    to_json(ToolResult(None, "look", ()))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        bring_up(database)
    gc.freeze()  # what is there is nobody's to collect: an agent that looked at it would copy all of it


def main() -> None:
    """Fork an agent for each line on stdin, which says its process id, when its journal is open, and when it did
    something. Then wait until it has ended, and say how."""
    world, draw = World(), Random()
    offered = tools(world, draw)
    make_ready()
    for line in sys.stdin:
        orders = Orders(**json.loads(line))
        child = os.fork()
        if child == 0:
            print(f"agent {os.getpid()}", flush=True)  # by itself: it may be open before its parent runs again
            trio.run(agent, orders, world, draw, offered)
            os._exit(1)  # it has no end of its own
        _, status = os.waitpid(child, 0)
        print(f"ended {status}", flush=True)


if __name__ == "__main__":
    main()
