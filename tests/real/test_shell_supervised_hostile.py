"""What only a supervising process finds, and what happens to those who turn on it."""

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from test_shell_probe import GRACE, bash, living, nothing_left, rest, run, shell_tool

from trio_tools.tool import Tool
from trio_tools.toolkits.shell import _command, _supervised

__all__ = ["bash", "rest"]  # fixtures

UNKNOWN = "[processes that this command started may still be running]\n[exit code: unknown]"
# Forks into a new session and goes, without end, and carries no word and no mark.
RESPAWNER = "setsid env -i {name} -c 'f() {{ ( sleep 0.001; f ) & }}; f' >/dev/null 2>&1 &"


def named(name: str) -> list[int]:
    """Processes that run a program of that name, whatever their environment."""
    found: list[int] = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            words = Path("/proc", pid, "cmdline").read_bytes()
        except OSError:
            continue
        if words.split(b"\0")[0].endswith(name.encode()):
            found.append(int(pid))
    return found


@pytest.fixture
def name(tmp_path: Path) -> Iterator[str]:
    """Where bash stands under a name that nobody else has; afterwards nothing of that name runs."""
    path = tmp_path / uuid.uuid4().hex
    path.symlink_to("/bin/bash")
    yield str(path)
    assert named(path.name) == []


@pytest.mark.parametrize("end", ["exit 0", "exec sleep 300"])
async def test_no_environment_and_no_session_hides_a_process(bash: Tool, rest: str, name: str, end: str) -> None:
    """Case B25, B022: a daemon of no group, no word and no mark is found, however the command ends."""
    daemon = f"(setsid env -i {name} -c 'trap \"\" TERM HUP; while :; do sleep 0.1; done' >/dev/null 2>&1 &)"
    async with nothing_left():
        ran = await run(bash, f"{daemon}; echo on; {end}", cancel_at_output=end != "exit 0")
        assert ran.text == ("on\n" if end == "exit 0" else "on\n[killed by signal: SIGTERM]")


@pytest.mark.parametrize("end", ["exit 0", "exec sleep 300"])
async def test_what_forks_faster_than_anybody_looks_is_ended(bash: Tool, rest: str, name: str, end: str) -> None:
    """Case B25: three at once that fork on and on, each fork a process of a new parent."""
    respawners = RESPAWNER.format(name=name) * 3
    async with nothing_left():
        ran = await run(bash, f"{respawners} sleep 0.1; echo on; {end}", cancel_at_output=end != "exit 0")
        assert "may still be running" not in ran.text


async def test_a_daemon_that_holds_the_pipe_is_waited_for_no_longer_than_others(
    bash: Tool, rest: str, name: str
) -> None:
    """Case B19, B023: it is ended, so the pipe is too."""
    ran = await run(bash, f"env -i setsid {name} -c 'sleep 300; :' & echo hi")
    assert ran.text == "hi\n"


@pytest.mark.parametrize("pause", ["", "sleep 0.2;"])
async def test_who_kills_the_supervisor_is_killed_and_its_end_is_not_made_up(bash: Tool, rest: str, pause: str) -> None:
    """B024: at once, perhaps before we know that the command runs, or later. What carries the mark is found."""
    async with nothing_left():
        ran = await run(bash, f"{pause} kill -9 $PPID; setsid sleep 300 & (sleep 300 &); sleep 300; echo never")
        assert ran.text == f"(no output)\n{UNKNOWN}"
        assert (ran.code, living(rest)) == (None, [])


async def test_who_is_left_without_a_supervisor_still_has_its_grace(bash: Tool, rest: str) -> None:
    """B021: SIGTERM comes first."""
    ran = await run(bash, "trap 'echo bye; exit' TERM; echo on; kill -9 $PPID; sleep 300 & wait")
    assert ran.text == f"on\nbye\n{UNKNOWN}"


async def test_who_stops_the_supervisor_gains_nothing(bash: Tool, rest: str) -> None:
    """Its exit is seen all the same, and at a timeout everything is ended."""
    async with nothing_left():
        assert (await run(bash, "kill -STOP $PPID; exit 4")).text == "(no output)\n[exit code: 4]"
        ran = await run(bash, "kill -STOP $PPID; setsid env -i sleep 300 & echo on; sleep 300", timeout_ms=500)
        assert ran.text == "on\n[timed out after 500ms]\n[killed by signal: SIGTERM]"


