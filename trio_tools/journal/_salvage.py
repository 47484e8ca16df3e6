"""What is done about a damaged file: it is kept, and all that can be read of it is written anew.

The new file is whole before the old one is moved aside, and takes its place at once: wherever this ends, the next
opening goes on from there.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from trio_tools.journal._check import keep_aside, keep_entry_aside
from trio_tools.journal._connect import PAGE_BYTES, complaint, connect, transaction, uri_of
from trio_tools.journal._errors import JournalError
from trio_tools.journal._pages import Pages, rows_in
from trio_tools.journal._place import make
from trio_tools.journal._records import Damage
from trio_tools.journal._rows import Row, is_whole
from trio_tools.journal._schema import INSERT_ANEW, bring_up
from trio_tools.journal._wal import frames_in

# Gaps that are told one by one. A file that has lost more than this has lost it in one go, or for good reasons.
_GAPS_TOLD = 20
_GAPS = """
SELECT seq + 1, next - 1 FROM (SELECT seq, lead(seq) OVER (ORDER BY seq) AS next FROM entries) WHERE next > seq + 1
"""


def salvage(path: str, problem: str) -> None:
    """Write anew what can be read of a damaged file, and keep the file beside it.

    Raises `JournalError` if nothing can be read, with the file as it was, and if the new one cannot be written.
    """
    building = f"{path}.rebuilding"
    _remove(building)
    make(building)
    try:
        read = _rebuild(path, building, f"{problem}; it is kept as {free_name(path)}")
    except sqlite3.Error as error:
        _remove(building)
        raise complaint(path, "rebuilt", error) from error
    if not read:
        _remove(building)
        raise nothing_in(path, problem)
    os.replace(building, f"{path}.rebuilt")
    take_place(path)


def nothing_in(path: str, problem: str) -> JournalError:
    """What is said of a file of which nothing can be read."""
    return JournalError(
        f"{path} is not a journal, or nothing can be read of it ({problem}); move it away, and a new one is begun"
    )


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def take_place(path: str) -> None:
    """Let the file that has been written anew take the place of the damaged one, if there is one."""
    built = f"{path}.rebuilt"
    if not os.path.lexists(built):
        return
    if os.path.lexists(path):
        kept = free_name(path)
        make(kept)  # which nobody else can have now
        for old, new in zip(_with_logs(path), _with_logs(kept), strict=True):
            if os.path.lexists(old):
                os.replace(old, new)
                os.chmod(new, 0o600)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")
    os.replace(built, path)
    _settle(os.path.dirname(path) or ".")


def free_name(path: str) -> str:
    """A name beside a file for it to be kept by, that nothing has yet."""
    number = 1
    while any(os.path.lexists(one) for one in _with_logs(f"{path}.damaged-{number}")):
        number += 1
    return f"{path}.damaged-{number}"


def _with_logs(path: str) -> tuple[str, ...]:
    # the logs first: they are of no use without their file, but the file is without them; and what was to be taken back
    # of a file that is damaged besides must not be taken for that of the one in its place
    return f"{path}-wal", f"{path}-journal", path


def _settle(folder: str) -> None:
    """Have the names in a folder survive that the power fails."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rebuild(path: str, building: str, told: str) -> int:
    """Write what can be read into an empty file, and return how many entries that is."""
    database = connect(uri_of(building, mode="mode=rw"))
    try:
        for pragma in (f"page_size = {PAGE_BYTES}", "auto_vacuum = INCREMENTAL", "synchronous = FULL"):
            database.execute(f"PRAGMA {pragma}")
        return salvage_into(database, path, told)
    finally:
        database.close()


def salvage_into(database: sqlite3.Connection, path: str, told: str) -> int:
    """Write what can be read of a damaged file into an empty database, with what is to be told of it, and return how
    many entries that is. Raises `sqlite3.Error` if it cannot be written."""
    pages = Pages(path)
    try:
        bring_up(database)
        with transaction(database):
            broken: dict[int, tuple[Row, bytes]] = {}
            for row, content in _found(path, pages):
                if is_whole(row):
                    database.execute(INSERT_ANEW, row)
                else:
                    broken[int(row[0] or 0)] = row, content
            (read,) = database.execute("SELECT count(*) FROM entries").fetchone()
            problem = f"{told}; {read} entries were read of it{_gaps(database)}"
            keep_aside(database, Damage(place=f"the file {path}", problem=problem))
            for row, content in broken.values():
                _keep_broken(database, row, content)
        return int(read)
    finally:
        pages.close()


def _found(path: str, pages: Pages) -> Iterator[tuple[Row, bytes]]:
    """Everything in a file and its log that is, or was, an entry; what was written later comes later."""
    for number in range(1, pages.count + 1):
        yield from rows_in(pages.in_file(number), pages)
    for frame in frames_in(f"{path}-wal"):
        pages.later(frame.number, frame.content)
        yield from rows_in(frame.content, pages)


def _keep_broken(database: sqlite3.Connection, row: Row, content: bytes) -> None:
    if database.execute("SELECT 1 FROM entries WHERE seq = ?", row[:1]).fetchone() is None:
        keep_entry_aside(database, row, content)


def _gaps(database: sqlite3.Connection) -> str:
    gaps = database.execute(_GAPS).fetchall()
    missing = [f"{first} to {last}" if last > first else f"{first}" for first, last in gaps[:_GAPS_TOLD]]
    if len(gaps) > _GAPS_TOLD:
        missing.append(f"and in {len(gaps) - _GAPS_TOLD} more places")
    return f"; not among them: {', '.join(missing)} (damaged, or removed before)" if missing else ""


def torn_log(path: str, read: int, last: int) -> tuple[list[Row], list[tuple[Row, bytes]]]:
    """Entries behind `last` which were written to the log, and which SQLite does not see, since it has read only so
    many frames of it: those that are whole, and those that are not."""
    pages = Pages(path)
    whole: dict[int, Row] = {}
    broken: dict[int, tuple[Row, bytes]] = {}
    try:
        for frame in frames_in(f"{path}-wal"):
            pages.later(frame.number, frame.content)
        for frame in frames_in(f"{path}-wal", behind=read):
            for row, content in rows_in(frame.content, pages, behind=last):
                seq = int(row[0] or 0)
                if is_whole(row):
                    whole[seq] = row
                else:
                    broken[seq] = row, content
    finally:
        pages.close()
    return [whole[seq] for seq in sorted(whole)], [found for seq, found in broken.items() if seq not in whole]
