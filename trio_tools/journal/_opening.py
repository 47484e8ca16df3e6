"""A journal's file made ready to be written: locked, looked through, repaired if it must be, and of today's version."""

from __future__ import annotations

import shutil
import sqlite3

from trio_tools.journal._check import keep_aside, keep_entry_aside, set_aside_damaged, structural_damage
from trio_tools.journal._connect import Durability, complaint, connect_to_write, transaction
from trio_tools.journal._errors import JournalError
from trio_tools.journal._place import check_single, look, make
from trio_tools.journal._records import Damage
from trio_tools.journal._salvage import free_name, salvage, take_place, torn_log
from trio_tools.journal._schema import INSERT, bring_up, version_of


def opened(path: str, durability: Durability) -> sqlite3.Connection:
    """The connection that writes the file, which is locked already.

    Raises `JournalError` for what is no journal, is one of a newer version, or cannot be written.
    """
    try:
        take_place(path)
        if look(path) is None:
            make(path)
        check_single(path)
        problem = structural_damage(path)
        if problem is not None:
            salvage(path, problem)
        database = connect_to_write(path, durability)
        try:
            _make_ready(path, database)
        except BaseException:
            database.close()
            raise
    except sqlite3.Error as error:
        raise complaint(path, "opened", error) from error
    except OSError as error:
        raise JournalError(f"journal {path} cannot be opened: {error.filename}: {error.strerror}") from error
    return database


def _make_ready(path: str, database: sqlite3.Connection) -> None:
    """Take in what a damaged log still holds, before anything is written over it; then today's tables."""
    _, frames, _ = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    whole, broken = torn_log(path, max(0, frames), _last(database))
    kept = free_name(path)
    if whole or broken:
        make(f"{kept}-wal")
        shutil.copyfile(f"{path}-wal", f"{kept}-wal")
    bring_up(database)
    if whole or broken:
        told = f"it is torn or damaged; it is kept as {kept}-wal, and {len(whole)} entries were read of its end"
        with transaction(database):
            database.executemany(INSERT, whole)
            keep_aside(database, Damage(place=f"the log {path}-wal", problem=told))
            for row, content in broken:
                keep_entry_aside(database, row, content)
    set_aside_damaged(database)


def _last(database: sqlite3.Connection) -> int:
    if not version_of(database):
        return 0
    return int(database.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
