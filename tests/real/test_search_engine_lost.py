"""ripgrep dies, cannot be started, or ends in a way that nobody knows: Python searches instead."""

from __future__ import annotations

import os
import re
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_files_fakes import folder, opened
from test_search_process import is_gone, ripgrep, started

from trio_tools.toolkits.files._engine import choose_engine
from trio_tools.toolkits.files._ripgrep import Ripgrep
from trio_tools.values import ToolError

__all__ = ["ripgrep"]  # a fixture


def test_python_goes_on_where_ripgrep_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep) -> None:
    """F009: killed from outside, or for want of memory; the answer is the same, since Python gives it."""
    pids = started(monkeypatch, lambda pid: os.kill(pid, signal.SIGKILL))
    with opened(folder(tmp_path, "root", {"a": "x"}), ripgrep) as tools:
        assert tools.grep("x") == "Found 1 matches\n\na\nLine 1: x"
    assert all(map(is_gone, pids))


def test_python_goes_on_where_ripgrep_has_not_the_memory_to_list_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep
) -> None:
    """F009: it says so of the directory, goes on, and is not to be believed."""
    root = folder(tmp_path, "root", {"a": "x", "sub/b": "x"})
    words = "rg: ./sub: Cannot allocate memory (os error 12)"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nprintf './a\\0001\\r\\n'; echo '{words}' >&2; exit 2\n")
    program.chmod(0o755)

    def command(*_: object) -> list[str]:
        return [str(program)]

    monkeypatch.setattr(Ripgrep, "command", command)
    with opened(root, ripgrep) as tools:
        assert tools.grep("x") == "Found 2 matches\n\na\nLine 1: x\n\nsub/b\nLine 1: x"


@contextmanager
def children_reaped_by_the_system() -> Generator[None]:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_an_end_that_nobody_knows_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: Ripgrep
) -> None:
    """F009: where SIGCHLD is ignored one that was killed looks like one that is through."""
    started(monkeypatch, lambda pid: os.kill(pid, signal.SIGKILL))
    with opened(folder(tmp_path, "root", {"a": "x"}), ripgrep) as tools, children_reaped_by_the_system():
        assert tools.grep("x") == "Found 1 matches\n\na\nLine 1: x"


def test_where_no_end_is_known_python_searches() -> None:
    """F009: or it is said why nobody does."""
    with children_reaped_by_the_system():
        assert choose_engine("auto") is None
        with pytest.raises(RuntimeError, match=r"this process ignores SIGCHLD.*; or leave it at \"auto\""):
            choose_engine("ripgrep")


@pytest.mark.parametrize("left", range(16))
def test_without_descriptors_a_search_answers_or_says_so(tmp_path: Path, ripgrep: Ripgrep, left: int) -> None:
    """F009: ripgrep needs more of them than Python."""
    with opened(folder(tmp_path, "root", {"a": "x", "sub/b": "x"}), ripgrep) as tools:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        highest, taken = max(map(int, os.listdir("/proc/self/fd"))), list[int]()
        while not taken or taken[-1] <= highest:  # all that would be free below the limit, and is not counted
            taken.append(os.open(os.devnull, os.O_RDONLY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (taken[-1] + 1 + left, limits[1]))
        try:
            came_to = tools.grep("x")
        except ToolError as error:
            came_to = f"{error.code}: {error.message}"
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            for one in taken:
                os.close(one)
    answer = "Found 2 matches\n\na\nLine 1: x\n\nsub/b\nLine 1: x"
    failure = r"(SEARCH|FS)_FAILED: .*: Too many open files\. Try again when less is going on\."
    assert came_to == answer or (left < 4 and re.fullmatch(failure, came_to))
