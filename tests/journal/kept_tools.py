"""Registries that keep a journal in a file, and what stands in that file, read past the journal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import trio

from benchmarks._balance import FORMS, unbalanced
from trio_tools import Plugin, Registry, Session, Tool, ToolCall, ToolResult, open_registry
from trio_tools.journal import CallRecord, Journal, JournalConfig, journal, open_journal

SESSION = Session("s")


@asynccontextmanager
async def kept(
    path: Path, *tools: Tool, plugins: tuple[Plugin[Any], ...] = (), at_once: int = 10
) -> AsyncGenerator[Registry]:
    """A registry with these tools whose calls are kept in that file."""
    plugin = journal(JournalConfig(path=path))
    async with open_registry(plugins=[plugin, *plugins], max_parallel_calls=at_once) as registry:
        for one in tools:
            registry.register(one)
        yield registry


async def run(registry: Registry, call: ToolCall, scope: trio.CancelScope | None = None) -> ToolResult:
    return await registry.execute(call, scope=scope or trio.CancelScope(), session=SESSION)


def lines(path: Path) -> list[dict[str, Any]]:
    """All entries on disk, in order, `body` as what it says. Fails for what is no valid UTF-8, or no JSON."""
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        cursor = database.execute("SELECT * FROM entries ORDER BY seq")
        names = [column[0] for column in cursor.description]
        rows = [[one.decode() if isinstance(one, bytes) else one for one in row] for row in cursor]
    entries = [dict(zip(names, row, strict=True)) for row in rows]
    return [{**entry, "body": json.loads(entry["body"], parse_constant=_refuse)} for entry in entries]


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def kinds(path: Path) -> list[str]:
    """Which entries are on disk."""
    return [entry["kind"] for entry in lines(path)]


def on_disk(path: Path) -> list[tuple[str, str | None]]:
    """The id of each call that has a result on disk, and its code, in call order."""
    settled = [entry for entry in lines(path) if entry["kind"] == "settled"]
    settled.sort(key=lambda entry: (entry["family"], entry["position"]))
    errors = [entry["body"]["result"]["error"] for entry in settled]
    return [(one["call_id"], error and error["code"]) for one, error in zip(settled, errors, strict=True)]


async def read_again(path: Path) -> tuple[CallRecord, ...]:
    """The calls of the session, opened twice: nothing is damaged or added, and it can be sent to every provider."""
    seen: list[tuple[CallRecord, ...]] = []
    for _ in range(2):
        async with open_journal(path) as books:
            seen.append(await books.calls(SESSION))
            assert list(books.damage) == []
            for form in FORMS:
                messages = await books.history(SESSION, form=form)
                assert unbalanced(messages, form) == []
                json.dumps(messages, allow_nan=False, ensure_ascii=False).encode()
    assert seen[0] == seen[1]
    return seen[0]


async def calls_of(registry: Registry) -> list[ToolResult | None]:
    """The results that the journal has, in call order."""
    return [record.result for record in await registry.require(Journal).calls(SESSION)]
