"""The file as worker threads see it: everything here blocks. One thread at a time writes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence

from trio_tools.journal._connect import Durability, complaint, transaction
from trio_tools.journal._errors import JournalError
from trio_tools.journal._lock import Lock
from trio_tools.journal._opening import opened
from trio_tools.journal._place import identity, look
from trio_tools.journal._purge import purge
from trio_tools.journal._retention import Retention
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import INSERT, PLACES
from trio_tools.journal._start import Start, start_of

# Rows of one statement, the most first: each statement gives up the interpreter's lock and has to wait for it again,
# which is dear while calls keep it busy. 64 rows are 1,152 parameters, and any SQLite takes 32,766.
_ROWS_AT_ONCE = (64, 8, 1)
_INSERT = {rows: f"{INSERT}{f', {PLACES}' * (rows - 1)}" for rows in _ROWS_AT_ONCE}


class Disk:
    """The journal's file, locked and open to write. Every method blocks, and raises `JournalError`."""

    def __init__(self, path: str, durability: Durability, retention: Retention) -> None:
        look(path)
        self.path = path
        self._retention = retention
        self._lock = Lock(path)
        self._busy = threading.Lock()  # a thread that was left behind may still be at work when the file is closed
        try:
            self.database = opened(path, durability)
            self.start = self._started()
            self._files = self._identities()
        except BaseException:
            self._lock.release()
            raise

    def _started(self) -> Start:
        try:
            start = start_of(self.database)
            self._retention.forget_loose(self.database)
            while self._retention.step(self.database, start.families.kept()):
                pass
        except BaseException as error:
            self.database.close()
            if isinstance(error, sqlite3.Error):
                raise complaint(self.path, "opened", error) from error
            raise
        return start

    def write(self, rows: Sequence[Row]) -> None:
        """Write them all, and return when they are where they survive; or none of them."""
        with self._busy:
            try:
                self._transact(rows)
            except sqlite3.Error as error:
                raise complaint(self.path, "written", error) from error
            self._check_there()

    def _identities(self) -> list[tuple[int, int] | None]:
        """Which files the journal is in: its own, and its log."""
        return [identity(name) for name in (self.path, f"{self.path}-wal")]

    def _check_there(self) -> None:
        """Whether what has just been written can be found again. SQLite goes on in a file that was removed."""
        if self._identities() != self._files:
            raise JournalError(
                f"journal {self.path} cannot be written: it, or its log {self.path}-wal, was removed, moved or "
                "replaced while it was open; look what became of it, and open the journal again"
            )

    def _transact(self, rows: Sequence[Row]) -> None:
        with transaction(self.database):
            done = 0
            for at_once in _ROWS_AT_ONCE:
                while len(rows) - done >= at_once:
                    values = [value for row in rows[done : done + at_once] for value in row]
                    self.database.execute(_INSERT[at_once], values)
                    done += at_once

    def retain(self, kept: frozenset[int]) -> bool:
        """Remove some of what is to be kept no longer, but for these families. Whether there may be more."""
        with self._busy:
            try:
                return self._retention.step(self.database, kept)
            except sqlite3.Error as error:
                raise complaint(self.path, "written", error) from error

    def purge(self, session: str | None) -> int:
        """Remove what a session holds, overwrite it, and return how many calls are gone."""
        with self._busy:
            try:
                return purge(self.database, self.path, session)
            except sqlite3.Error as error:
                raise complaint(self.path, "purged", error) from error

    def close(self) -> None:
        """Give the file back. Waits for the thread that writes."""
        with self._busy:
            self.database.close()
            self._lock.release()
