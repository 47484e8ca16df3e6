"""The program that runs commands is killed with SIGKILL: so is all that they have started."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from test_shell_probe import living, rest
from test_shell_supervised_hostile import RESPAWNER, name, named

__all__ = ["name", "rest"]  # fixtures

# Seconds for a tree to be gone. It takes one at most; this is for a machine that does much else. The commands would run
# for five minutes, and their grace would be one.
GONE_WITHIN = 20

HOST = """
import os, sys, time
sys.path[:0] = {paths!r}
import trio
from trio_tools import ToolCall, open_registry
from trio_tools.toolkits.shell import ShellConfig, shell

async def run(registry, command, scope):
    await registry.execute(ToolCall("bash", {{"command": command, "description": "d"}}), scope=scope)

async def main():
    plugin = shell(ShellConfig(root={folder!r}, grace=60))
    async with open_registry(plugins=[plugin]) as registry, trio.open_nursery() as nursery:
        for command in {commands!r}:
            nursery.start_soon(run, registry, command, trio.CancelScope())
        while len(os.listdir({folder!r})) < len({commands!r}):  # each makes a file
            await trio.sleep(0.01)
        {then}
        open(os.path.join({folder!r}, "all run"), "w").close()

trio.run(main)
"""

COMMANDS = [
    "trap '' TERM HUP INT; touch $PWD/deaf; while :; do sleep 0.1; done",
    "(setsid bash -c \"trap '' TERM; sleep 300\" &); touch $PWD/tree; sleep 300 & wait",
    "(setsid env -i {name} -c 'trap \"\" TERM; while :; do sleep 0.1; done' &) >&- 2>&-; touch $PWD/hidden; sleep 300",
    f"{RESPAWNER} touch $PWD/respawning; sleep 300",
]
# Tells that it was asked to end, and does not.
ASKED = "trap 'touch $PWD/asked' TERM; touch $PWD/on; while :; do sleep 0.1; done"
CANCELS = "nursery.cancel_scope.cancel()"
FORKS = "print(os.fork() or time.sleep(600), flush=True)"  # the child never prints


def kill_host(folder: Path, commands: Sequence[str], *, then: str = "pass", until: str) -> str:
    """Run commands in a process that is killed when all of them run and a file has come; what it had printed."""
    paths = [path for path in sys.path if path]
    script = HOST.format(paths=paths, folder=str(folder), commands=commands, then=then)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        printed = host.stdout.readline() if then == FORKS else ""
        while not (folder / until).exists() and host.poll() is None:
            time.sleep(0.01)
        host.send_signal(signal.SIGKILL)
    assert host.returncode == -signal.SIGKILL
    return printed


def gone(word: str, name: str, *, but: Sequence[int] = ()) -> bool:
    """Wait until nothing of the commands runs; whether that came in time."""
    until = time.monotonic() + GONE_WITHIN
    while [*filter(lambda pid: pid not in but, living(word)), *named(Path(name).name)]:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_the_tree_is_gone_whatever_its_grace(tmp_path: Path, rest: str, name: str) -> None:
    """Case B25: what ignores SIGTERM, left its group and its environment, or respawns."""
    root = tmp_path / "root"
    root.mkdir()
    # all at once: `bash` runs alone in its turn, and these are turns of their own
    kill_host(root, [command.format(name=name) for command in COMMANDS], until="all run")
    assert gone(rest, name)


def test_nothing_is_waited_for_that_had_its_grace_already(tmp_path: Path, rest: str, name: str) -> None:
    """Case B25: killed in the middle of a minute's grace, which is cut."""
    root = tmp_path / "root"
    root.mkdir()
    kill_host(root, [ASKED], then=CANCELS, until="asked")
    assert gone(rest, name)


def test_a_fork_of_the_host_does_not_keep_its_commands(tmp_path: Path, rest: str, name: str) -> None:
    """It holds a copy of all that the host held, the other end of each supervisor's socket too."""
    root = tmp_path / "root"
    root.mkdir()
    child = int(kill_host(root, [COMMANDS[0]], then=FORKS, until="all run"))
    try:
        assert gone(rest, name, but=[child])
        assert living(rest) == [child]
    finally:
        os.kill(child, signal.SIGKILL)
    assert gone(rest, name)
