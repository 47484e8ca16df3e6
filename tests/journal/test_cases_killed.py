"""Case B31: a process is killed by SIGKILL in the middle of a turn, and its session is opened again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import attrs
import pytest
import trio
from kept_tools import SESSION, kept, kinds, on_disk, read_again, run
from killed_child import Where, tools

from trio_tools import Cause, EffectState, ErrorCode, ToolCall
from trio_tools.journal import open_journal

BEFORE, RAN = ErrorCode.ABORTED_BEFORE_DISPATCH, ErrorCode.ABORTED
UNKNOWN, COMMITTED = EffectState.UNKNOWN, EffectState.COMMITTED
EFFECTS = {"body": [], "effect": [UNKNOWN], "behind its effect": [COMMITTED]}


@attrs.frozen
class Killer:
    """A process that makes those that are killed."""

    process: subprocess.Popen[str]

    def kill(self, folder: Path, where: Where, durability: str = "full") -> Path:
        """The journal of a process that was killed when A had returned, B was there, and C was queued."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(
            json.dumps({"folder": str(folder), "where": where, "durability": durability}),
            file=self.process.stdin,
            flush=True,
        )
        os.kill(int(self.process.stdout.readline()), signal.SIGKILL)
        assert self.process.stdout.readline() == f"ended by -{signal.SIGKILL:d}\n"
        return folder / "calls.journal"


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    root, file = Path(__file__).parents[2], Path(__file__).with_name("killed_child.py")
    with subprocess.Popen(
        [sys.executable, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as process:
        yield Killer(process)


def written(folder: Path) -> list[str]:
    return (folder / "lines").read_text().splitlines()


@pytest.mark.parametrize("durability", ["full", "normal"])
@pytest.mark.parametrize("where", EFFECTS)
async def test_case_b31_a_killed_turn_has_the_results_that_are_true(
    where: Where, durability: str, tmp_path: Path, killer: Killer
) -> None:
    """Case B31, L014, M023: A keeps its own, B is told to be cut off, C never started; nothing runs again, opening it
    twice adds nothing, and what is there can be sent."""
    path = killer.kill(tmp_path, where, durability)
    assert on_disk(path) == [("A", None)], "as it came, and not with the others"
    a, b, c = await read_again(path)
    assert on_disk(path) == [("A", None), ("B", RAN), ("C", BEFORE)]
    assert a.result is not None
    assert b.result is not None
    assert c.result is not None
    assert (a.result.value, a.cause) == ("A-done", None)
    assert (b.cause, b.result.dispatched, c.cause, c.result.dispatched) == (Cause.CRASH, True, Cause.CRASH, False)
    assert "The process that ran it ended" in b.result.text
    assert [one.state for one in b.result.effects] == EFFECTS[where]
    assert ("May have gone through, check before you repeat: append" in b.result.text) == (where == "effect")
    assert ('do not repeat: append (receipt "line 1")' in b.result.text) == (where == "behind its effect")
    assert (written(tmp_path), (tmp_path / "alone").exists()) == (["a line"], False)


@pytest.mark.parametrize(
    ("where", "code", "value"),
    [("effect", ErrorCode.EFFECT_UNKNOWN, None), ("behind its effect", None, "line 1")],
)
async def test_case_b31_the_session_goes_on_and_the_line_is_appended_once(
    where: Where, code: str | None, value: str | None, tmp_path: Path, killer: Killer
) -> None:
    """Case B31, M023: the model asks for it again, and gets its receipt, or is told that nobody knows."""
    path = killer.kill(tmp_path, where)
    async with kept(path, *tools(tmp_path, where, trio.lowlevel.checkpoint)) as registry:
        again = await run(registry, ToolCall("append", id="D"))
        alone = await run(registry, ToolCall("alone", id="E"))
    assert (again.code, again.value, alone.value) == (code, value, "C-done")
    assert written(tmp_path) == ["a line"]
    assert on_disk(path) == [("A", None), ("B", RAN), ("C", BEFORE), ("D", code), ("E", None)]
    assert len(await read_again(path)) == 5


async def test_case_b31_it_may_be_killed_twice_in_one_session(tmp_path: Path, killer: Killer) -> None:
    """Case B31: the second process closes the books of the first."""
    killer.kill(tmp_path, "body")
    path = killer.kill(tmp_path, "body")
    assert [(one.ref.call_id, one.result and one.result.code) for one in await read_again(path)] == [
        ("A", None),
        ("B", RAN),
        ("C", BEFORE),
    ] * 2
    assert len(written(tmp_path)) == 2


async def test_case_b31_a_line_that_cannot_be_read_hides_no_other(tmp_path: Path, killer: Killer) -> None:
    """Case B31: whichever it is, it is reported with its number, and the lines behind it are there."""
    path = killer.kill(tmp_path, "behind its effect")
    whole = kinds(path)
    assert len(whole) == 10
    for number in range(1, len(whole) + 1):
        damaged = tmp_path / f"damaged {number}"
        shutil.copyfile(path, damaged)
        with closing(sqlite3.connect(damaged, isolation_level=None)) as database:
            database.execute("UPDATE entries SET body = '{' WHERE seq = ?", [number])
        async with open_journal(damaged) as books:
            assert [one.place for one in books.damage] == [f"entry {number}"]
            records = await books.calls(SESSION)
        assert kinds(damaged)[: len(whole) - 1] == whole[: number - 1] + whole[number:]
        assert all(one.result is not None for one in records)
        assert ("A-done" in [one.result.value for one in records if one.result]) == (whole[number - 1] != "settled")
