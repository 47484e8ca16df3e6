"""The tables of a journal's file, and how older ones become them.

Entries stand by themselves: each row says all that its event does, and has a checksum of its own, so that a row which
is found anywhere in a damaged file can be told from what is none. Everything else can be made again from them.
"""

from __future__ import annotations

import sqlite3
from functools import cache

from trio_tools.journal._connect import transaction

# Marks a file as a journal of ours: "TrTJ" as the 32-bit number that SQLite keeps in its header.
APPLICATION_ID = 0x5472544A

COLUMNS = (
    "seq",
    "family",
    "time",
    "kind",
    "turn",
    "position",
    "call_id",
    "tool",
    "session",
    "owner",
    "parent",
    "root",
    "at",
    "name",
    "key",
    "state",
    "body",
    "crc",
)
PLACES = f"({', '.join('?' * len(COLUMNS))})"
INSERT = f"INSERT INTO entries VALUES {PLACES}"
INSERT_ANEW = f"INSERT OR REPLACE INTO entries VALUES {PLACES}"

_FIRST = (
    # family: the seq of the first entry of the outermost turn, of its own entries and of those that its calls
    # made; 0: of no turn (any more)
    """CREATE TABLE entries (
  seq INTEGER PRIMARY KEY, family INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL,
  turn TEXT, position INTEGER, call_id TEXT, tool TEXT, session TEXT, owner TEXT, parent TEXT, root TEXT,
  at REAL, name TEXT, key TEXT, state TEXT, body TEXT, crc INTEGER NOT NULL
)""",
    # families grow, so this is written at its end. Sessions are found by reading it through: an index of their own
    # would be written at random places by every entry
    "CREATE INDEX by_family ON entries (family, session)",
    # what a reader of any later version, or an older one, may rely on
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
)
_SECOND = (
    # keyed effects are few among many entries: their index costs the others nothing
    "CREATE INDEX by_key ON entries (name, key) WHERE key IS NOT NULL",
    # entries that cannot be read any more, as they were found
    "CREATE TABLE set_aside (place TEXT NOT NULL, problem TEXT NOT NULL, session TEXT, content BLOB)",
)
# What is done to a file of each version to make it one of the next. The written form of events is part of a version:
# a change of FORMAT_VERSION needs a step here.
STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _SECOND)
# The version from which on there is a table of what was set aside.
SET_ASIDE_SINCE = 2
# Counts the steps: the version that this code writes.
VERSION = len(STEPS)


def version_of(database: sqlite3.Connection) -> int:
    """Which version of the tables a file has; 0: none yet."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def program_of(database: sqlite3.Connection) -> tuple[str, str | None]:
    """Which program made the tables of a file, and of which version it says that they are."""
    try:
        said = dict(database.execute("SELECT name, value FROM about").fetchall())
    except sqlite3.OperationalError:  # there is no such table
        said = {}
    return str(said.get("program", "another trio-tools")), said.get("version")


@cache
def _this_program() -> str:
    """What a file is told of who makes its tables. Looked up once, and not to open a file that has them: it reads the
    whole description of the package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"trio-tools {version('trio-tools')}"
    except PackageNotFoundError:
        return "trio-tools"


def bring_up(database: sqlite3.Connection) -> None:
    """Make the tables of today's version out of none or of an older one, in one transaction.

    Raises `sqlite3.Error` if that cannot be written; nothing has changed then.
    """
    before = version_of(database)
    if before == VERSION:
        return
    with transaction(database):
        for step in STEPS[before:]:
            for statement in step:
                database.execute(statement)
        for name, value in (("program", _this_program()), ("version", str(VERSION))):
            database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION}")
