"""What may stand where a journal is to be, who may read it, and what is left alone."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from journal_contract import call, in_file, keep

from trio_tools.journal import JournalError
from trio_tools.journal._file import open_file


async def opened(path: Path, *, read_only: bool = False) -> int:
    """How many sessions are there."""
    async with open_file(path, max_age=None, max_bytes=None, read_only=read_only) as store:
        return len(await store.sessions())


def _foreign(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE mails (id)")
    database.close()


def _link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.touch()
    path.symlink_to(target)


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder": (Path.mkdir, "it is a folder, not a plain file"),
    "a pipe": (os.mkfifo, "it is a pipe, not a plain file"),
    "a link": (_link, "it is a symbolic link, not a plain file"),
    "a text": (lambda path: path.write_text("dear diary\n" * 999), "is not a journal, or nothing can be read of it"),
    "another database": (_foreign, "is a database of another program, not a journal; name another file"),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_journal_is_refused_and_left_alone(kind: str, read_only: bool, tmp_path: Path) -> None:
    make, problem = WRONG[kind]
    path = tmp_path / "calls.journal"
    make(path)
    before = _state(tmp_path)
    with pytest.raises(JournalError, match=f"{re.escape(str(path))}.*{problem}"):
        trio.run(lambda: opened(path, read_only=read_only))
    assert _state(tmp_path) == before


def _state(folder: Path) -> dict[str, object]:
    return {
        one.name: one.read_bytes() if stat.S_ISREG(one.lstat().st_mode) else one.lstat().st_mode
        for one in folder.iterdir()
        if one.suffix != ".lock"
    }


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=f"there is no folder {re.escape(str(tmp_path / 'no'))}; make it first"):
        trio.run(opened, tmp_path / "no" / "calls.journal")


def test_a_journal_that_is_only_to_be_read_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is no journal"):
        trio.run(lambda: opened(tmp_path / "calls.journal", read_only=True))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read_only", [False, True])
def test_an_empty_file_is_a_journal_that_nothing_was_written_to(read_only: bool, tmp_path: Path) -> None:
    """What a process leaves that is killed as it makes one."""
    path = tmp_path / "calls.journal"
    path.touch()
    assert trio.run(lambda: opened(path, read_only=read_only)) == 0


def test_what_a_process_leaves_that_is_killed_as_it_makes_the_tables_is_a_journal_too(tmp_path: Path) -> None:
    """SQLite writes the first page with a journal of its own beside it, before there is a log."""
    path, beside = tmp_path / "calls.journal", tmp_path / "calls.journal-journal"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = 1")
    database.execute("BEGIN")
    database.execute("CREATE TABLE entries (body)")
    database.execute("INSERT INTO entries VALUES (?)", ("x" * 100_000,))  # more than it holds back: it is in the file
    left = path.read_bytes(), beside.read_bytes()
    database.close()
    path.write_bytes(left[0])
    beside.write_bytes(left[1])
    assert len(left[0]) > 0
    assert trio.run(opened, path) == 0


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_what_stands_beside_a_journal_is_looked_at_as_well(end: str, read_only: bool, tmp_path: Path) -> None:
    """SQLite would wait for ever for whoever is at the other end of a pipe."""
    path = tmp_path / "calls.journal"
    trio.run(opened, path)
    os.mkfifo(f"{path}{end}")
    with pytest.raises(JournalError, match=f"calls.journal{end} is a pipe, not a plain file"):
        trio.run(lambda: opened(path, read_only=read_only))


def _modes(folder: Path) -> dict[str, int]:
    return {one.name: stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}


async def test_all_its_files_are_for_its_owner_only_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with in_file(tmp_path)() as store:
            await keep(store, call("t/0").accepted())
            modes = _modes(tmp_path)
    finally:
        os.umask(before)
    ends = ("", "-shm", "-wal", ".lock")
    assert modes == {f"calls.journal{end}": 0o600 for end in ends}


async def test_a_second_store_of_the_same_process_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    async with in_file(tmp_path)() as store:
        await keep(store, call("t/0").accepted())
        with pytest.raises(JournalError, match="is being written by this process already"):
            await opened(path)
        assert await opened(path, read_only=True) == 1
        await keep(store, call("t/0").settled())
    assert await opened(path) == 1


async def test_a_store_to_read_only_adds_and_removes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    await opened(path)
    async with open_file(path, max_age=None, max_bytes=None, read_only=True) as store:
        with pytest.raises(JournalError, match="to be read only"):
            store.add(1.0, call("t/0").accepted())
        with pytest.raises(JournalError, match="to be read only"):
            await store.purge("s")
