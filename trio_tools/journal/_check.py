"""Whether a journal's file is in order: its tables, its version, SQLite's own bookkeeping."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator

from trio_tools.journal._connect import (
    complaint,
    connect,
    found,
    is_damage,
    is_half_done,
    tolerant,
    transaction,
    uri_of,
)
from trio_tools.journal._errors import JournalError
from trio_tools.journal._records import Damage
from trio_tools.journal._rows import Row, is_whole
from trio_tools.journal._schema import APPLICATION_ID, COLUMNS, SET_ASIDE_SINCE, STEPS, VERSION, program_of, version_of

_MAGIC = b"SQLite format 3\0"
# Which bytes of the file say whether there is a log, and what they say: there is one; there is none yet.
_FORMATS = slice(18, 20)
_WAL_FORMATS, _PLAIN_FORMATS = b"\2\2", b"\1\1"
CHECKSUM_DIFFERS = "it is not what was written: its checksum differs"
# Rows that are looked at in one go. Enough that the going costs nothing, few enough that memory does not notice.
_ROWS_AT_ONCE = 1_000
_ROWS = f"SELECT {', '.join(COLUMNS)} FROM entries WHERE seq > ? ORDER BY seq LIMIT {_ROWS_AT_ONCE}"


def structural_damage(path: str) -> str | None:
    """What is wrong with the file as a database, or None. It is not written to, but that a process is cleaned up after
    which was killed while it wrote the file itself: when it was made, or built anew.

    Raises `JournalError` for what is a database of somebody else or of a newer version, and if it cannot be opened.
    """
    if os.path.getsize(path) == 0:
        written = f"{path}-wal"
        return "it is empty, and its log is not" if os.path.exists(written) and os.path.getsize(written) else None
    with open(path, "rb") as file:
        head = file.read(_FORMATS.stop)
    if not head.startswith(_MAGIC):
        return "it does not begin as a database does"
    if head[_FORMATS] != _WAL_FORMATS and (head[_FORMATS] != _PLAIN_FORMATS or os.path.exists(f"{path}-wal")):
        return "it does not say of which format it is"  # SQLite would take no notice of its log
    try:
        return _inside(path)
    except sqlite3.Error as error:
        if is_damage(error):
            return str(error)
        raise complaint(path, "opened", error) from error


def _inside(path: str) -> str | None:
    try:
        return _looked_at(path, "mode=ro")
    except sqlite3.Error as error:
        if not is_half_done(error):
            raise
    return _looked_at(path, "mode=rw")  # which takes it back, as for anybody who opens the file


def _looked_at(path: str, mode: str) -> str | None:
    database = connect(uri_of(path, mode=mode))
    try:
        return structural_problem(path, database)
    finally:
        database.close()


def structural_problem(path: str, database: sqlite3.Connection) -> str | None:
    """What is wrong with a database as a journal, or None. Raises as `structural_damage`, and `sqlite3.Error`."""
    tables = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    (marked,) = database.execute("PRAGMA application_id").fetchone()
    version = version_of(database)
    if not tables and not marked and not version:
        return None  # made, and nothing written yet
    if "entries" not in tables and marked != APPLICATION_ID:
        raise JournalError(f"{path} is a database of another program, not a journal; name another file")
    program, said = program_of(database)
    _refuse_newer(path, version, program, said)
    if marked != APPLICATION_ID or said != str(version):
        return "its marks as a journal are not what was written"
    if not set(tables.values()) >= {statement for step in STEPS[:version] for statement in step}:
        return "its tables are not those that were made"
    (problem,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    return None if problem == "ok" else str(problem)


def _refuse_newer(path: str, version: int, program: str, said: str | None) -> None:
    """Raise `JournalError` for a file that says it is newer, in either of the two places. If the other says otherwise,
    a bit may have flipped; but to write a newer file anew as an older one could not be made good."""
    told = int(said) if said is not None and said.isdecimal() else version
    if max(version, told) <= VERSION:
        return
    newer = f"journal {path} is of version {max(version, told)}"
    if told == version:
        newer = f"{newer}, which {program} wrote"
    else:
        newer = f"{newer} by its user_version ({version}) or its table about ({told}), which differ"
    problem = f"{newer}; this trio-tools reads up to version {VERSION}: use a newer one"
    if told != version:
        problem += ", or if there is none, the file is damaged: give both the lower number with sqlite3"
    raise JournalError(problem)


def damaged_rows(database: sqlite3.Connection) -> Iterator[Row]:
    """Every entry that is not as it was written. All are read."""
    last = -1
    while rows := found(database, _ROWS, (last,)):
        yield from (row for row in rows if not is_whole(row))
        last = int(rows[-1][0] or 0)


def set_aside_damaged(database: sqlite3.Connection) -> None:
    """Move every entry that is not as it was written out of the way of the others. Raises `sqlite3.Error`."""
    damaged = list(damaged_rows(database))
    if not damaged:
        return
    with transaction(database):
        for row in damaged:
            seq = row[:1]
            database.text_factory = bytes
            raw = database.execute("SELECT * FROM entries WHERE seq = ?", seq).fetchone()
            database.text_factory = tolerant
            keep_entry_aside(database, row, repr(raw).encode())
            database.execute("DELETE FROM entries WHERE seq = ?", seq)


def entry_damage(row: Row, problem: str = CHECKSUM_DIFFERS) -> Damage:
    """What is told of an entry that cannot be read."""
    return Damage(place=f"entry {row[0]}", problem=problem)


def keep_entry_aside(database: sqlite3.Connection, row: Row, content: bytes) -> None:
    """Write down that an entry is damaged, with the bytes that were found, and its session, to be purged by."""
    session = str(row[COLUMNS.index("session")]).encode(errors="replace").decode()
    keep_aside(database, entry_damage(row), session=session, content=content)


def keep_aside(
    database: sqlite3.Connection, damage: Damage, *, session: str | None = None, content: bytes = b""
) -> None:
    """Write down what is damaged: of one entry as `keep_entry_aside`, of a whole file without its bytes."""
    database.execute("INSERT INTO set_aside VALUES (?, ?, ?, ?)", (damage.place, damage.problem, session, content))


def damage_in(database: sqlite3.Connection) -> list[Damage]:
    """What was set aside, at this opening or before."""
    if version_of(database) < SET_ASIDE_SINCE:
        return []
    found = database.execute("SELECT place, problem FROM set_aside ORDER BY rowid").fetchall()
    return [Damage(place=place, problem=problem) for place, problem in found]
