"""A tenth of what `python -m benchmarks hostile` does with commands that do not want to end, and what finds it out."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random, SystemRandom

import attrs
import pytest
import trio

from benchmarks import _hostile_host
from benchmarks._hostile_commands import GRACE, hostile_commands
from benchmarks._hostile_host import hostile_hosts, seconds_until_gone
from benchmarks._hostile_judge import held, held_pipe, hunt, is_held, marked, zombies
from benchmarks._hostile_shapes import BESIDE, BEYOND_REACH, GOING_ON, hostile_command
from trio_tools import Registry, plugin, tool
from trio_tools.toolkits.shell import ShellConfig, shell

CANCELS = TIMEOUTS = 20
KILLED_HOSTS = 3


def test_commands_that_do_not_want_to_end_leave_nothing_behind() -> None:
    """B021, B022, B023, B024, case B25: 20 cancels and 20 timeouts of mixtures, some ten at once."""
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    found = hostile_commands(CANCELS, TIMEOUTS, seed)
    assert found.faults == (), found.told()


def test_without_a_supervising_process_only_what_hides_its_environment_is_beyond_reach() -> None:
    """B021, B022, case B25: the other tier, which says of itself that it cannot find those."""
    in_process = shell(ShellConfig(grace=GRACE, supervise="never"))
    found = hostile_commands(CANCELS // 4, TIMEOUTS // 4, 1, plugin=in_process, beside=BESIDE)
    assert found.faults == (), found.told()


def test_the_commands_of_a_host_that_is_killed_are_gone_within_two_seconds() -> None:
    """Case B25, B029: three hosts with four commands each, some of them while they are being stopped."""
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    found = hostile_hosts(KILLED_HOSTS, seed)
    assert found.faults == (), found.told()


@attrs.frozen
class Nothing:
    """No options."""


@plugin("careless", config=Nothing)
@asynccontextmanager
async def careless(registry: Registry, _: Nothing) -> AsyncGenerator[None]:
    """A tool `bash` as one would write it at first."""

    @tool
    async def bash(command: str, description: str, timeoutMs: float) -> str:  # noqa: N803 - the model's name for it
        process = await trio.lowlevel.open_process(["bash", "-c", command], stdout=subprocess.DEVNULL)
        try:
            with trio.move_on_after(timeoutMs / 1000):
                await process.wait()
        finally:
            process.kill()
            with trio.CancelScope(shield=True, relative_deadline=5):
                await process.wait()
        return f"[timed out after {timeoutMs}ms]"

    with registry.register(bash):
        yield


def test_a_shell_that_kills_only_the_leader_is_found_out() -> None:
    """The control: what the test above looks for is there to be found."""
    found = hostile_commands(2, 2, 0, plugin=careless, beside={"daemon": BESIDE["daemon"]})
    assert any("of its processes live" in fault for fault in found.faults), found.told()
    assert any("holds its pipe open" in fault for fault in found.faults), found.told()
    assert any("the result says" in fault for fault in found.faults), found.told()


def test_every_kind_of_command_is_drawn_and_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: each holds the judge's pipe and carries the mark, or it would prove nothing."""
    monkeypatch.setattr(_hostile_host, "PATIENCE", 0.1)
    drawn: set[str] = set()
    everything = {**BESIDE, **BEYOND_REACH}
    draw = Random(0)
    while drawn != {*everything, *GOING_ON}:
        drawn |= {*hostile_command(draw, tmp_path / "pipe", everything).names}
    with held_pipe(tmp_path / "pipe") as reading:
        assert not is_held(reading)
        command = hostile_command(draw, tmp_path / "pipe", BESIDE)
        with subprocess.Popen(["bash", "-c", command.text], stdout=subprocess.PIPE, start_new_session=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"CRITICAL\n"
            assert is_held(reading)
            assert seconds_until_gone([command], []) >= _hostile_host.PATIENCE
            assert seconds_until_gone([], [reading]) >= _hostile_host.PATIENCE
            assert len(marked(command.mark)) > 1
            os.killpg(child.pid, signal.SIGKILL)
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            assert zombies() == [child.pid]
            hunt(command.mark)
        assert marked(command.mark) == []
        assert seconds_until_gone([command], [reading]) < _hostile_host.PATIENCE
        assert not is_held(reading)


async def test_what_a_process_holds_beyond_before_is_told() -> None:
    """The control: a descriptor, a thread at work, a task."""
    before = held()
    at_work, go_on = trio.Event(), trio.Event()

    def work() -> None:
        trio.from_thread.run_sync(at_work.set)
        trio.from_thread.run(go_on.wait)

    async with trio.open_nursery() as nursery:
        reading, writing = os.pipe()
        nursery.start_soon(trio.to_thread.run_sync, work)
        await at_work.wait()
        faults = held().beyond(before)
        os.close(reading)
        os.close(writing)
        go_on.set()
    assert [fault[:12] for fault in faults[:3]] == ["a descriptor", "a descriptor", "a thread is "]
    assert "tasks of Trio" in faults[3]
    assert held().beyond(before) == []
