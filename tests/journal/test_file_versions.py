"""Files that another version wrote: older ones become today's, newer ones are refused and left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from zlib import crc32

import pytest
import trio
from file_parts import read
from journal_contract import call

from trio_tools.journal import JournalError
from trio_tools.journal._file import open_file
from trio_tools.journal._schema import VERSION

# What made a file of version 1, as it was then.
FIRST = """
PRAGMA page_size = 4096;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY, family INTEGER NOT NULL, time REAL NOT NULL, kind TEXT NOT NULL,
  turn TEXT, position INTEGER, call_id TEXT, tool TEXT, session TEXT, owner TEXT, parent TEXT, root TEXT,
  at REAL, name TEXT, key TEXT, state TEXT, body TEXT, crc INTEGER NOT NULL
);
CREATE INDEX by_family ON entries (family, session);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
INSERT INTO about VALUES ('program', 'trio-tools 0.6'), ('version', '1');
PRAGMA application_id = 1416778826;
PRAGMA user_version = 1;
COMMIT;
"""
_REF = ("t", 0, "id-t/0", "send", "s", "ada", None, "t/0")
# The entries of one call, as version 1 wrote them: the columns from time to body.
ENTRIES = (
    (1000.0, "accepted", *_REF, 1.0, None, None, None, '{"arguments":"{\\"to\\": \\"ada\\"}","metadata":null}'),
    (1001.0, "decided", *_REF, 3.0, None, None, None, '{"allowed":true,"reason":null}'),
    (1002.0, "effectbegun", *_REF, 7.0, "mail", "k", None, "{}"),
)


def make_first(path: Path) -> None:
    database = sqlite3.connect(path)
    database.executescript(FIRST)
    for seq, values in enumerate(ENTRIES, 1):
        content = "|".join(map(str, (seq, 1, *values)))
        row = (seq, 1, *values, crc32(content.encode()))
        database.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(row))})", row)
    database.commit()
    database.close()


def version_in(path: Path) -> tuple[int, set[str]]:
    """What the file says of itself, and what is in it."""
    database = sqlite3.connect(path)
    (version,) = database.execute("PRAGMA user_version").fetchone()
    names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")}
    database.close()
    return version, names


async def test_a_file_of_version_1_becomes_one_of_today_with_all_that_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    make_first(path)
    one = call("t/0")
    first = await read(path)
    for entries, damage in (first, await read(path)):
        assert [entry.event for entry in entries.values()] == [one.accepted(), one.decided(), one.begun(key="k")]
        assert [entry.time for entry in entries.values()] == [1_000, 1_001, 1_002]
        assert damage == []
    async with open_file(path, max_age=None, max_bytes=None) as store:
        assert await store.unknown() == await store.keyed("mail", "k") == [first[0][3]]
        assert store.add(1.0, one.settled()) == 4
    assert version_in(path) == (VERSION, {"entries", "by_family", "by_key", "about", "set_aside"})


async def test_a_file_of_version_1_is_read_without_being_changed(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    make_first(path)
    before = path.read_bytes()
    async with open_file(path, max_age=None, max_bytes=None, read_only=True) as store:
        assert len(await store.session("s")) == len(ENTRIES)
        assert len(await store.unknown()) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_file_is_refused_by_who_wrote_it_and_left_alone(read_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    make_first(path)
    database = sqlite3.connect(path)
    database.execute(f"UPDATE about SET value = '{VERSION + 1}' WHERE name = 'version'")
    database.execute("UPDATE about SET value = 'trio-tools 9.9' WHERE name = 'program'")
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.commit()
    database.close()
    before = path.read_bytes()

    async def opened() -> None:
        async with open_file(path, max_age=None, max_bytes=None, read_only=read_only):
            pass

    with pytest.raises(JournalError, match=rf"of version {VERSION + 1}, which trio-tools 9\.9 wrote.*use a newer one"):
        trio.run(opened)
    assert path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "newer",
    [f"PRAGMA user_version = {VERSION + 1}", f"UPDATE about SET value = '{VERSION + 1}' WHERE name = 'version'"],
)
def test_a_file_that_says_so_in_one_place_only_is_refused_too_and_left_alone(
    newer: str, read_only: bool, tmp_path: Path
) -> None:
    """Written anew as an older one it would be, if it were taken for damaged; and what is newer in it lost."""
    path = tmp_path / "calls.journal"
    make_first(path)
    database = sqlite3.connect(path)
    database.execute(newer)
    database.commit()
    database.close()
    before = path.read_bytes()

    async def opened() -> None:
        async with open_file(path, max_age=None, max_bytes=None, read_only=read_only):
            pass

    with pytest.raises(JournalError, match=rf"of version {VERSION + 1} .*differ.*use a newer one, or"):
        trio.run(opened)
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.damaged*")) == []
