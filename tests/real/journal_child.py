"""Processes with a journal, for the tests of what becomes of one.

Run by itself, it makes one for each line of JSON that it is given, which says what it is to do and with which file, out
of itself: everything is imported by then. Each prints its number and what it saw as JSON lines; how it ended is said
after that.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
from pathlib import Path

import trio

from trio_tools import Session, ToolCall, ToolResult, open_registry, tool
from trio_tools.journal import JournalConfig, JournalError, journal, open_journal

# Bytes that files may still grow by when the disk is about to be full: a few dozen calls.
ROOM = 300_000
# A user who owns nothing.
NOBODY = 65534
SESSION = Session("s")


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def say_result(result: ToolResult) -> None:
    say(id=result.call_id, code=result.code, text=result.text, dispatched=result.dispatched)


def fill_up(path: str) -> None:
    """From now on files end a little behind where the journal's do."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    largest = max(os.path.getsize(f"{path}{end}") for end in ("", "-wal"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + ROOM, resource.RLIM_INFINITY))


def make_room(path: str) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def lock_out(path: str) -> None:
    """Another connection begins to write, and does not end."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    _others.append(other)


def let_in(path: str) -> None:
    _others.pop().close()


_others: list[sqlite3.Connection] = []
FAILURES = {"full": (fill_up, make_room), "locked": (lock_out, let_in)}


async def work_on(path: str, failure: str) -> None:
    """Calls until one is refused, while another is in the middle of its work; then one more, and the books."""
    begun, over = trio.Event(), trio.Event()
    fail, mend = FAILURES[failure]

    @tool
    async def hold() -> str:
        begun.set()
        await over.wait()
        return "held"

    @tool
    async def send(text: str) -> str:
        return "sent"

    async with open_registry(plugins=[journal(JournalConfig(path=Path(path)))]) as registry:
        registry.register(hold)
        registry.register(send)

        async def execute(name: str, call_id: str, **arguments: str) -> ToolResult:
            call = ToolCall(name, {**arguments}, id=call_id)
            return await registry.execute(call, scope=trio.CancelScope(), session=SESSION)

        async with trio.open_nursery() as nursery:

            async def held() -> None:
                say_result(await execute("hold", "held"))

            nursery.start_soon(held)
            await begun.wait()
            await execute("send", "before", text="ada")
            fail(path)
            number, result = 0, await execute("send", "0", text="x" * 5_000)
            while result.code is None:
                number += 1
                result = await execute("send", f"{number}", text="x" * 5_000)
            say_result(result)
            mend(path)
            say_result(await execute("send", "after", text="ada"))
            over.set()
        say(acknowledged=number)
    async with open_journal(path) as books:
        calls = await books.calls(SESSION)
        say(calls={one.ref.call_id: one.result and one.result.code for one in calls}, damage=len(books.damage))


async def hold_open(path: str) -> None:
    """Write one call, and wait to be killed."""

    @tool
    async def send() -> str:
        return "sent"

    async with open_registry(plugins=[journal(JournalConfig(path=Path(path)))]) as registry:
        registry.register(send)
        say_result(await registry.execute(ToolCall("send", id="1"), scope=trio.CancelScope(), session=SESSION))
        await trio.sleep_forever()


async def look_as_nobody(path: str) -> None:
    """Open it to write and to read, as somebody who may only read."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    try:
        async with open_journal(path):
            say(opened=True)
    except JournalError as error:
        say(refused=str(error))
    async with open_journal(path, read_only=True) as books:
        say(calls=[one.ref.call_id for one in await books.calls(SESSION)])


def do(what: str, path: str) -> None:
    say(pid=os.getpid())
    if what in FAILURES:
        trio.run(work_on, path, what)
    else:
        trio.run({"hold": hold_open, "look": look_as_nobody}[what], path)


def main() -> None:
    for line in sys.stdin:
        orders = json.loads(line)
        child = os.fork()
        if child == 0:
            do(**orders)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say(ended=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
