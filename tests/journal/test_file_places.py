"""What may stand where a journal is to be, who may read it, and what is left alone."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import trio
from journal_contract import call, in_file, keep

from trio_tools.journal import JournalError
from trio_tools.journal._file import open_file
from trio_tools.journal._rows import columns_of
from trio_tools.journal._schema import INSERT, bring_up


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


def _half_made(path: Path, doing: str, *, head: bytes = b"") -> None:
    """A journal with one call, of which a process was killed as it wrote on without the log ahead, as it does while it
    makes the file or builds it anew: what it had begun is in the file, and what that was before is beside it."""
    entry = columns_of(1_000.0, call("t/0").accepted(), None).as_entry(1, 1)
    written = path.with_name("written")
    with closing(sqlite3.connect(written, isolation_level=None)) as database:
        bring_up(database)
        database.execute(INSERT, entry)
        database.execute("PRAGMA cache_size = 1")  # so that it is written before it is committed
        database.execute("BEGIN")
        database.execute(doing)
        database.execute("CREATE TABLE more (content)")
        database.execute("INSERT INTO more VALUES (zeroblob(100000))")
        shutil.copyfile(f"{written}-journal", f"{path}-journal")
        path.write_bytes(head + written.read_bytes()[len(head) :])
    written.unlink()


async def test_what_a_process_was_killed_in_before_there_was_a_log_is_taken_back(tmp_path: Path) -> None:
    """B31: the file is what it was before that, and opens."""
    path = tmp_path / "calls.journal"
    _half_made(path, "DELETE FROM entries")
    with pytest.raises(JournalError, match="a process was killed while it made the file: open it once to be written"):
        await opened(path, read_only=True)
    async with open_file(path, max_age=None, max_bytes=None) as store:
        assert len(await store.unsettled()) == 1
        assert list(store.damage) == []
    assert await opened(path, read_only=True) == 1


async def test_what_was_begun_in_a_damaged_file_is_not_taken_back_in_the_one_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"
    _half_made(path, "DROP TABLE about", head=b"damaged")
    for _ in range(2):
        async with open_file(path, max_age=None, max_bytes=None) as store:
            assert len(await store.unsettled()) == 1
            assert len(store.damage) == 1
    assert path.with_name("calls.journal.damaged-1-journal").exists()


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


@pytest.mark.parametrize("umask", [0, 0o777])
async def test_all_its_files_are_for_its_owner_only_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
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
