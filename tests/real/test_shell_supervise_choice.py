"""Who watches over commands, by config and by what there is; and the refusal where nobody can."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
import trio
from test_shell_probe import rest

from trio_tools import ToolCall, open_registry
from trio_tools.toolkits.shell import ShellConfig, _tiers, shell
from trio_tools.toolkits.shell._child import Child
from trio_tools.toolkits.shell._supervised import start_supervised

__all__ = ["rest"]  # fixtures

Supervise = Literal["auto", "always", "never"]


async def parent_of_a_command(root: Path, supervise: Supervise) -> int:
    """The process that has started a command, in a registry that is opened for it."""
    async with open_registry(plugins=[shell(ShellConfig(root=root, supervise=supervise))]) as registry:
        call = ToolCall("bash", {"command": "echo $PPID", "description": "d"})
        return int((await registry.execute(call, scope=trio.CancelScope())).text)


async def test_a_supervisor_is_had_unless_it_is_not_wanted(tmp_path: Path, rest: str) -> None:
    assert await parent_of_a_command(tmp_path, "never") == os.getpid()
    for supervise in ("auto", "always"):
        assert await parent_of_a_command(tmp_path, supervise) != os.getpid()


async def test_that_a_supervisor_works_is_found_out_once(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each process, for the Python that it would run."""
    started: list[str] = []

    async def start(argv: Sequence[str], **given: Any) -> Child:
        started.append(argv[-1])
        return await start_supervised(argv, **given)

    monkeypatch.setattr(_tiers, "_FOUND_TO_WORK", set[object]())
    monkeypatch.setattr(_tiers, "start_supervised", start)
    for supervise in ("auto", "always"):
        assert await parent_of_a_command(tmp_path, supervise) != os.getpid()
    assert started == [":", "echo $PPID", "echo $PPID"]
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="no supervising process can be had here"):
        await parent_of_a_command(tmp_path, "always")


async def test_a_config_file_chooses(tmp_path: Path, rest: str) -> None:
    config = tmp_path / "trio-tools.toml"
    config.write_text(f'[plugins.shell]\nroot = "{tmp_path}"\nsupervise = "never"\n')
    async with open_registry(config=config) as registry:
        call = ToolCall("bash", {"command": "echo $PPID", "description": "d"})
        assert (await registry.execute(call, scope=trio.CancelScope())).text == f"{os.getpid()}\n"


def test_another_word_is_refused() -> None:
    with pytest.raises(ValueError, match="supervise must be one of auto, always, never, not 'perhaps'"):
        ShellConfig(supervise="perhaps")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("supervise", "code", "text"),
    [
        ("always", None, "on\n[exit code: 3]"),
        (
            "never",
            "BASH_SPAWN_FAILED",
            "Error: could not start bash: this process ignores SIGCHLD, so how a command ended is not known; set it to "
            "SIG_DFL",
        ),
    ],
)
async def test_who_has_its_children_reaped_by_the_system_makes_no_end_up(
    tmp_path: Path, rest: str, supervise: Supervise, code: str | None, text: str
) -> None:
    """B024, B025: a command that was killed would have exited with 0, and one that is quick would not have started."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        async with open_registry(plugins=[shell(ShellConfig(root=tmp_path, supervise=supervise))]) as registry:
            call = ToolCall("bash", {"command": "echo on; exit 3", "description": "d"})
            result = await registry.execute(call, scope=trio.CancelScope())
            assert (result.code, result.text) == (code, text)
    finally:
        signal.signal(signal.SIGCHLD, before)


def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that brings Python inside itself: run again it would not be Python."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)


def zipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when modules are imported from an archive."""
    monkeypatch.setattr(_tiers, "SUPERVISOR", Path("/archive.zip/trio_tools/_supervisor.py"))


def nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")


def another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")


@pytest.mark.parametrize("lack", [frozen, zipped, nameless, another_program])
async def test_without_a_supervisor_it_does_without_unless_told_not_to(
    tmp_path: Path,
    rest: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    lack: Callable[[pytest.MonkeyPatch], None],
) -> None:
    """It says so, if it was not told to do without."""
    lack(monkeypatch)
    assert await parent_of_a_command(tmp_path, "never") == os.getpid()
    assert caplog.messages == []
    assert await parent_of_a_command(tmp_path, "auto") == os.getpid()
    (said,) = caplog.messages
    assert said.startswith("commands are not supervised: ")
    with pytest.raises(RuntimeError, match=r"no supervising process can be had here: .* prctl, and /proc"):
        await parent_of_a_command(tmp_path, "always")


@pytest.mark.parametrize("supervise", ["auto", "always", "never"])
async def test_where_nobody_can_promise_it_the_plugin_does_not_open(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch, supervise: Supervise
) -> None:
    """As on macOS: what is missing, and what to do."""
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.setattr(sys, "platform", "darwin")
    said = r"only on Linux 5\.4 or newer .* this is darwin: .* in a Linux container or virtual machine, or leave"
    with pytest.raises(RuntimeError, match=said):
        await parent_of_a_command(tmp_path, supervise)
