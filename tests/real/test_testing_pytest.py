"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import trio

from trio_tools.testing import explore_turn
from trio_tools.tool import tool
from trio_tools.values import ToolCall

# Without the plugins that have nothing to do there: they take longer to import than all else.
WITHOUT = [f"-pno:{name}" for name in ("randomly", "trio", "anyio", "hypothesispytest", "cacheprovider")]
PYTEST = [sys.executable, "-m", "pytest", "-q", *WITHOUT]

SESSION = """
import os, tempfile, trio

async def good():
    await trio.sleep(1)
    return "done"

async def bad():
    try:
        await trio.sleep(1)
    finally:
        await trio.sleep(1)

def test_good(trio_tools_explore_cancellation):
    assert trio_tools_explore_cancellation(good).failures == ()

def test_bad(trio_tools_explore_cancellation):
    trio_tools_explore_cancellation(bad)

def test_clean(trio_tools_no_leftovers, tmp_path):
    (tmp_path / "kept").write_text("by pytest")

def test_untidy(trio_tools_no_leftovers):
    tempfile.mkstemp()

def test_after_it(tmp_path, trio_tools_effects, trio_tools_gate):
    assert tmp_path.is_dir()
    assert trio_tools_effects.count("x") == trio_tools_gate.arrived == 0
"""


def test_its_fixtures_find_what_is_wrong_and_leave_the_session_alone(tmp_path: Path) -> None:
    (tmp_path / "test_session.py").write_text(SESSION)
    ran = subprocess.run(
        [*PYTEST, "-pno:xdist", "--tb=line", str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    printed = ran.stdout
    assert ran.returncode == 1, printed + ran.stderr
    assert "3 passed, 1 failed, 1 error" in printed or "1 failed, 4 passed, 1 error" in printed, printed
    assert "FAILED test_session.py::test_bad" in printed
    assert "ERROR test_session.py::test_untidy" in printed
    assert "promises were broken in 1 of 2 explorations" in printed


def test_processes_of_pytest_hand_over_what_they_have_explored(tmp_path: Path) -> None:
    (tmp_path / "test_session.py").write_text(SESSION)
    ran = subprocess.run(
        [*PYTEST, "-n1", "-k", "good or bad"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "promises were broken in 1 of 2 explorations" in ran.stdout


async def runs_a_program() -> str:
    await trio.run_process(["sleep", "0.02"])
    return "done"


def test_trios_own_way_to_run_a_program_is_no_misstep() -> None:
    one = tool(runs_a_program)
    report = explore_turn([one], [ToolCall(one.name, {})], runs=20, seeds=1)
    assert (report.virtual, report.failures) == (False, ())


@pytest.mark.parametrize("answer", [0, [], ["bad"]])
def test_a_check_that_answers_neither_yes_nor_no_is_refused(answer: object) -> None:
    async def waits() -> None:
        await trio.sleep(1)

    one = tool(waits)
    with pytest.raises(TypeError, match="check returns None, True, False or a text"):
        explore_turn([one], [ToolCall(one.name, {})], check=lambda run: answer)
