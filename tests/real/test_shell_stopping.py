"""Stopping: by its own timeout or from outside, with everything it started, and with what it had said."""

import gc
import os
import subprocess
import sys
import textwrap
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
from test_shell_probe import GRACE, Ran, bash, living, rest, run, shell_tool, zombies

from trio_tools.tool import Tool
from trio_tools.toolkits.shell import ShellConfig, _command, _escapees, _process, _thread
from trio_tools.toolkits.shell._child import Start
from trio_tools.toolkits.shell._limits import Limits
from trio_tools.toolkits.shell._output import SpillFolder
from trio_tools.toolkits.shell._process import start_in_process
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._supervised import start_supervised

__all__ = ["bash", "rest"]  # fixtures

# Seconds after which commands are stopped here by their own timeout: enough to have printed what they print.
SOON = 0.5
# Seconds that a stop may take beyond SOON and the grace: far more than it takes, far less than the commands would run.
SLACK = 10

TREE = "echo CRITICAL; sleep 300 & sleep 300 & wait"
DEAF = "trap '' TERM; echo CRITICAL; while :; do sleep 0.1; done"


async def stopped(tool: Tool, command: str, how: str) -> Ran:
    """Run a command until its own timeout, or until its caller cancels, as soon as it has printed something."""
    if how == "timeout":
        ran = await run(tool, command, timeout_ms=SOON * 1000)
        assert ran.code == "BASH_TIMEOUT"
        assert f"\n[timed out after {SOON * 1000:g}ms]" in ran.text
    else:
        ran = await run(tool, command, cancel_at_output=True)
        assert not ran.is_error  # returned: the registry makes it ABORTED, and keeps it
        assert "timed out" not in ran.text
    return ran


# What is run, the signal that the shell is said to have died of, and the seconds of grace that it takes.
COMMANDS: dict[str, tuple[str | None, float]] = {
    TREE: ("SIGTERM", 0),
    DEAF: ("SIGKILL", GRACE),
    # the shell goes at once, its child ignores SIGTERM: it has the grace all the same
    "(trap '' TERM; sleep 300) & echo CRITICAL; wait": ("SIGTERM", GRACE),
    # a daemon that ignores SIGTERM, two forks and a session away
    "(setsid bash -c \"trap '' TERM; sleep 300\" &); echo CRITICAL; exec sleep 300": ("SIGTERM", GRACE),
    # starts another when it is told to stop
    "trap 'setsid sleep 300 & exit 0' TERM; echo CRITICAL; sleep 300 & wait": (None, GRACE),
    # stopped already: takes nothing but SIGKILL
    # it is told of once it is stopped, or a cancel might come first
    "(until [ $(cut -d' ' -f3 /proc/$$/stat) = T ]; do :; done; echo CRITICAL) & kill -STOP $$": ("SIGKILL", GRACE),
    # many
    "for i in {1..20}; do setsid sleep 300 & done; echo CRITICAL; wait": ("SIGTERM", 0),
}


@pytest.mark.parametrize("grace", [3_000_000, 1e300])
@pytest.mark.parametrize("start", [start_supervised, start_in_process])
async def test_a_grace_may_be_as_long_as_one_likes(tmp_path: Path, rest: str, start: Start, grace: float) -> None:
    """B020: also longer than the system waits at a time."""
    tool = shell_tool(tmp_path, start=start, grace=grace)
    command = "trap 'for i in {1..20000}; do :; done; exit 7' TERM; echo on; while :; do :; done"
    ran = await run(tool, command, timeout_ms=SOON * 1000)
    assert ran.text == f"on\n[timed out after {SOON * 1000:g}ms]\n[exit code: 7]"


@pytest.mark.parametrize("how", ["timeout", "cancel"])
async def test_everything_is_gone_within_the_grace_and_the_output_is_kept(bash: Tool, rest: str, how: str) -> None:
    """Case B25 (a), (b), B021, B022, B024: the whole tree, also what ignores SIGTERM or left the group."""
    all_ran: dict[str, Ran] = {}

    async def run_one(command: str) -> None:
        all_ran[command] = await stopped(bash, command, how)

    async with trio.open_nursery() as nursery:  # side by side: none stops what belongs to another
        for command in COMMANDS:
            nursery.start_soon(run_one, command)
    assert living(rest) == []
    for command, (end, grace) in COMMANDS.items():
        ran = all_ran[command]
        assert ran.text.startswith("CRITICAL\n"), command
        assert "still be running" not in ran.text, command
        assert end is None or ran.text.endswith(f"\n[killed by signal: {end}]"), command
        assert ran.seconds < SOON + grace + SLACK, command