async def test_who_never_lets_the_supervisor_run_is_ended_without_it(
    bash: Tool, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every wait has its bound."""
    for bound in ("KILL_BOUND", "ANSWER_BOUND", "EXEC_BOUND"):
        monkeypatch.setattr(_supervised, bound, 0.3)
    loop = "trap '' TERM; echo on; while :; do kill -STOP $PPID; done"
    async with nothing_left():
        ran = await run(bash, f"({loop}) & ({loop}) & {loop}", cancel_at_output=True)
        assert ran.text.startswith("on\n")
        assert ran.seconds < 60
        assert living(rest) == []


async def test_a_supervisor_that_speaks_late_is_heard_to_its_end(
    bash: Tool, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it has started the command is not taken for what it says last."""
    monkeypatch.setattr(_supervised, "EXEC_BOUND", 0)
    async with nothing_left():
        ran = await run(bash, "setsid env -i sleep 300 & sleep 300")
    assert ran.text == "(no output)\n[killed by signal: SIGTERM]"


async def test_who_blinds_the_supervisor_leaves_what_carries_the_mark_no_less(bash: Tool, rest: str) -> None:
    """B022: a process that can open no file sees no other. What is left is told of, and found without it."""
    blinds = "sleep 0.2; prlimit --pid $PPID --nofile=3:3"
    async with nothing_left():
        ran = await run(bash, f"{blinds}; setsid sleep 300 >/dev/null 2>&1 & exit 4")
        assert ran.text.startswith(f"(no output)\n{UNKNOWN.splitlines()[0]}\n[exit code: ")
        assert living(rest) == []


async def test_no_other_signal_reaches_the_supervisor(bash: Tool, rest: str) -> None:
    """SIGTERM, Ctrl-C and a lost terminal are not its business."""
    signals = " ".join(f"kill -{number} $PPID;" for number in range(1, 65) if number not in (9, 19, 32, 33))
    ran = await run(bash, f"setsid env -i sleep 300 >/dev/null 2>&1 & {signals} echo on; exit 3")
    assert ran.text == "on\n[exit code: 3]"


async def test_nobody_can_speak_for_the_supervisor(bash: Tool, rest: str) -> None:
    """A socket cannot be opened by its name in /proc; root may open what else is there, which does nothing."""
    ran = await run(bash, 'for fd in /proc/$PPID/fd/*; do echo "ended 0 0" > $fd; done 2>/dev/null; echo on; exit 3')
    assert ran.text.endswith("\n[exit code: 3]")
    assert "may still be running" not in ran.text


async def test_orphans_do_not_pile_up_while_a_command_runs(bash: Tool) -> None:
    """They are the supervisor's children, and are reaped as they end."""
    orphans = "for i in {1..50}; do (true & true &); done"
    waits = 'until [ -z "$(ps --ppid $PPID -o stat= | grep Z)" ]; do sleep 0.02; done'
    assert (await run(bash, f"{orphans}; {waits}; echo none", timeout_ms=30_000)).text == "none\n"


async def test_a_bomb_in_one_group_ends_with_its_command(bash: Tool, rest: str) -> None:
    """Case B25: processes that double, as many as the limit lets them."""
    bomb = "ulimit -u $(($(ps -e --no-headers -L | wc -l) + 60)) 2>/dev/null; f() { f | f & }; echo on; f; sleep 300"
    if os.getuid() == 0:  # no limit binds root: a tree of that many, at once
        bomb = "f() { [ $1 = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 300; }; echo on; f 6"
    async with nothing_left():
        ran = await run(bash, bomb, cancel_at_output=True)
        assert "may still be running" not in ran.text
        assert living(rest) == []


async def test_another_python_that_cannot_run_it_is_told_of(
    bash: Tool, rest: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B025: a program that is none, one that ends, one that hangs."""
    said = "could not start bash: the supervising process"
    async with nothing_left():
        monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))
        assert (await run(bash, "echo on")).text == "could not start bash: No such file or directory"
        script = tmp_path / "python"
        script.write_text("#!/bin/sh\necho no such thing here >&2\n")
        script.chmod(0o700)
        monkeypatch.setattr("sys.executable", str(script))
        ended = await run(bash, "echo on")
        assert (ended.code, ended.text) == (
            "BASH_SPAWN_FAILED",
            f"{said} ended before it could start it: no such thing here",
        )
        script.write_text("#!/bin/sh\nsleep 300 & wait\n")
        monkeypatch.setattr(_supervised, "START_BOUND", 0.2)
        for bound in ("KILL_BOUND", "ANSWER_BOUND"):
            monkeypatch.setattr(_supervised, bound, 0.1)
        assert (await run(bash, "echo on")).text == f"{said} has not begun within 0.2 seconds"
        assert living(rest) == []


async def test_a_loop_that_was_blocked_meanwhile_loses_nothing(bash: Tool) -> None:
    """The bounds are for who does not answer, not for us who do not listen."""

    async def block() -> None:
        await trio.sleep(0.05)
        time.sleep(1)  # noqa: ASYNC251 - this is what it is for

    async with trio.open_nursery() as nursery:
        nursery.start_soon(block)
        ran = await run(bash, "setsid env -i sleep 300 >/dev/null 2>&1 & echo on; exit 3")
    assert ran.text == "on\n[exit code: 3]"


async def test_its_grace_is_the_one_of_the_config(tmp_path: Path, rest: str) -> None:
    """B020, B021: a trap that needs longer is cut, one that does not is not."""
    command = "trap 'sleep 0.6; echo bye; exit' TERM; echo on; sleep 300 & wait"
    cut = await run(shell_tool(tmp_path, grace=GRACE), command, cancel_at_output=True)
    assert cut.text == "on\n[killed by signal: SIGKILL]"
    kept = await run(shell_tool(tmp_path, grace=60), command, cancel_at_output=True)
    assert kept.text == "on\nbye\n"
    assert kept.seconds < 60 + _command.LINGER
