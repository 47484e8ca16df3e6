"""A session removed from the file, with every byte of it."""

from __future__ import annotations

import sqlite3

from trio_tools.journal._connect import transaction
from trio_tools.journal._errors import BytesLeftError, under_way
from trio_tools.journal._families import NO_FAMILY
from trio_tools.journal._queries import perhaps_unknown, unsettled_of
from trio_tools.journal._reading import is_unknown
from trio_tools.journal._retention import give_back
from trio_tools.journal._rows import moved
from trio_tools.journal._schema import COLUMNS, INSERT

_FAMILY, _SESSION = COLUMNS.index("family"), COLUMNS.index("session")
_OF = "session IS ? AND family > 0"
# What was decided on effects of which nothing else is left.
_ORPHANED = """
DELETE FROM entries WHERE kind = 'effectresolved' AND NOT EXISTS (
  SELECT 1 FROM entries AS other WHERE other.name = entries.name AND other.key = entries.key AND other.turn IS NOT NULL
)"""


def purge(database: sqlite3.Connection, path: str, session: str | None) -> int:
    """Remove the entries of a session and return how many calls are gone. Those of effects that are unknown stay, of no
    turn any more.

    Raises `sqlite3.Error` if it cannot be written, and `JournalError` while calls of it are unsettled; `BytesLeftError`
    if it is removed while another program still reads the log that it was written to.
    """
    with transaction(database):
        running = unsettled_of(database, session)
        if running:
            raise under_way(running)
        kept = [rows for rows in perhaps_unknown(database) if is_unknown(rows)]
        mine = [row for rows in kept for row in rows if row[_SESSION] == session and row[_FAMILY]]
        counted = f"SELECT count(*) FROM entries WHERE {_OF} AND kind = 'accepted'"
        (calls,) = database.execute(counted, (session,)).fetchone()
        database.execute(f"DELETE FROM entries WHERE {_OF}", (session,))
        for row in mine:
            database.execute(INSERT, moved(row, NO_FAMILY))
        database.execute(_ORPHANED)
        database.execute("DELETE FROM set_aside WHERE session = ?", (session,))
    give_back(database)
    (blocked, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if blocked:
        raise BytesLeftError(
            f"journal {path}: the session is purged, but its bytes are still in {path}-wal, because another program "
            "reads the journal; let it end, and purge again"
        )
    return int(calls)