@pytest.mark.parametrize("command", [TREE, DEAF])
async def test_a_second_cancel_does_not_cut_the_clean_up(bash: Tool, rest: str, command: str) -> None:
    """Case B25 (c): an enclosing scope is cancelled while the command is being stopped."""
    kept: list[Ran] = []
    with trio.CancelScope(relative_deadline=SOON + 0.1) as enclosing:
        kept.append(await run(bash, command, cancel_after=SOON))
        assert living(rest) == []
        await trio.sleep(1)
    assert enclosing.cancelled_caught
    assert kept[0].text.startswith("CRITICAL\n")


async def test_what_a_trap_prints_on_the_way_out_is_kept(bash: Tool) -> None:
    """Case B25: reading goes on while the command is being stopped."""
    ran = await stopped(bash, "trap 'echo bye; echo late >&2; exit 7' TERM; echo CRITICAL; sleep 300 & wait", "cancel")
    assert ran.text == "CRITICAL\nbye\n[stderr]\nlate\n[exit code: 7]"


async def test_what_left_the_group_is_asked_to_end_before_it_is_killed(bash: Tool) -> None:
    """B021, B022: SIGTERM, once, and the grace."""
    daemon = "trap 'echo bye' TERM; echo CRITICAL; sleep 300 & wait; wait"
    ran = await stopped(bash, f'setsid bash -c "{daemon}" & wait', "cancel")
    assert ran.text == "CRITICAL\nbye\n[killed by signal: SIGTERM]"


