"""Connections to a journal's file, and SQLite's complaints in words of ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias
from urllib.parse import quote

from trio_tools.journal._errors import JournalError

Durability: TypeAlias = Literal["full", "normal"]
# What a column holds.
Value: TypeAlias = str | int | float | None

# Bytes of a page. SQLite's own default, said here because damaged files are read by the page.
PAGE_BYTES = 4096
# Seconds that a statement waits for a file that somebody else has locked. Shorter than recorder_grace (5 seconds):
# who waits for the record hears why it failed, and not only that it took too long.
BUSY_SECONDS = 2.0

_WHAT_TO_DO = {
    sqlite3.SQLITE_FULL: "the disk is full: make room, and open the journal again",
    sqlite3.SQLITE_READONLY: "the file or its folder may not be written: check who owns them, and open it again",
    sqlite3.SQLITE_PERM: "the file or its folder may not be written: check who owns them, and open it again",
    sqlite3.SQLITE_READONLY_ROLLBACK: "a process was killed while it made the file: open it once to be written",
    sqlite3.SQLITE_CANTOPEN: "a file beside it cannot be opened: check its folder, and open it again",
    sqlite3.SQLITE_BUSY: "another program has locked the file: end it, and open the journal again",
    sqlite3.SQLITE_IOERR: "the disk failed, or the file may not grow any more: check both, and open the journal again",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: open the journal again, which saves what can be read",
    sqlite3.SQLITE_NOTADB: "the file is damaged: open the journal again, which saves what can be read",
}
# The bits of SQLite's extended error codes that hold the plain one.
_PLAIN_CODE = 0xFF


def uri_of(path: str, *, mode: str) -> str:
    """The file as SQLite's URI, whatever characters are in its path."""
    return f"file:{quote(os.fsencode(os.path.abspath(path)))}?{mode}"


def connect(uri: str) -> sqlite3.Connection:
    """A connection for one worker thread at a time. Transactions are said by whoever uses it.

    Raises `sqlite3.Error` if there is no such file.
    """
    database = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    database.text_factory = tolerant
    return database


def tolerant(text: bytes) -> str:
    """A text of the file, damaged or not: a checksum tells, and not an exception in the middle of a question."""
    return text.decode(errors="surrogateescape")


def found(database: sqlite3.Connection, statement: str, values: Sequence[object] = ()) -> list[tuple[Value, ...]]:
    """All that a statement finds. Texts are read as they should be, which is quicker, unless one of them is not."""
    database.text_factory = str
    try:
        return database.execute(statement, values).fetchall()
    except sqlite3.OperationalError as error:
        if _extended(error):  # it is SQLite's own, and not about a text
            raise
    finally:
        database.text_factory = tolerant
    return database.execute(statement, values).fetchall()


def connect_to_write(path: str, durability: Durability) -> sqlite3.Connection:
    """The one connection that writes. Raises `sqlite3.Error` for what is no database, or cannot be written."""
    database = connect(uri_of(path, mode="mode=rw"))
    try:
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        if not pages:  # of another file they would change nothing, and be written over what its log may still hold
            database.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # space can be given back
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        database.execute("PRAGMA secure_delete = ON")  # what is purged is overwritten
    except BaseException:
        database.close()
        raise
    return database


def connect_to_read(path: str) -> sqlite3.Connection:
    """A connection beside the one that writes. Raises `sqlite3.Error` if it cannot be had."""
    database = connect(uri_of(path, mode="mode=rw"))
    try:
        database.execute("PRAGMA query_only = ON")
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Generator[None]:
    """All that is written in the block, or nothing of it if it raises."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # some errors have ended it already
            database.execute("ROLLBACK")
        raise


def complaint(path: str, doing: str, error: sqlite3.Error) -> JournalError:
    """What SQLite said, as an error for whoever runs the journal. `doing`: "opened", "written", "read"."""
    to_do = _WHAT_TO_DO.get(_extended(error)) or _WHAT_TO_DO.get(_code(error), "open the journal again")
    return JournalError(f"journal {path} cannot be {doing}: {error}; {to_do}")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that a file is not as it should be: neither busy nor closed to us, but wrong."""
    return _code(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def is_half_done(error: sqlite3.Error) -> bool:
    """Whether a process was killed in the middle of writing, and who only reads may not take that back."""
    return _extended(error) == sqlite3.SQLITE_READONLY_ROLLBACK


def _code(error: sqlite3.Error) -> int:
    return _extended(error) & _PLAIN_CODE


def _extended(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0))
