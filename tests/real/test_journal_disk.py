"""Disks that fail, and other processes: new calls are refused, and no result is lost (issue 6)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from trio_tools import CallAccepted, Session
from trio_tools.journal import JournalError, open_journal
from trio_tools.journal._file import open_file
from trio_tools.values import CallRef

CHILD = [sys.executable, str(Path(__file__).with_name("journal_child.py"))]
# The child is to try what these tests are beside.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
# Seconds that any of these processes may take.
BOUND = 60.0
ACCEPTED = CallAccepted(
    ref=CallRef(turn="t", position=0, call_id=None, tool="send", root="t/0"), at=1.0, arguments="{}", metadata=None
)


def run(what: str, path: Path) -> list[Any]:
    """What the child said."""
    done = subprocess.run(
        [*CHILD, what, str(path)], capture_output=True, timeout=BOUND, check=False, env=ENVIRONMENT, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def held(path: Path) -> Generator[subprocess.Popen[str]]:
    """A process that has written one call, and keeps the journal open."""
    command = [*CHILD, "hold", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True) as child:
        try:
            assert child.stdout is not None
            assert json.loads(child.stdout.readline())["code"] is None
            yield child
        finally:
            child.kill()


@pytest.mark.parametrize(
    ("failure", "problem"),
    [("full", "the file may not grow any more"), ("locked", "another program has locked the file")],
)
def test_a_disk_that_fails_refuses_new_calls_and_takes_no_result(failure: str, problem: str, tmp_path: Path) -> None:
    """RLIMIT_FSIZE, and a lock that another holds for longer than is waited: also when there is room again, nothing
    is written behind what is missing until the journal is opened anew. What was acknowledged is there."""
    refused, after, holding, acknowledged, books = run(failure, tmp_path / "calls.journal")
    assert (refused["code"], after["code"]) == ("RECORD_FAILED", "RECORD_FAILED")
    assert problem in refused["text"]
    assert (refused["dispatched"], after["dispatched"]) == (False, False)
    assert (holding["id"], holding["code"], holding["text"]) == ("held", None, "held")
    there = {"before", *map(str, range(acknowledged["acknowledged"]))}
    assert {one for one, code in books["calls"].items() if code is None} == there
    assert books["calls"]["held"] == "ABORTED", "it ran, and that it ended was not written"
    assert books["damage"] == 0


def test_one_process_at_a_time_writes_and_any_may_read(tmp_path: Path) -> None:
    """L016: the refusal names who it is; one that was killed holds nothing."""
    path = tmp_path / "calls.journal"

    async def read(read_only: bool) -> list[str | None]:
        async with open_journal(path, read_only=read_only) as books:
            return [one.ref.call_id for one in await books.calls(Session("s"))]

    with held(path) as child:
        with pytest.raises(JournalError, match=f"being written by process {child.pid}; one process at a time"):
            trio.run(read, False)
        assert trio.run(read, True) == ["1"]
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert trio.run(read, False) == ["1"]


def test_a_folder_that_may_not_be_written_is_named_and_can_still_be_read() -> None:
    """Also as root, who may write everything: the child becomes somebody else. Not in `tmp_path`, which others may not
    even enter."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "calls.journal"
    try:
        with held(path):
            pass
        recover(path)
        path.chmod(0o444)
        Path(f"{path}.lock").unlink()
        folder.chmod(0o555)
        refused, books = run("look", path)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert refused == {"refused": f"journal {path} cannot be locked: {path}.lock: {os.strerror(13)}"}
    assert books == {"calls": ["1"]}


def recover(path: Path) -> None:
    async def opened() -> None:
        async with open_journal(path):
            pass

    trio.run(opened)


def _taken_away(path: Path) -> None:
    """Have every later write fail."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE entries")


async def test_what_is_lost_and_nobody_waited_for_is_told_on_leaving(tmp_path: Path) -> None:
    path = tmp_path / "calls.journal"

    async def leave() -> None:
        async with open_file(path, max_age=None, max_bytes=None) as store:
            _taken_away(path)
            store.add(1_000.0, ACCEPTED)

    with pytest.raises(JournalError, match=r"calls\.journal cannot be written"):
        await leave()


async def test_what_somebody_has_heard_of_is_not_told_again(tmp_path: Path) -> None:
    """Or the end of the journal would take the results of the block with it."""
    path = tmp_path / "calls.journal"
    async with open_file(path, max_age=None, max_bytes=None) as store:
        _taken_away(path)
        with pytest.raises(JournalError, match=r"calls\.journal cannot be written"):
            await store.written(store.add(1_000.0, ACCEPTED))