async def test_no_line_of_a_running_command_can_be_interrupted(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B25: Ctrl-C is delivered to the program's main task, never between two lines in here."""
    protected: list[bool] = []

    def note(*_: object) -> None:
        protected.append(trio.lowlevel.currently_ki_protected())

    def environment(parent: Mapping[str, str], *, mark: str) -> dict[str, str]:
        note()
        return dict(parent)

    monkeypatch.setattr(_command, "command_environment", environment)
    spills = SpillFolder(None, 1)
    shell = _command.Shell(config=ShellConfig(), bash="/bin/bash", root=tmp_path, spills=spills)
    request = _command.Request(command="echo hi", folder=tmp_path, limits=Limits(timeout=5))
    await _command.run_command(shell, request, kept=shell.kept(), progress=ShellProgress(note))
    assert protected == [True, True]


@pytest.mark.parametrize("start", [start_supervised, start_in_process])
async def test_a_command_that_leaves_us_no_thread_is_stopped_all_the_same(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    """Case B25: it has as many processes as its user may have, among which threads count. Nothing is lost either."""

    async def refuse(*_: object, limiter: trio.CapacityLimiter) -> None:
        raise RuntimeError("can't start new thread")

    # only here: the start itself has had its thread
    monkeypatch.setattr(_thread, "trio", SimpleNamespace(to_thread=SimpleNamespace(run_sync=refuse)))
    tool = shell_tool(tmp_path, start=start, max_output_bytes=1000)
    deaf = "trap '' TERM; (setsid sleep 300 &); seq 1000; while :; do sleep 0.1; done"
    ran = await run(tool, deaf, cancel_at_output=True)
    (file,) = (tmp_path / "spills").iterdir()
    assert file.read_text().endswith("\n1000\n")
    assert ran.text.endswith(f"\n1000\n\n[output truncated; full output: {file}]\n[killed by signal: SIGKILL]")
    assert living(rest) == []


async def test_a_scope_that_is_cancelled_before_starts_nothing(bash: Tool, tmp_path: Path) -> None:
    """B010, B025."""
    with trio.CancelScope() as scope:
        scope.cancel()
        with pytest.raises(AssertionError, match="came out"):  # raised: there is no output that could be lost
            await run(bash, "touch started", cancel_after=0)
    assert not (tmp_path / "started").exists()


async def test_a_cancel_at_any_moment_leaves_nothing_behind(bash: Tool, rest: str) -> None:
    """Case B25: during the start, the first output, the exit, the clean-up: whenever it comes."""
    for number in range(30):
        # raised if it came before the start
        with trio.CancelScope(relative_deadline=number * 0.0005), suppress(AssertionError):
            await run(bash, "echo CRITICAL & sleep 0.005 & wait")
        assert living(rest) == []


async def test_a_timeout_is_at_most_the_configured_one(tmp_path: Path, rest: str) -> None:
    """B020: what a model asks for, or the default, and never more than the maximum."""
    assert "after 100ms" in (await run(shell_tool(tmp_path, timeout=0.1), "sleep 9")).text
    assert "after 100ms" in (await run(shell_tool(tmp_path, max_timeout=0.1), "sleep 9")).text
    assert "after 100ms" in (await run(shell_tool(tmp_path, max_timeout=0.1), "sleep 9", timeout_ms=1e300)).text
    assert "after 50.5ms" in (await run(shell_tool(tmp_path, timeout=0.1), "sleep 9", timeout_ms=50.5)).text


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")  # it is, and that is the point
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
async def test_a_process_that_cannot_be_signalled_is_told_of_and_not_waited_for(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B021: as if it had become another user's. Nothing raises, every wait has its bound, the text tells the truth."""
    bash = shell_tool(tmp_path, start=start_in_process)

    def not_permitted(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(_process, "KILL_BOUND", 0.1)
    monkeypatch.setattr("os.killpg", not_permitted)
    monkeypatch.setattr("signal.pidfd_send_signal", not_permitted)
    ran = await run(bash, "echo CRITICAL; exec sleep 1.5", timeout_ms=SOON * 1000)
    assert ran.text.splitlines() == [
        "CRITICAL",
        "[processes that this command started may still be running]",
        "[timed out after 500ms]",
        "[exit code: unknown]",
    ]
    assert ran.seconds < SOON + GRACE + 0.1 + 0.5 + SLACK
    monkeypatch.undo()
    # it sleeps about as long as all of this takes, and once it has ended it carries no word; in this order, so that one
    # that ends meanwhile is in the second list
    reap({*living(rest), *zombies()})
    gc.collect()  # what watches a process that never ends is given back with it


async def test_out_of_descriptors_the_group_is_stopped_all_the_same(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B25: nobody can look for what left the group then, and the text says so."""
    bash = shell_tool(tmp_path, start=start_in_process)

    def none_left(pid: str) -> bytes | None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(_escapees, "_environment", none_left)
    ran = await run(bash, TREE, timeout_ms=SOON * 1000)
    assert ran.text.startswith("CRITICAL\n[processes that this command started may still be running]\n[timed out")
    assert living(rest) == []


def reap(children: Collection[int]) -> None:
    """Wait for processes of ours that end by themselves."""
    for pid in children:
        os.waitpid(pid, 0)


HOST = """
import ctypes, os, signal, sys, threading
from pathlib import Path
sys.path[:0] = {paths!r}
import trio
from test_shell_probe import living, run, shell_tool, zombies

async def main():
    tool = shell_tool(Path({folder!r}))
{body}
{around}
"""


def host(folder: Path, body: str, around: str) -> subprocess.CompletedProcess[str]:
    """Run commands in a process of its own, since what is tried here is done to a whole process."""
    paths = [path for path in sys.path if path]
    parts = {"body": textwrap.indent(textwrap.dedent(body), "    "), "around": textwrap.dedent(around)}
    script = HOST.format(paths=paths, folder=str(folder), **parts)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=False)


def test_orphans_that_become_ours_are_reaped(tmp_path: Path, rest: str) -> None:
    """Case B25: in a container whose first process we are, what a command leaves behind becomes our child."""
    body = """
        ran = await run(tool, "setsid sleep 300 & sleep 300 & sleep 300 & wait", timeout_ms=200)
        print(ran.code)
        ran = await run(tool, "setsid sleep 300 >/dev/null 2>&1 & sleep 300 >/dev/null 2>&1 & echo hi")
        print(ran.text, end="")
        print(zombies())
    """
    around = """
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        trio.run(main)
    """
    done = host(tmp_path, body, around)
    assert (done.stdout, done.stderr) == ("BASH_TIMEOUT\nhi\n[]\n", "")


def test_ctrl_c_stops_the_command_and_goes_on(tmp_path: Path, rest: str) -> None:
    """Case B25: an interrupt is a cancel like any other; it leaves no process, and it is not lost."""
    body = f"""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, tool, {DEAF!r})
    """
    around = """
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            trio.run(main)
        except* KeyboardInterrupt:
            print("interrupted", zombies(), len(living(os.environ["SHELL_PROBE"])))
    """
    done = host(tmp_path, body, around)
    assert (done.stdout, done.stderr) == ("interrupted [] 0\n", "")
