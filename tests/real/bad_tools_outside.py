"""Bad tools that use threads, processes and sockets, each with its corrected twin: they run on the real clock."""

from __future__ import annotations

import os
import socket
import time

import trio
from seeded import Desk

from trio_tools import ToolContext

# Seconds that the work of these tools takes, and that an abandoned thread goes on: twice what a run is looked at.
WORK = 0.2
# Seconds that a program would run if nobody killed it: longer than the suite takes.
PROGRAM = "600"


def _crunch() -> str:
    time.sleep(WORK)
    return "crunched"


async def thread_that_nobody_waits_for(ctx: ToolContext) -> str:
    return await trio.to_thread.run_sync(_crunch, abandon_on_cancel=True)


async def thread_that_asks(ctx: ToolContext) -> str:
    def crunch() -> str:
        for _ in range(20):
            time.sleep(WORK / 20)
            trio.from_thread.check_cancelled()
        return "crunched"

    return await trio.to_thread.run_sync(crunch)


async def background_program(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    desk.start("sleep", PROGRAM)
    await trio.sleep(0.01)
    desk.kill()
    return "served"


async def background_program_ended(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    desk.start("sleep", PROGRAM)
    try:
        await trio.sleep(0.01)
    finally:
        desk.kill()
    return "served"


async def only_the_shell_is_killed(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    shell = desk.start("sh", "-c", f"sleep {PROGRAM} & sleep {PROGRAM} & wait")
    try:
        await trio.sleep(0.05)
    except trio.Cancelled:
        desk.kill_one(shell)
        raise
    desk.kill()
    return "served"


async def the_whole_group_is_killed(ctx: ToolContext) -> str:
    desk = ctx.require(Desk)
    desk.start("sh", "-c", f"sleep {PROGRAM} & sleep {PROGRAM} & wait")
    try:
        await trio.sleep(0.05)
    finally:
        desk.kill()
    return "served"


async def connection_left_open(ctx: ToolContext) -> str:
    ours, theirs = (end.detach() for end in socket.socketpair())
    with trio.move_on_after(0.02):  # the server drips, and every read has a limit
        await trio.lowlevel.wait_readable(ours)
    os.close(ours)
    os.close(theirs)
    return "page"


async def connection_closed(ctx: ToolContext) -> str:
    ours, theirs = trio.socket.socketpair()
    with ours, theirs, trio.move_on_after(0.02):
        await ours.recv(1)
    return "page"
