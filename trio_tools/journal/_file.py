"""A journal in a file: SQLite, one writer, and checksums that tell what is damaged."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import trio

from trio_tools.journal import _queries
from trio_tools.journal._connect import Durability
from trio_tools.journal._disk import Disk
from trio_tools.journal._families import Families
from trio_tools.journal._reader import Reader
from trio_tools.journal._reading import is_unknown, read
from trio_tools.journal._records import Damage, Entry, JournalEvent, SessionSummary
from trio_tools.journal._rows import Row, columns_of
from trio_tools.journal._store import Store
from trio_tools.journal._writer import Writer

T = TypeVar("T")

# Seconds that leaving a journal may take. What is still to be written takes milliseconds; a disk that hangs would keep
# the whole program from ending. As long as recorder_grace, which those who wait for a record are given.
LEAVING_SECONDS = 5.0


class FileStore:
    """As `Store`, in a file that this process has locked."""

    def __init__(self, writer: Writer, reader: Reader, families: Families, damage: Sequence[Damage]) -> None:
        self._writer = writer
        self._reader = reader
        self._families = families
        self._damage = list(damage)

    @property
    def damage(self) -> Sequence[Damage]:
        """What could not be read when it was opened, and since."""
        return tuple(self._damage)

    def add(self, time: float, event: JournalEvent) -> int:
        """As `Store.add`; `time` in Unix seconds."""
        self._writer.check()
        columns = columns_of(time, event, self._families.session_of(event))
        seq = self._writer.added + 1
        self._writer.add(columns.as_entry(seq, self._families.family_of(seq, event)))
        return seq

    async def written(self, added: int) -> None:
        """As `Store.written`.

        **Cancellation**: the wait ends; the entry may have been written all the same, or still be.
        """
        await self._writer.written(added)

    async def session(self, session: str | None) -> list[Entry]:
        """As `Store.session`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(partial(_queries.session_rows, session=session))

    async def sessions(self) -> list[SessionSummary]:
        """As `Store.sessions`.

        **Cancellation**: nothing has happened.
        """
        return await self._ask(_queries.session_summaries)

    async def unsettled(self) -> list[Entry]:
        """As `Store.unsettled`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(_queries.unsettled_rows)

    async def keyed(self, name: str, key: str) -> list[Entry]:
        """As `Store.keyed`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(partial(_queries.keyed_rows, name=name, key=key))

    async def unknown(self) -> list[Entry]:
        """As `Store.unknown`.

        **Cancellation**: nothing has happened.
        """
        return await self._ask(_unknown)

    async def purge(self, session: str | None) -> int:
        """As `Store.purge`. Its bytes are gone from the file.

        **Cancellation**: it goes on until the session is gone, and then it is cancelled.
        """
        await self._writer.written(self._writer.added)
        gone = await self._writer.purge(session)
        self._families.purged(session)
        return gone

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        await self._writer.written(self._writer.added)
        return await self._reader.ask(question)

    async def _entries(self, question: Callable[[sqlite3.Connection], list[Row]]) -> list[Entry]:
        def answered(database: sqlite3.Connection) -> tuple[list[Entry], list[Damage]]:
            return read(question(database))

        entries, damage = await self._ask(answered)
        self._damage += damage
        return entries


def _unknown(database: sqlite3.Connection) -> list[Entry]:
    effects = [rows for rows in _queries.perhaps_unknown(database) if is_unknown(rows)]
    begun = [[row for row in rows if row[3] == "effectbegun"][-1] for rows in effects]
    return read(_queries.in_order(begun))[0]


@asynccontextmanager
async def open_file(
    path: str | os.PathLike[str],
    *,
    durability: Durability = "full",
    max_age: float | None,
    max_bytes: int | None,
    read_only: bool = False,
) -> AsyncGenerator[Store]:
    """The journal in that file, made if there is none.

    Arguments: `durability`, "full" if what is written must survive that the power fails, "normal" if only the end of
    the process; `max_age` in seconds and `max_bytes` of the file, beyond which settled turns are removed, the oldest
    first.

    Raises `JournalError` if it cannot be opened: what stands there is no journal, is one of a newer version, or is
    being written by another process.

    **Cancellation**: what was added is still written, for as long as `LEAVING_SECONDS`.
    """
    disk = await trio.to_thread.run_sync(Disk, os.fspath(path), durability)
    families = Families()
    writer = Writer(disk, disk.last())
    reader = Reader(disk.path)
    try:
        yield FileStore(writer, reader, families, ())
    finally:
        # bounded by LEAVING_SECONDS: what was added must reach the disk although all around is cancelled
        with trio.CancelScope(shield=True, relative_deadline=LEAVING_SECONDS):
            await reader.close()
            await writer.close()
