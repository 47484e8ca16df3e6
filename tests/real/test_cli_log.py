"""Journals between processes: one writes, others read, none stays half written when somebody leaves at once (D19)."""

import json
import os
import signal
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from test_cli_probe import BOUND, Cli, Document, bash, is_alive, kill, started, turn, wait_for

from benchmarks.warm import Start
from trio_tools.cli import main

INT = signal.SIGINT
DEAF = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"
UNTIL_TOLD = "echo $$ > pid; while [ ! -e go ]; do sleep 0.05; done"


def options(folder: Path) -> tuple[str, ...]:
    return "--tools", "bash", "--root", str(folder), "--journal", str(folder / "agent.db"), "--session", "s1"


def log(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """What this process says of the journal, which another one writes."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(["log", *arguments, "--journal", str(folder / "agent.db")])
    return status, out.getvalue(), err.getvalue()


def calls(folder: Path) -> list[Document]:
    status, out, err = log(folder, "show", "s1", "--json")
    assert (status, err) == (0, "")
    shown: list[Document] = json.loads(out)
    return shown


def codes_of(shown: list[Document]) -> list[object]:
    return [one["result"] and (one["result"]["code"], one["result"]["cause"]) for one in shown]


def working(cli: Cli, folder: Path, text: str) -> int:
    """Have it settle one call, and begin another; the other's pid."""
    cli.write(turn(bash("echo first", "a")))
    assert cli.line()["code"] is None
    cli.write(turn(bash(text, "b")))
    return int(wait_for(folder / "pid"))


def test_a_journal_is_read_while_an_agent_writes_it_and_the_agent_does_not_notice(tmp_path: Path, warm: Start) -> None:
    with started("run", "-", *options(tmp_path), start=warm) as cli:
        working(cli, tmp_path, UNTIL_TOLD)
        shown = calls(tmp_path)
        assert codes_of(shown) == [(None, None), None]
        assert [bool(one["dispatched"]) for one in shown] == [True, True]
        status, out, _ = log(tmp_path, "show", "s1")
        assert status == 0
        assert "unsettled" in out
        assert log(tmp_path, "export", "--html", str(tmp_path / "page.html"))[0] == 0
        (tmp_path / "go").touch()
        cli.close()
        status, documents, err = cli.end()
    assert (status, [one["code"] for one in documents], err) == (0, [None], "")
    assert codes_of(calls(tmp_path)) == [(None, None), (None, None)]


def test_who_writes_it_is_told_to_whoever_would_write_it_too(tmp_path: Path, warm: Start) -> None:
    """A second agent runs nothing, and the first goes on."""
    with started("run", "-", *options(tmp_path), start=warm) as cli:
        working(cli, tmp_path, UNTIL_TOLD)
        words = (
            f"journal {tmp_path / 'agent.db'} is being written by process {cli.process.pid}; "
            "one process at a time writes a journal: let it end, or only read\n"
        )
        for asked in (["purge", "s1"], ["resolve", "mail.send", "m-1", "--failed"]):
            assert log(tmp_path, *asked) == (2, "", f"trio-tools: {words}")
        with started("run", "-", *options(tmp_path), start=warm) as second:
            second.write(turn(bash("touch ran")))
            second.close()
            status, documents, err = second.end()
        assert (status, documents) == (2, [])
        assert err == f'trio-tools: in plugin "journal", while it was opened: {words}'
        (tmp_path / "go").touch()
        cli.close()
        assert cli.end()[0] == 0
    assert not (tmp_path / "ran").exists()
    assert log(tmp_path, "purge", "s1")[0] == 0


def test_the_third_ctrl_c_leaves_a_journal_that_says_all_that_was_known(tmp_path: Path, warm: Start) -> None:
    """D19: what had settled is in it, and the call that was left says since when it was given up; the next that opens
    it to write closes the books."""
    with started("run", "-", *options(tmp_path), start=warm) as cli:
        pid = working(cli, tmp_path, DEAF)
        cli.signal(INT)
        time.sleep(0.2)  # two signals of a kind that come together are one
        cli.signal(INT)
        assert "pending: bash b" in cli.error_line()
        cli.signal(INT)
        assert cli.process.wait(BOUND) == 130
        assert is_alive(pid)
        kill(pid)
    first, second = calls(tmp_path)
    assert codes_of([first, second]) == [(None, None), None]
    assert second["dispatched"]
    assert log(tmp_path, "resolve", "mail.send", "m-1", "--failed")[0] == 2  # refused, but it opened it to write
    assert codes_of(calls(tmp_path)) == [(None, None), ("ABORTED", "crash")]


def test_an_agent_that_is_killed_leaves_no_lock(tmp_path: Path, warm: Start) -> None:
    with started("run", "-", *options(tmp_path), start=warm) as cli:
        pid = working(cli, tmp_path, UNTIL_TOLD)
        os.kill(cli.process.pid, signal.SIGKILL)
        cli.process.wait(BOUND)
        kill(pid)
    assert codes_of(calls(tmp_path)) == [(None, None), None]
    status, out, _ = log(tmp_path, "purge", "s1", "--json")
    assert (status, json.loads(out)["calls"]) == (0, 2)
