"""What is done to a journal's files behind its back: other names, other files in their place, locks that are no locks,
children that inherit, and a disk that gives no answer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from journal_contract import call, keep
from trio.testing import MockClock

from trio_tools.journal import JournalError
from trio_tools.journal._disk import Disk
from trio_tools.journal._file import FileStore, open_file
from trio_tools.journal._lock import Lock

NAME = "calls.journal"


def _replaced(path: Path) -> None:
    shutil.copyfile(path, f"{path}.copy")
    os.replace(f"{path}.copy", path)


TAKEN: dict[str, Callable[[Path], object]] = {
    "removed": Path.unlink,
    "moved": lambda path: path.rename(f"{path}.old"),
    "replaced": _replaced,
}


@pytest.mark.parametrize("end", ["", "-wal"])
@pytest.mark.parametrize("how", TAKEN)
async def test_nothing_counts_as_written_that_is_not_found_again(how: str, end: str, tmp_path: Path) -> None:
    """SQLite would go on without a word in a file that has no name any more."""
    path = tmp_path / NAME
    async with open_file(path, max_age=None, max_bytes=None) as store:
        await keep(store, call("t/0").accepted())
        TAKEN[how](Path(f"{path}{end}"))
        with pytest.raises(JournalError, match="was removed, moved or replaced while it was open"):
            await keep(store, call("t/0").settled())
        with pytest.raises(JournalError, match="was removed, moved or replaced while it was open"):
            store.add(1.0, call("u/0").accepted())


async def test_a_journal_of_two_names_is_not_written(tmp_path: Path) -> None:
    """By each name it would have a log and a lock of its own."""
    path = tmp_path / NAME
    async with open_file(path, max_age=None, max_bytes=None) as store:
        await keep(store, call("t/0").accepted())
    (tmp_path / "other").hardlink_to(path)
    for name in (path, tmp_path / "other"):
        with pytest.raises(JournalError, match="the file has 2 names"):
            async with open_file(name, max_age=None, max_bytes=None):
                raise AssertionError("it is open")
    (tmp_path / "other").unlink()
    async with open_file(path, max_age=None, max_bytes=None) as store:
        assert len(await store.session("s")) == 1


def _file_of_others(path: Path) -> None:
    path.with_name("diary").write_text("dear diary")
    path.hardlink_to(path.with_name("diary"))


@pytest.mark.parametrize("make", [os.mkfifo, _file_of_others])
def test_what_is_no_lock_is_neither_taken_for_one_nor_written_to(
    make: Callable[[Path], object], tmp_path: Path
) -> None:
    make(tmp_path / f"{NAME}.lock")
    with pytest.raises(JournalError, match="is not a plain file of its own"):
        Lock(str(tmp_path / NAME))
    assert [one.read_text() for one in tmp_path.glob("diary")] in ([], ["dear diary"])


# Opens a journal, forks a child that lives until its standard input is closed, and ends without leaving the journal.
FORKING = f"""
import os, sys, trio
from trio_tools.journal._file import open_file

async def main():
    async with open_file({NAME!r}, max_age=None, max_bytes=None):
        if os.fork():
            os._exit(0)
        print("forked", flush=True)
        sys.stdin.read()
        os._exit(0)

trio.run(main)
"""


def test_a_forked_child_that_outlives_its_parent_does_not_keep_the_lock(tmp_path: Path) -> None:
    pipe, env = subprocess.PIPE, {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", FORKING], stdin=pipe, stdout=pipe, env=env, cwd=tmp_path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"forked\n"
        child.wait()
        Lock(str(tmp_path / NAME)).release()


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_journal_stays_where_it_is_when_the_program_goes_elsewhere(
    read_only: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_file(NAME, max_age=None, max_bytes=None) as store:
        await keep(store, call("t/0").accepted(), call("t/0").settled())
    (tmp_path / "elsewhere").mkdir()
    async with open_file(NAME, max_age=None, max_bytes=None, read_only=read_only) as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert len(await store.session("s")) == 2
        if not read_only:
            await keep(store, call("u/0").accepted())


# Takes SQLite about half a minute.
LONG = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c LIMIT 300000000) SELECT count(*) FROM c"


async def test_a_question_that_nobody_waits_for_any_more_does_not_keep_the_file(tmp_path: Path) -> None:
    asked = threading.Event()

    def long(database: sqlite3.Connection) -> None:
        asked.set()
        database.execute(LONG).fetchall()

    for _ in range(2):
        async with open_file(tmp_path / NAME, max_age=None, max_bytes=None) as store, trio.open_nursery() as nursery:
            assert isinstance(store, FileStore)
            nursery.start_soon(store._asking._reader.ask, long)
            await trio.to_thread.run_sync(asked.wait)
            nursery.cancel_scope.cancel()


async def test_a_key_is_looked_up_while_a_long_question_is_asked(tmp_path: Path) -> None:
    """An effect waits for that, within the time that a recorder has."""
    asked = threading.Event()

    def long(database: sqlite3.Connection) -> None:
        asked.set()
        database.execute(LONG).fetchall()

    async with open_file(tmp_path / NAME, max_age=None, max_bytes=None) as store, trio.open_nursery() as nursery:
        assert isinstance(store, FileStore)
        nursery.start_soon(store._asking._reader.ask, long)
        await trio.to_thread.run_sync(asked.wait)
        await keep(store, call("t/0").begun(key="k"))
        assert len(await store.keyed("mail", "k")) == 1
        nursery.cancel_scope.cancel()


async def leave_while(hangs: threading.Event, path: Path) -> None:
    """Leave a journal once its disk hangs."""
    async with open_file(path, max_age=None, max_bytes=None) as store:
        store.add(1.0, call("t/0").accepted())
        await trio.to_thread.run_sync(hangs.wait)


async def test_a_disk_that_gives_no_answer_is_told_and_the_file_given_back_when_it_does(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, answers, closed = threading.Event(), threading.Event(), threading.Event()

    class Hanging(Disk):
        def write(self, rows: Sequence[Any]) -> None:
            with self._busy:
                hangs.set()
                answers.wait()

        def close(self) -> None:
            super().close()
            closed.set()

    path = tmp_path / NAME
    with monkeypatch.context() as patch:
        patch.setattr("trio_tools.journal._file.Disk", Hanging)
        with pytest.raises(JournalError, match="gave no answer for 5 s: what was told last may be lost"):
            await leave_while(hangs, path)
    with pytest.raises(JournalError, match="is being written by this process already"):
        async with open_file(path, max_age=None, max_bytes=None):
            raise AssertionError("it is open")
    answers.set()
    await trio.to_thread.run_sync(closed.wait)
    async with open_file(path, max_age=None, max_bytes=None) as store:
        assert await store.session("s") == []
