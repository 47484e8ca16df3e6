"""ripgrep as a process: what it is allowed, how it ends, and what is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from search_trees import the_ripgrep
from test_files_fakes import Files, folder, opened

from trio_tools import ErrorCode, ToolCall, open_registry
from trio_tools.toolkits.files import FilesConfig, _ripgrep, files
from trio_tools.toolkits.files._engine import choose_engine
from trio_tools.toolkits.files._ripgrep import Ripgrep
from trio_tools.values import ToolError

SECRET = "the secret of the outside"


@pytest.fixture
def ripgrep() -> Ripgrep:
    return the_ripgrep()


def started(monkeypatch: pytest.MonkeyPatch, then: Callable[[int], None]) -> list[int]:
    """Do something with each process as soon as it has been started. Gives their ids."""
    pids: list[int] = []

    real = subprocess.Popen.__init__

    def begin(process: subprocess.Popen[bytes], *arguments: Any, **options: Any) -> None:
        real(process, *arguments, **options)
        pids.append(process.pid)
        then(process.pid)

    monkeypatch.setattr(subprocess.Popen, "__init__", begin)
    return pids


def is_gone(pid: int) -> bool:
    return not os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize(("search_timeout", "code"), [(30, ErrorCode.ABORTED), (0.2, ErrorCode.TOOL_TIMEOUT)])
async def test_a_search_that_is_given_up_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep, search_timeout: float, code: ErrorCode
) -> None:
    """F009, T031: one that does not move at all: the call settles when it has been killed and reaped."""
    scope = trio.CancelScope()

    def stop(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        if code is ErrorCode.ABORTED:
            trio.from_thread.run_sync(scope.cancel)

    config = FilesConfig(
        root=folder(tmp_path, "root", {"a": "x"}), search_timeout=search_timeout, search_engine="ripgrep"
    )
    async with open_registry(plugins=[files(config)]) as registry:
        pids = started(monkeypatch, stop)
        before = len(os.listdir("/proc/self/fd"))
        result = await registry.execute(ToolCall("grep", {"pattern": "x"}), scope=scope)
        assert result.code == code
        assert len(pids) == 1
        assert all(map(is_gone, pids))
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_long_line_is_not_held_by_ripgrep(tmp_path: Path, ripgrep: Ripgrep) -> None:
    """F009: it dies of its limit rather than hold a line of 130 MiB; Python searches such a line piece by piece."""
    with open(tmp_path / "line", "wb") as line:
        for _ in range(130):
            line.write(b"x" * 1_048_576)
    here = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        command = ripgrep.command(here, here, ["--no-config", "--no-mmap", "--count", "--regexp=needle", "./"])
        done = subprocess.run(command, env={}, pass_fds=(here,), capture_output=True, check=False)
    finally:
        os.close(here)
        os.unlink(tmp_path / "line")
    assert done.returncode == -signal.SIGABRT
    assert b"memory allocation" in done.stderr


def test_nothing_of_the_surroundings_changes_a_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep
) -> None:
    """F009: no configuration by environment or file, no ignore files."""
    root = folder(tmp_path, "root", {"a": "X", ".ignore": "*", ".rgignore": "*", ".gitignore": "*", ".git/HEAD": ""})
    (tmp_path / "rc").write_text("--ignore-case\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    with opened(root, ripgrep) as tools:
        assert tools.grep("x") == "No matches found"
        assert tools.grep("X") == "Found 1 matches\n\na\nLine 1: X"


def test_output_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep) -> None:
    """F009: 200,000,000 bytes of names; here 100."""
    monkeypatch.setattr(_ripgrep, "MAX_RAW_BYTES", 100)
    pids = started(monkeypatch, lambda pid: None)
    with opened(folder(tmp_path, "root", {f"{number:03}": "x" for number in range(50)}), ripgrep) as tools:
        assert tools.code("grep", pattern="x") == "SEARCH_RAW_OUTPUT_OVERFLOW"
        assert tools.grep("y") == "No matches found"
    assert all(map(is_gone, pids))


def test_what_ripgrep_says_of_itself_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep) -> None:
    """F009: an exit of 2 that is not about paths."""
    monkeypatch.setattr(_ripgrep, "_OPTIONS", ["--no-such-option"])
    with opened(folder(tmp_path, "root", {"a": "x"}), ripgrep) as tools:
        failure = tools.failure("grep", pattern="x")
        assert failure.code == "SEARCH_FAILED"
        assert "no-such-option" in failure.message


def test_paths_that_cannot_be_opened_are_counted_alike(tmp_path: Path, ripgrep: Ripgrep) -> None:
    """F009: exit 2 with a part of the answer is an answer; paths are too long for either engine, files and a folder."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        for name in ("f", "x" * 200):
            descriptor = os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=here)
            os.write(descriptor, b"foo")
            os.close(descriptor)
        os.mkdir("d" * 250, dir_fd=here)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    with opened(tmp_path) as python, opened(tmp_path, ripgrep) as by_ripgrep:
        for include in (None, "f", "?*"):
            text = python.grep("foo", include=include)
            assert text.endswith("could not be read and were left out.)")
            assert by_ripgrep.grep("foo", include=include) == text


