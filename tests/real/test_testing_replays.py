"""The line that a report prints works in a real shell, and finds the same; the pytest plugin in a real pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

from trio_tools.testing._report import REPLAY
from trio_tools.testing._surroundings import MARK

ROOT = Path(__file__).parents[2]
# Seconds that a child may take before a test gives up: it takes one.
BOUND = 120

TOOL = '''
import trio


async def tidies_up_unshielded() -> str:
    """Is cut again at once."""
    try:
        await trio.sleep(1)
    finally:
        await trio.sleep(0.1)
    return "done"
'''
TEST = f"""{TOOL}

from trio_tools.testing import explore_cancellation


def test_it_stops():
    explore_cancellation(tidies_up_unshielded)
"""
PROGRAM = f"""{TOOL}

from trio_tools.testing import BrokenPromiseError, explore_cancellation

try:
    explore_cancellation(tidies_up_unshielded)
except BrokenPromiseError as broken:
    print(broken)
"""
FIXTURES = """
import os
import tempfile

import trio


async def naps() -> None:
    await trio.sleep(1)


async def fails() -> None:
    raise RuntimeError("out of stock")


def test_a_tool(trio_tools_explore_cancellation, trio_tools_effects):
    assert trio_tools_explore_cancellation(naps, services=[trio_tools_effects]).failures == ()


def test_a_turn(trio_tools_explore_turn):
    from trio_tools import ToolCall

    trio_tools_explore_turn([naps, fails], [ToolCall("naps"), ToolCall("fails")], runs=10)


def test_leaves_nothing(trio_tools_no_leftovers):
    with tempfile.TemporaryDirectory():
        pass


def test_leaves_a_file(trio_tools_no_leftovers):
    tempfile.mkdtemp()
"""


def child_environment(**variables: str) -> dict[str, str]:
    """As in a person's shell, with this checkout before whatever is installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", REPLAY, MARK))}
    folder = os.path.dirname(sys.executable)
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    # plugins that have nothing to do there, and take longer to import than all else
    without = "-p no:randomly -p no:trio -p no:anyio -p no:xdist -p no:hypothesispytest"
    ours = {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "300", "PYTEST_ADDOPTS": without}
    return {**kept, "PATH": path, **ours, **variables}


def in_shell(line: str, folder: Path) -> str:
    """What this line prints, typed in this folder."""
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BOUND,
        check=False,
    ).stdout


def again(output: str) -> str:
    """The first line that replays, as it is printed."""
    return next(line.partition("again: ")[2] for line in output.splitlines() if "again: " in line)


def findings(output: str) -> list[str]:
    """The first case in which something is broken, and what is."""
    lines = [line.removeprefix("E ").strip() for line in output.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("tidies_up_unshielded, "))
    return lines[start : start + 2]


def test_the_line_that_a_test_prints_finds_the_same_in_a_shell(tmp_path: Path) -> None:
    """Also in a folder that is not pytest's root."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "test_it.py").write_text(TEST)
    first = in_shell("python -m pytest -p no:cacheprovider", tmp_path / "sub")
    line = again(first)
    assert line.startswith("TRIO_TOOLS_REPLAY=tidies_up_unshielded:blocked:1:0 python -m pytest ")
    replayed = in_shell(f"{line} -p no:cacheprovider", tmp_path / "sub")
    assert findings(replayed) == findings(first)
    assert "unwinding: after the cancel it awaited again" in findings(first)[1]
    assert "> 1 task 0: " in replayed
    assert "> 1 task 0: " not in first


def test_the_line_that_a_program_prints_finds_the_same_in_a_shell(tmp_path: Path) -> None:
    """One that has no file: its text is in the line."""
    first = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=True,
    ).stdout
    start = first.index("TRIO_TOOLS_REPLAY=")
    end = first.index("\n  again" if first.count("again: ") > 1 else "\n... and", start)
    replayed = in_shell(first[start:end], tmp_path)
    assert findings(replayed) == findings(first)
    assert "> 1 task 0: " in replayed


def test_the_plugin_has_fixtures_and_says_at_the_end_what_was_explored(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FIXTURES)
    is_installed = any(one.name == "trio_tools" for one in entry_points(group="pytest11"))
    plugin = "" if is_installed else "-p trio_tools._pytest"  # of an older checkout that is installed
    output = in_shell(f"python -m pytest {plugin} -p no:cacheprovider", tmp_path)
    assert "4 passed, 1 error" in output
    assert "LeftoversError: left behind: the temporary file " in output
    assert "= trio_tools =" in output
    assert "every promise held in 2 explorations: " in output
    assert "unproved of naps+fails: undisturbed, fails does not succeed" in output
