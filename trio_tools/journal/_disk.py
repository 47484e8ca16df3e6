"""The file as worker threads see it: everything here blocks. One thread at a time writes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from trio_tools.journal import _place
from trio_tools.journal._connect import Durability, complaint, connect_to_write, transaction
from trio_tools.journal._errors import JournalError
from trio_tools.journal._lock import Lock
from trio_tools.journal._purge import purge
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import APPLICATION_ID, INSERT, PLACES, VERSION, bring_up, version_of, written_by

# Rows of one statement, the most first: each statement gives up the interpreter's lock and has to wait for it again,
# which is dear while calls keep it busy. 64 rows are 1,152 parameters, and any SQLite takes 32,766.
_ROWS_AT_ONCE = (64, 8, 1)
_INSERT = {rows: f"{INSERT}{f', {PLACES}' * (rows - 1)}" for rows in _ROWS_AT_ONCE}


class Disk:
    """The journal's file, locked and open to write. Every method blocks, and raises `JournalError`."""

    def __init__(self, path: str, durability: Durability) -> None:
        size = _place.look(path)
        self.path = path
        self._lock = Lock(path)
        self._busy = threading.Lock()  # a thread that was left behind may still be at work when the file is closed
        try:
            if size is None:
                _place.make(path)
            self.database = _opened(path, durability)
        except BaseException:
            self._lock.release()
            raise

    def write(self, rows: Sequence[Row]) -> None:
        """Write them all, and return when they are where they survive; or none of them."""
        with self._busy:
            try:
                self._transact(rows)
            except sqlite3.Error as error:
                raise complaint(self.path, "written", error) from error

    def _transact(self, rows: Sequence[Row]) -> None:
        with transaction(self.database):
            done = 0
            for at_once in _ROWS_AT_ONCE:
                while len(rows) - done >= at_once:
                    values = [value for row in rows[done : done + at_once] for value in row]
                    self.database.execute(_INSERT[at_once], values)
                    done += at_once

    def last(self) -> int:
        """The highest `seq` that was ever given, as far as the file knows."""
        return int(self.database.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])

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


def _opened(path: str, durability: Durability) -> sqlite3.Connection:
    try:
        database = connect_to_write(path, durability)
        try:
            _check_version(path, database)
            bring_up(database, _program())
        except BaseException:
            database.close()
            raise
    except sqlite3.Error as error:
        raise complaint(path, "opened", error) from error
    return database


def _check_version(path: str, database: sqlite3.Connection) -> None:
    (marked,) = database.execute("PRAGMA application_id").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if marked != APPLICATION_ID and (marked or tables):
        raise JournalError(f"{path} is a database of another program, not a journal; name another file")
    found = version_of(database)
    if found > VERSION:
        raise JournalError(
            f"journal {path} is of version {found}, which {written_by(database)} wrote; this trio-tools reads up to "
            f"version {VERSION}: use a newer one"
        )


def _program() -> str:
    try:
        return f"trio-tools {version('trio-tools')}"
    except PackageNotFoundError:
        return "trio-tools"