def test_the_kernel_keeps_it_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep) -> None:
    """F003: told to follow links and to search other folders, it is refused; so is a root that a link became."""
    root = folder(tmp_path, "root", {"in": "x"})
    outside = folder(tmp_path, "outside", {"secret": SECRET})
    (root / "file").symlink_to(outside / "secret")
    (root / "folder").symlink_to(outside)
    options = [one for one in _ripgrep._OPTIONS if one != "--no-follow"]
    monkeypatch.setattr(_ripgrep, "_OPTIONS", [*options, "--follow"])
    with opened(root, ripgrep) as tools:
        left_out = "(2 files or directories could not be read and were left out.)"
        assert tools.grep(".") == f"Found 1 matches\n\nin\nLine 1: x\n\n{left_out}"


def test_links_that_change_meanwhile_lead_ripgrep_nowhere(tmp_path: Path, ripgrep: Ripgrep) -> None:
    """F003: a thread exchanges folders and a file for links to the outside and back, as fast as it can."""
    outside = folder(tmp_path, "outside", {"f": SECRET, "d/f": SECRET, "secret.txt": SECRET})
    root = folder(tmp_path, "root", {"d/d/f": "inside", "d/f": "inside"})
    done = threading.Event()

    def exchange() -> None:
        while not done.is_set():
            for name, target in (("d", outside), ("d/d", outside / "d"), ("d/f", outside / "f")):
                (root / name).rename(root / "aside")
                (root / name).symlink_to(target)
                (root / name).unlink()
                (root / "aside").rename(root / name)

    swapper = threading.Thread(target=exchange)
    swapper.start()
    try:
        with opened(root, ripgrep) as tools:
            for _ in range(30):
                assert "secret" not in _said(tools)
    finally:
        done.set()
        swapper.join()


def _said(tools: Files) -> str:
    try:
        return tools.grep("s")
    except ToolError:
        return ""


def test_an_rg_that_cannot_be_shut_in_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F009: a program that needs libraries from elsewhere, and none at all: Python searches, or it is said why."""
    monkeypatch.setattr("trio_tools.toolkits.files._engine.PACKAGE", "no-such-package")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_engine("auto") is None
    with pytest.raises(RuntimeError, match=r"ripgrep is not there: install trio-tools\[search\]"):
        choose_engine("ripgrep")
    shutil.copy("/bin/ls", tmp_path / "rg")
    assert choose_engine("auto") is None
    with pytest.raises(RuntimeError, match="does not run shut into a directory"):
        choose_engine("ripgrep")
    assert choose_engine("python") is None


def test_an_rg_of_the_working_directory_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep
) -> None:
    """F009: it may have come with whatever is being worked on."""
    monkeypatch.setattr("trio_tools.toolkits.files._engine.PACKAGE", "no-such-package")
    shutil.copy(ripgrep.path, tmp_path / "rg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert choose_engine("auto") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_engine("auto") == Ripgrep(os.path.realpath(tmp_path / "rg"))


async def test_a_registry_that_asks_for_what_is_not_there_does_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trio_tools.toolkits.files._engine.PACKAGE", "no-such-package")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="search_engine"):
        async with open_registry(plugins=[files(FilesConfig(root=tmp_path, search_engine="ripgrep"))]):
            pytest.fail("it opened")


# Starts a search and never reads what it prints, which is more than a pipe holds.
_STUCK = """
import subprocess, sys, time
import trio
from trio_tools import ToolCall, open_registry
from trio_tools.toolkits.files import FilesConfig, files

real = subprocess.Popen.__init__

def begin(process, *arguments, **options):
    real(process, *arguments, **options)
    print(process.pid, flush=True)
    time.sleep(600)

async def main():
    async with open_registry(plugins=[files(FilesConfig(root=sys.argv[1], search_engine="ripgrep"))]) as registry:
        subprocess.Popen.__init__ = begin
        await registry.execute(ToolCall("grep", {"pattern": "x"}), scope=trio.CancelScope())

trio.run(main)
"""


def test_a_search_ends_with_its_host(tmp_path: Path, ripgrep: Ripgrep) -> None:
    """F009: killed with SIGKILL, which no `finally` sees."""
    root = folder(tmp_path, "root", {f"{number:0200}": "x" for number in range(600)})
    host = subprocess.Popen([sys.executable, "-c", _STUCK, str(root)], stdout=subprocess.PIPE, text=True)
    with host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        try:
            while "rg" not in Path(f"/proc/{pid}/comm").read_text():
                time.sleep(0.01)
        finally:
            host.kill()
    until = time.monotonic() + 60
    while not is_gone(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert is_gone(pid)
