"""A command of a warm process does what one that is started anew does: the licence of all tests that use `warm`."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from test_cli_probe import BOUND, ROOT, bash, call, environment, started, turn

from benchmarks.terminal import terminal
from benchmarks.warm import Command, Start, fresh

VIEW = Path(__file__).with_name("warm_view.py")
# A program that has a warm process, tells its process id, and is killed while a command runs.
KILLED = """
import os, signal
from pathlib import Path
from benchmarks.warm import warm_process
with warm_process() as start:
    command = start(["run", "-"], environment=os.environ)
    print(Path(f"/proc/{command.pid}/stat").read_text().split()[3], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def came_of(start: Start, *arguments: str, given: str = "", **options: Any) -> tuple[int, bytes, bytes]:
    with started(*arguments, start=start, **options) as cli:
        out, err = cli.process.communicate(given.encode(), BOUND)
        return cli.process.wait(), out, err


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (["run", "-", "--tools", "read,bash"], turn(call("nope", "a"), bash("echo $0 $PWD; umask; ulimit -a", "b"))),
        (["run", "--help"], ""),
    ],
    ids=str,
)
def test_what_it_prints_and_its_status_are_the_same(
    arguments: list[str], given: str, tmp_path: Path, warm: Start
) -> None:
    variables = environment(COLUMNS="60", TRIO_TOOLS_PLUGINS__FILES__TOOLS='["read"]')
    options: Mapping[str, Any] = {"environment": variables, "folder": tmp_path, "given": given}
    assert came_of(warm, *arguments, **options) == came_of(fresh, *arguments, **options)


def test_the_process_is_the_same_and_so_is_its_end(tmp_path: Path, warm: Start) -> None:
    """Arguments, variables, folder, streams, descriptors, signals, limits, session; threads and exit handlers."""
    (tmp_path / "seen").mkdir()
    variables = environment(PYTHONPATH=os.pathsep.join((str(ROOT), "seen", "", "missing")), OWN="\udcff")

    def seen(start: Start) -> tuple[int, bytes, dict[str, object]]:
        words = ["schema", f"{VIEW}:nothing"]
        status, out, err = came_of(start, *words, environment=variables, folder=tmp_path)
        return status, out, json.loads(err)

    status, out, process = seen(warm)
    assert out.endswith(b"a thread that was left has ended\nthe last words\n")
    *outcome, wanted = seen(fresh)
    assert [status, out] == outcome
    assert process.keys() == wanted.keys()
    for name, one in wanted.items():
        assert (name, process[name]) == (name, one)


def test_on_a_terminal_it_is_the_same(warm: Start) -> None:
    def seen(start: Start) -> tuple[int, bytes]:
        with terminal(["schema", f"{VIEW}:nothing"], environment=environment(TERM="xterm"), start=start) as shown:
            return shown.end(), bytes(shown.received)

    outcome = seen(warm)
    assert b'"leads": true, "group": null, "foreground": true' in outcome[1]
    assert outcome == seen(fresh)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGKILL, -9), (signal.SIGQUIT, -3), (signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_a_signal_ends_it_as_it_ends_any(number: int, status: int, warm: Start) -> None:
    """Those that are left to the system too: the status is negative, as that of a `Popen`."""
    with started("run", "-", start=warm) as cli:
        cli.write(turn(call("nope")))
        cli.line()
        assert cli.process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            cli.process.wait(0.01)
        cli.signal(number)
        assert cli.process.wait(BOUND) == status
        cli.signal(number)  # nobody is there any more
        assert cli.process.poll() == cli.process.returncode == status


def test_none_holds_what_belongs_to_another(warm: Start) -> None:
    """The input of one ends, and its output too, while others run that were started before and after it."""
    with started("run", "-", start=warm), started("run", "-", start=warm) as one, started("run", "-", start=warm):
        one.close()
        assert one.end() == (0, [], "")


def test_variables_that_are_read_before_anything_is_imported_need_a_fresh_start(warm: Start) -> None:
    for name in ("PYTHONUTF8", "LC_ALL"):
        with pytest.raises(ValueError, match="a fresh start is needed"):
            warm(["tools"], environment=environment(**{name: "0"}))


def has_ended(pid: int) -> bool:
    """Wait until a process has; False if it never does."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(descriptor, closefd=True) as process:
        return bool(select.select([process], [], [], BOUND)[0])


def test_the_warm_process_ends_with_whoever_has_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED], env=environment(), stdout=subprocess.PIPE, timeout=BOUND, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert has_ended(int(done.stdout))


def test_a_warm_process_that_has_ended_is_not_waited_for() -> None:
    ours, its_own = socket.socketpair()
    its_own.close()
    command = Command(os.getpid(), None, None, None, os.pidfd_open(os.getpid()), ours)
    with pytest.raises(RuntimeError, match="the warm process has ended"):
        command.wait(BOUND)
