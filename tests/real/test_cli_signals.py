"""Ctrl-C once, twice, three times, and SIGTERM: to a run that waits, and to one that works (D19)."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import PIPE

import pytest
from test_cli_probe import BOUND, Cli, bash, call, codes, command, is_alive, kill, started, turn, wait_for

from benchmarks.warm import Process, Start

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
# Seconds in which a run that waits for input is to end: at once, on a machine that does other things too.
AT_ONCE = 3.0
# Ignores what asks it to stop, until the shell toolkit's grace is over: a call that stays pending for a while.
DEAF = "trap '' TERM; echo begun; echo $$ > pid; while :; do sleep 0.1; done"
GOOD_BYE = "trap 'echo bye; exit 0' TERM; echo begun; echo $$ > pid; sleep 300 & wait"


def working(cli: Cli, folder: Path, command: str) -> int:
    """Have it run this command and two calls that wait, and one turn more; the command's pid once it runs."""
    cli.write(turn(bash(command, "a"), bash("echo never", "b"), call("glob", "c", pattern="*")))
    cli.write(turn(call("glob", "later", pattern="*")))
    return int(wait_for(folder / "pid"))


@pytest.mark.parametrize(("number", "status"), [(INT, 130), (TERM, 143), (HUP, 129)])
def test_while_it_waits_for_input_it_ends_at_once(number: int, status: int, warm: Start) -> None:
    """D19."""
    with started("run", "-", start=warm) as cli:
        cli.write(turn(call("nope")))
        assert cli.line()["code"] == "UNKNOWN_TOOL"
        began = time.monotonic()
        cli.signal(number)
        assert cli.end() == (status, [], "")
        assert time.monotonic() - began < AT_ONCE


def test_while_it_waits_for_a_named_pipe_it_ends_at_once(tmp_path: Path, warm: Start) -> None:
    """D19: a pipe that nobody has opened for writing."""
    os.mkfifo(tmp_path / "turns")
    with started("run", "--root", str(tmp_path), str(tmp_path / "turns"), start=warm) as cli:
        # SIGINT is taken over once the run has begun, which the mask of caught signals shows
        while not caught(cli.process.pid, TERM):
            time.sleep(0.01)
        cli.signal(INT)
        assert cli.end() == (130, [], "")


def caught(pid: int, number: int) -> bool:
    (line,) = [one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("SigCgt")]
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize(("signals", "status"), [([INT], 130), ([TERM], 143), ([TERM, TERM, TERM], 143)])
def test_the_turn_in_hand_is_cancelled_and_told(signals: list[int], status: int, tmp_path: Path, warm: Start) -> None:
    """D19, L012, L014: what ran says what it said, what waited never starts, and no later line is read."""
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        pid = working(cli, tmp_path, GOOD_BYE)
        for number in signals:  # only Ctrl-C goes further when it is repeated
            cli.signal(number)
        ended, documents, err = cli.end()
    assert (ended, err) == (status, "")
    assert [one["id"] for one in documents] == ["a", "b", "c"]
    assert codes(documents) == ["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]
    assert {one["cause"] for one in documents} == {"caller"}
    assert "begun\nbye" in documents[0]["text"]
    assert not is_alive(pid)


def test_a_file_is_read_no_further_either(tmp_path: Path, warm: Start) -> None:
    """D19."""
    (tmp_path / "turns").write_text(turn(bash(GOOD_BYE)) + turn(call("glob", pattern="*")))
    with started("run", str(tmp_path / "turns"), "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        wait_for(tmp_path / "pid")
        cli.signal(INT)
        ended, documents, err = cli.end()
    assert (ended, codes(documents), err) == (130, ["ABORTED"], "")


def test_the_second_tells_where_it_is_stuck_and_the_rest_goes_on(tmp_path: Path, warm: Start) -> None:
    """D19."""
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        pid = working(cli, tmp_path, DEAF)
        cli.signal(INT)
        time.sleep(0.2)  # two signals of a kind that come together are one
        cli.signal(INT)
        told = cli.error_line()
        assert told.startswith("trio-tools: pending: bash a, in dispatch for ")
        kill(pid)
        ended, documents, err = cli.end()
    assert ended == 130
    assert codes(documents) == ["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]
    assert "trio_tools/toolkits/shell/" in err
    assert err.endswith("press Ctrl-C again to leave at once, without cleaning up\n")


def test_the_third_leaves_at_once(tmp_path: Path, warm: Start) -> None:
    """D19: what it does not wait for stays behind."""
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        pid = working(cli, tmp_path, DEAF)
        cli.signal(INT)
        time.sleep(0.2)
        cli.signal(INT)
        assert "pending: bash a" in cli.error_line()
        cli.signal(INT)
        assert cli.process.wait(AT_ONCE) == 130
        assert cli.process.stdout is not None
        assert cli.process.stdout.read() == b""
        assert is_alive(pid)
        kill(pid)


def test_results_that_nobody_reads_yet_are_waited_for_and_told_of(tmp_path: Path, warm: Start) -> None:
    """D19, L014: a reader that is slow loses nothing."""
    many = [call("glob", str(number), pattern="*") for number in range(1000)]
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        cli.write(turn(*many, bash("echo done > pid; sleep 300", "last")))
        wait_for(tmp_path / "pid")
        cli.signal(INT)
        time.sleep(0.2)
        cli.signal(INT)
        assert "lines that nobody has read from standard output yet: " in cli.error_line()
        ended, documents, _ = cli.end()
    assert ended == 130
    assert [one["id"] for one in documents] == [*map(str, range(1000)), "last"]
    assert codes(documents) == [*[None] * 1000, "ABORTED"]


def nohup(arguments: Sequence[str], *, environment: Mapping[str, str], **_: object) -> Process:
    words = ["nohup", *command(*arguments)]
    return subprocess.Popen(words, env=environment, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=PIPE)


def test_under_nohup_a_hangup_is_ignored() -> None:
    with started("run", "-", start=nohup) as cli:
        cli.write(turn(call("nope")))
        cli.line()
        cli.signal(HUP)
        cli.write(turn(call("nope")))
        assert cli.line()["turn"] == 2
        cli.close()
        assert cli.end() == (0, [], "")


@pytest.mark.parametrize("number", [INT, TERM])
def test_pressed_at_any_moment_and_again_it_ends(number: int) -> None:
    """D19: before the run takes signals Python or the system does; with 1 Python dies in its very first steps."""
    for moment in range(3):
        with started("run", "-", stderr=subprocess.DEVNULL) as cli:
            time.sleep(moment * 0.1)
            deadline = time.monotonic() + BOUND
            while cli.process.poll() is None and time.monotonic() < deadline:
                cli.signal(number)
                time.sleep(0.05)
            assert cli.process.returncode in {-number, 128 + number, 1}
