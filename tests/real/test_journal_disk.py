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
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from trio_tools import CallAccepted, Session
from trio_tools.journal import JournalError, open_journal
from trio_tools.journal._file import open_file
from trio_tools.values import CallRef

CHILD = [sys.executable, str(Path(__file__).with_name("journal_child.py"))]
# The child is to try what these tests are beside.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
ACCEPTED = CallAccepted(
    ref=CallRef(turn="t", position=0, call_id=None, tool="send", root="t/0"), at=1.0, arguments="{}", metadata=None
)


@attrs.frozen
class Children:
    """A process that makes those of these tests, one at a time."""

    process: subprocess.Popen[str]

    def start(self, what: str, path: Path) -> int:
        """Make one, and return its process id."""
        assert self.process.stdin is not None
        print(json.dumps({"what": what, "path": str(path)}), file=self.process.stdin, flush=True)
        return int(self.hear()["pid"])

    def hear(self) -> dict[str, Any]:
        """The next that is said."""
        assert self.process.stdout is not None
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        return said

    def run(self, what: str, path: Path) -> list[Any]:
        """What one said until it ended."""
        self.start(what, path)
        said: list[Any] = []
        while "ended" not in (heard := self.hear()):
            said.append(heard)
        assert heard == {"ended": 0}
        return said

    @contextmanager
    def held(self, path: Path) -> Generator[int]:
        """One that has written one call, and keeps the journal open until it is killed with the block: its id."""
        child = self.start("hold", path)
        try:
            assert self.hear()["code"] is None
            yield child
        finally:
            os.kill(child, signal.SIGKILL)
            assert self.hear() == {"ended": -signal.SIGKILL}


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    command = subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True)
    with command as process:
        yield Children(process)


@pytest.mark.parametrize(
    ("failure", "problem"),
    [("full", "the file may not grow any more"), ("locked", "another program has locked the file")],
)
def test_a_disk_that_fails_refuses_new_calls_and_takes_no_result(
    failure: str, problem: str, children: Children, tmp_path: Path
) -> None:
    """RLIMIT_FSIZE, and a lock that another holds for longer than is waited: also when there is room again, nothing
    is written behind what is missing until the journal is opened anew. What was acknowledged is there."""
    refused, after, holding, acknowledged, books = children.run(failure, tmp_path / "calls.journal")
    assert (refused["code"], after["code"]) == ("RECORD_FAILED", "RECORD_FAILED")
    assert problem in refused["text"]
    assert (refused["dispatched"], after["dispatched"]) == (False, False)
    assert (holding["id"], holding["code"], holding["text"]) == ("held", None, "held")
    there = {"before", *map(str, range(acknowledged["acknowledged"]))}
    assert {one for one, code in books["calls"].items() if code is None} == there
    assert books["calls"]["held"] == "ABORTED", "it ran, and that it ended was not written"
    assert books["damage"] == 0


def test_one_process_at_a_time_writes_and_any_may_read(children: Children, tmp_path: Path) -> None:
    """L016: the refusal names who it is; one that was killed holds nothing."""
    path = tmp_path / "calls.journal"

    async def read(read_only: bool) -> list[str | None]:
        async with open_journal(path, read_only=read_only) as books:
            return [one.ref.call_id for one in await books.calls(Session("s"))]

    with children.held(path) as child:
        with pytest.raises(JournalError, match=f"being written by process {child}; one process at a time"):
            trio.run(read, False)
        assert trio.run(read, True) == ["1"]
    assert trio.run(read, False) == ["1"]


def test_a_folder_that_may_not_be_written_is_named_and_can_still_be_read(children: Children) -> None:
    """Also as root, who may write everything: the child becomes somebody else. Not in `tmp_path`, which others may not
    even enter."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "calls.journal"
    try:
        with children.held(path):
            pass
        recover(path)
        path.chmod(0o444)
        Path(f"{path}.lock").unlink()
        folder.chmod(0o555)
        refused, books = children.run("look", path)
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
