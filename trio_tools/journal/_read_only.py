"""A journal's file, only looked at: nothing is written, not even a lock, and whoever writes it is not disturbed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import NoReturn

from trio_tools.journal._asking import Asking
from trio_tools.journal._check import damage_in, damaged_rows, entry_damage, structural_problem
from trio_tools.journal._connect import complaint, connect, is_damage, uri_of
from trio_tools.journal._errors import JournalError
from trio_tools.journal._place import look
from trio_tools.journal._reader import Connect, Reader
from trio_tools.journal._records import Damage, JournalEvent
from trio_tools.journal._salvage import nothing_in, salvage_into
from trio_tools.journal._schema import bring_up, version_of
from trio_tools.pipeline import Acknowledgement


class ReadOnlyStore(Asking):
    """As `Store`, but that nothing can be added or removed."""

    def __init__(self, path: str, connect: Connect, damage: list[Damage]) -> None:
        super().__init__(Reader(path, connect), Reader(path, connect), damage)
        self._path = path

    def add(self, time: float, event: JournalEvent) -> int:
        """Raises `JournalError`; `time` in Unix seconds."""
        self._refuse()

    def written(self, added: int) -> Acknowledgement:
        """Raises `JournalError`."""
        self._refuse()

    async def purge(self, session: str | None) -> int:
        """Raises `JournalError`.

        **Cancellation**: no checkpoint.
        """
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise JournalError(f"journal {self._path} was opened to be read only; open it to be written")


def look_into(path: str) -> ReadOnlyStore:
    """What is in a file. Blocks. A damaged one is read as far as it can be, as it was at this moment.

    Raises `JournalError` for what is no journal or is one of a newer version, and if it cannot be read.
    """
    if look(path) is None:
        raise JournalError(f"there is no journal {path}")
    try:
        try:
            with _snapshot(path) as database:
                problem = structural_problem(path, database)
                if problem is None and version_of(database):
                    broken = map(entry_damage, damaged_rows(database))
                    return ReadOnlyStore(path, partial(_snapshot, path), [*damage_in(database), *broken])
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            problem = str(error)
        return _from_memory(path, problem)
    except sqlite3.Error as error:
        raise complaint(path, "read", error) from error


def _from_memory(path: str, problem: str | None) -> ReadOnlyStore:
    """What can be read of a damaged file; nothing, of one that nothing was written to."""
    memory = connect("file::memory:")
    if problem is None:
        bring_up(memory)
    elif not salvage_into(memory, path, f"{problem}; open it to be written, and it is repaired"):
        raise nothing_in(path, problem)

    @contextmanager
    def connected() -> Generator[sqlite3.Connection]:
        yield memory

    return ReadOnlyStore(path, connected, damage_in(memory))


@contextmanager
def _snapshot(path: str) -> Generator[sqlite3.Connection]:
    """A connection for one question. Without a log of either kind nobody writes the file: then SQLite need not make one
    to read it."""
    idle = not os.path.lexists(f"{path}-wal") and not os.path.lexists(f"{path}-journal")
    database = connect(uri_of(path, mode="mode=ro&immutable=1" if idle else "mode=ro"))
    try:
        yield database
    finally:
        database.close()
