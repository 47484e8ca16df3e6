"""Pipes: who holds them, what is still in them, and where stdin comes from."""

import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from test_shell_probe import bash, living, rest, run, shell_tool

from trio_tools.tool import Tool
from trio_tools.toolkits.shell import _command
from trio_tools.toolkits.shell._process import start_in_process

__all__ = ["bash", "rest"]  # fixtures


@contextmanager
def stdin_that_never_ends() -> Generator[None]:
    """Our own stdin, for a while: a pipe that stays open and brings nothing."""
    read, write = os.pipe()
    kept = os.dup(0)
    os.dup2(read, 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        for fd in (read, write, kept):
            os.close(fd)


async def test_a_background_child_does_not_hold_the_call(bash: Tool, rest: str) -> None:
    """Case B19 (a), B023: the call ends with the shell; what it left in the background is stopped, as documented."""
    commands = [
        "sleep 30 & echo hi",
        "setsid sleep 30 & echo hi",
        "sleep 30 >/dev/null & echo hi",  # holds stderr alone
        "(trap '' TERM HUP; sleep 30) & disown; echo hi",
        "(setsid bash -c 'sleep 30 & sleep 30' &); echo hi",
        "coproc sleep 30; echo hi",
    ]

    async def run_one(command: str) -> None:
        ran = await run(bash, command)
        assert ran.text == "hi\n", command
        assert ran.seconds < 15, command

    async with trio.open_nursery() as nursery:
        for command in commands:
            nursery.start_soon(run_one, command)
    assert living(rest) == []


async def test_without_a_supervisor_a_daemon_that_hid_its_environment_is_told_of(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B19: what cannot be found cannot be stopped here; it holds the call for a moment, and the text says so."""
    bash = shell_tool(tmp_path, start=start_in_process)
    monkeypatch.setattr(_command, "LINGER", 0.1)
    monkeypatch.setattr(_command, "DRAIN_BOUND", 0.1)
    # its pid comes once it has hidden: before, it can be found, and is
    hides = "mkfifo hidden; env -i setsid sh -c 'echo $$ >hidden; exec sleep 30' & read pid <hidden; echo $pid"
    pid, told = (await run(bash, hides)).text.split("\n", 1)
    os.kill(int(pid), signal.SIGKILL)
    assert told == "[processes that this command started may still be running]"


async def test_a_daemon_that_left_the_pipes_is_stopped_at_once(
    bash: Tool, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B19: nothing to wait for, so nothing is waited for."""
    monkeypatch.setattr(_command, "LINGER", 20)
    ran = await run(bash, "setsid sleep 30 >/dev/null 2>&1 & echo hi")
    assert ran.text == "hi\n"
    assert ran.seconds < 15
    assert living(rest) == []


async def test_a_filter_that_the_shell_does_not_wait_for_still_writes_its_last_lines(bash: Tool) -> None:
    """Case B19: killed at the shell's exit it would lose them."""
    ran = await run(bash, "exec > >(sleep 0.1; sed s/^/seen:/); echo hi; exit 4")
    assert ran.text == "seen:hi\n[exit code: 4]"


async def test_the_end_of_long_output_is_never_lost(tmp_path: Path, rest: str) -> None:
    """Case B19 (b): 50 runs, some of them while somebody keeps the event loop busy."""
    tool = shell_tool(tmp_path, max_output_bytes=4_000_000)
    expected = "x" * 2_000_000 + "END\n"

    async def keep_busy() -> None:
        while True:
            time.sleep(0.001)  # noqa: ASYNC251 - this is what it is for
            await trio.lowlevel.checkpoint()

    for number in range(50):
        async with trio.open_nursery() as nursery:
            if number % 4 == 0:
                nursery.start_soon(keep_busy)
            ran = await run(tool, r"head -c 2000000 /dev/zero | tr '\0' x; echo END")
            nursery.cancel_scope.cancel()
        assert ran.text == expected


async def test_output_is_kept_though_the_loop_was_blocked_for_longer_than_every_wait(bash: Tool) -> None:
    """Case B19 (b): the bounds are for whoever holds the pipe, not against our own slowness."""

    async def block() -> None:
        await trio.sleep(0.05)
        time.sleep(0.6)  # noqa: ASYNC251 - this is what it is for

    async with trio.open_nursery() as nursery:
        nursery.start_soon(block)
        ran = await run(bash, "sleep 0.1; head -c 50000 /dev/zero | tr '\\0' x; sleep 30 & echo END", timeout_ms=300)
    assert ran.text == "x" * 50_000 + "END\n"  # it had ended by itself, in time


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat", "(no output)"),
        ("read x; echo got:$x", "got:\n"),
        ("cat < /dev/tty || echo none", "none\n"),  # nor is there a terminal to ask at
        ("sleep 0 | cat; cat", "(no output)"),
    ],
)
async def test_there_is_nothing_to_read(bash: Tool, command: str, text: str) -> None:
    """Case B19 (c), B028: our own stdin is not the command's."""
    with stdin_that_never_ends():
        ran = await run(bash, command)
    assert ran.text.split("[stderr]")[0] == text
    assert ran.seconds < 15


async def test_a_command_may_close_its_output_and_go_on(bash: Tool) -> None:
    """The end of the pipes is not the end of the command."""
    ran = await run(bash, "echo hi; exec >&- 2>&-; sleep 0.2; exit 5")
    assert ran.text == "hi\n[exit code: 5]"
    assert ran.seconds >= 0.2
