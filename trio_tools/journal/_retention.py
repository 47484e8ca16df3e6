"""What is too old, or too much, is removed: whole families, the oldest first, in steps that hold nobody up."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator

import attrs

from trio_tools.journal._connect import transaction
from trio_tools.journal._queries import keyed_rows
from trio_tools.journal._reading import is_unknown

# Families that one step removes at most. A step takes some milliseconds, and what is to be written waits for it.
STEP = 100
# The family that was begun last is always left: its number is where the next opening goes on from.
_FAMILIES = f"""
SELECT family, min(seq), max(seq) FROM entries WHERE family > ? AND family < (SELECT max(family) FROM entries)
GROUP BY family ORDER BY family LIMIT {STEP}
"""
# Effects whose calls were purged while nobody knew what became of them.
_LOOSE = "SELECT DISTINCT name, key FROM entries WHERE family = 0 AND key IS NOT NULL"
# Bytes of an entry apart from its body: its columns, its place in the index.
_COLUMNS_BYTES = 250


@attrs.frozen(kw_only=True)
class Retention:
    """How long settled calls are kept: `max_age` in seconds, `max_bytes` of the file; None: for ever, any number.

    Age goes by the wall clock as it was when this was made, as the times of entries do: a clock that is set anew
    meanwhile, or that went on while the computer slept, makes nothing older than it is."""

    max_age: float | None
    max_bytes: int | None
    _offset: float = attrs.field(factory=lambda: time.time() - time.monotonic(), init=False)

    def step(self, database: sqlite3.Connection, kept: frozenset[int]) -> bool:
        """Remove some of what is to go, but for the families that are kept. Whether there may be more. Raises
        `sqlite3.Error`."""
        going = list(self._going(database, kept))
        if not going:
            return False
        with transaction(database):
            database.executemany("DELETE FROM entries WHERE family = ?", ((family,) for family in going))
        give_back(database)
        return True

    def _going(self, database: sqlite3.Connection, kept: frozenset[int]) -> Iterator[int]:
        """The families that go in one step."""
        cutoff = None if self.max_age is None else self._now() - self.max_age
        too_many = 0 if self.max_bytes is None else size_of(database) - self.max_bytes
        count, after, begun = 0, 0, 0
        while count < STEP and (found := database.execute(_FAMILIES, (after,)).fetchall()):
            for family, first, last in found:
                old = cutoff is not None and _time(database, last) < cutoff
                if family not in kept and (old or too_many > 0) and count < STEP:
                    too_many -= _bytes(database, family)
                    count += 1
                    yield family
                after, begun = family, first
            if too_many <= 0 and (cutoff is None or _time(database, begun) >= cutoff):
                return  # all that come later were begun later

    def forget_loose(self, database: sqlite3.Connection) -> None:
        """Remove what purged calls have left and somebody has decided on, if it is too old. Raises `sqlite3.Error`."""
        if self.max_age is None:
            return
        for name, key in database.execute(_LOOSE).fetchall():
            rows = keyed_rows(database, name, key)
            if not is_unknown(rows):
                old = "DELETE FROM entries WHERE family = 0 AND name = ? AND key = ? AND time < ?"
                database.execute(old, (name, key, self._now() - self.max_age))

    def _now(self) -> float:
        """Unix seconds."""
        return time.monotonic() + self._offset


def size_of(database: sqlite3.Connection) -> int:
    """Bytes of the file that are in use."""
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (free,) = database.execute("PRAGMA freelist_count").fetchone()
    (size,) = database.execute("PRAGMA page_size").fetchone()
    return int((pages - free) * size)


def give_back(database: sqlite3.Connection) -> None:
    """Shorten the file by the pages that are free, as soon as its log is carried over."""
    database.executescript("PRAGMA incremental_vacuum")  # it goes on page by page, which `execute` ends after the first
    database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def _time(database: sqlite3.Connection, seq: int) -> float:
    return float(database.execute("SELECT time FROM entries WHERE seq = ?", (seq,)).fetchone()[0])


def _bytes(database: sqlite3.Connection, family: int) -> int:
    """About how much of the file a family takes."""
    rows = "SELECT sum(length(CAST(body AS BLOB)) + ?) FROM entries WHERE family = ?"
    return int(database.execute(rows, (_COLUMNS_BYTES, family)).fetchone()[0])
