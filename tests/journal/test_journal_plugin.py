"""A registry that keeps a journal: what is told of calls can be read back."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal

import pytest
import trio
from trio.testing import MockClock

from trio_tools import Registry, Session, ToolCall, ToolContext, ToolResult, open_registry, tool
from trio_tools.journal import Journal, JournalConfig, JournalError, journal, journal_in_memory, open_journal
from trio_tools.values import EffectState


@tool
async def send(context: ToolContext, to: str) -> str:
    async def post() -> str:
        await trio.sleep(2)
        return f"sent to {to}"

    await trio.sleep(1)
    await context.irreversible("mail.send", post)
    return "done"


@tool
async def greet(to: str, how: str) -> str:
    return f"{how}, {to}"


@tool
async def twice(context: ToolContext) -> str:
    for name in "ab":
        await context.execute(ToolCall("send", {"to": name}, id=name), scope=trio.CancelScope())
    return "both"


async def _turn(registry: Registry, *calls: ToolCall, session: str | None = "s") -> None:
    scope = trio.CancelScope()
    await registry.execute_turn(calls, scope=scope, session=None if session is None else Session(session))


async def test_what_a_call_did_is_read_back_with_its_times(autojump_clock: MockClock) -> None:
    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(send)
        books = registry.require(Journal)
        began = books.now()
        await _turn(registry, ToolCall("send", {"to": "ada"}, id="1", metadata={"step": 3}))
        (record,) = await books.calls("s")
    assert (record.ref.tool, record.ref.call_id, record.ref.session) == ("send", "1", Session("s"))
    assert (record.arguments, record.metadata) == ({"to": "ada"}, {"step": 3})
    times = (record.accepted, record.decided, record.dispatched, record.settled)
    assert times == (began, began, (began,), began + 3)
    (effect,) = record.effects
    assert (effect.begun, effect.ended, effect.effect.state) == (began + 1, began + 3, EffectState.COMMITTED)
    assert record.result is not None
    assert record.result.effects == (effect.effect,)
    assert (record.cancelled, record.cause, record.allowed) == (None, None, True)


async def test_calls_come_in_call_order_and_behind_each_those_that_it_made(autojump_clock: MockClock) -> None:
    async with open_registry(plugins=[journal_in_memory]) as registry:
        registry.register(send)
        registry.register(twice)
        books = registry.require(Journal)
        await _turn(registry, ToolCall("twice", id="1"), ToolCall("send", {"to": "c"}, id="2"))
        await _turn(registry, ToolCall("send", {"to": "d"}, id="3"))
        await _turn(registry, ToolCall("send", {"to": "e"}, id="4"), session=None)
        ids = [one.ref.call_id for one in await books.calls("s")]
        of_nobody = [one.ref.call_id for one in await books.calls(None)]
        summaries = await books.sessions()
    assert (ids, of_nobody) == (["1", "a", "b", "2", "3"], ["4"])
    assert [(one.session, one.turns, one.calls, one.unsettled) for one in summaries] == [
        (Session("s"), 2, 3, 0),
        (None, 1, 1, 0),
    ]


async def test_a_file_is_opened_for_as_long_as_the_registry_and_its_books_are_closed_first(tmp_path: Path) -> None:
    """Case B31, L016: what was settled is on disk when the registry is left, and a second one reads it."""
    kept = journal(JournalConfig(path=tmp_path / "calls.db", redact=("to",)))
    results: list[ToolResult] = []
    for number in range(2):
        async with open_registry(plugins=[kept]) as registry:
            registry.register(greet)
            call = ToolCall("greet", {"to": "ada", "how": "hi"}, id=f"{number}")
            results.append(await registry.execute(call, scope=trio.CancelScope(), session=Session("s")))
            books = registry.require(Journal)
            assert [one.result for one in await books.calls("s")] == results
    async with open_journal(tmp_path / "calls.db") as books:
        records = await books.calls("s")
        assert [one.result for one in records] == results
        assert [one.arguments for one in records] == [{"to": "(redacted)", "how": "hi"}] * 2


async def test_a_file_that_is_no_journal_ends_the_opening_with_clear_words(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("these are notes, and longer than a page header of a database is " * 5)
    with pytest.raises(JournalError, match=r"notes\.txt"):
        async with open_registry(plugins=[journal(JournalConfig(path=tmp_path / "notes.txt"))]):
            raise AssertionError("it must not open")


async def test_two_journals_of_one_registry_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="already provided by plugin"):
        async with open_registry(plugins=[journal_in_memory, journal(JournalConfig(path=tmp_path / "calls.db"))]):
            raise AssertionError("it must not open")


async def test_who_misses_the_journal_is_told_how_to_come_by_it() -> None:
    async with open_registry() as registry:
        with pytest.raises(LookupError, match=r"no trio_tools\.journal.*Journal is provided"):
            registry.require(Journal)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": ""}, "path must be the path of a file, and is empty"),
        ({"path": 7}, "path must be the path of a file, not int"),
        ({"path": "x", "durability": "none"}, "durability must be one of full, normal, not 'none'"),
        ({"path": "x", "max_age": 0}, "max_age must be a positive finite number of seconds, not 0"),
        ({"path": "x", "max_age": True}, "max_age must be a positive finite number of seconds"),
        ({"path": "x", "max_bytes": -1}, "max_bytes must be a positive whole number of bytes, not -1"),
        ({"path": "x", "max_bytes": 1.5}, "max_bytes must be a positive whole number of bytes, not 1.5"),
        ({"path": "x", "redact": "card"}, 'redact must be a list of names, such as ["card"]'),
        ({"path": "x", "redact": 5}, "redact must be a list of names, not int"),
        ({"path": "x", "redact": ["a", ""]}, "redact must hold names of arguments, not ''"),
    ],
)
async def test_what_cannot_be_asked_of_a_journal_is_refused(options: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        JournalConfig(**options)
    if options["path"] == "x":
        with pytest.raises((TypeError, ValueError), match=re.escape(words)):
            async with open_journal(tmp_path / "x", **{key: one for key, one in options.items() if key != "path"}):
                raise AssertionError("it must not open")
        assert not (tmp_path / "x").exists()


Durability = Literal["full", "normal"]


def _by_itself(path: Path, durability: Durability) -> AbstractAsyncContextManager[object]:
    return open_journal(path, durability=durability)


def _by_a_plugin(path: Path, durability: Durability) -> AbstractAsyncContextManager[object]:
    return open_registry(plugins=[journal(JournalConfig(path=path, durability=durability))])


@pytest.mark.parametrize("opening", [_by_itself, _by_a_plugin])
@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("normal", 1)])
async def test_a_full_journal_waits_for_the_disk_itself(
    opening: Callable[[Path, Durability], AbstractAsyncContextManager[object]],
    durability: Durability,
    synchronous: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No test can cut the power: SQLite says of the one connection that writes whether it waits."""
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def seen(*arguments: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", seen)
    async with opening(tmp_path / "calls.journal", durability):
        writing = [one for one in made if _is_open(one) and not one.execute("PRAGMA query_only").fetchone()[0]]
        assert [one.execute("PRAGMA synchronous").fetchone() for one in writing] == [(synchronous,)]


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True
