"""docs/prove-your-tools.md: whoever follows it, in an empty folder, sees what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fresh_environment import ROOT, Environment
from page import MAKING, assert_shown, blocks, shell

from trio_tools.testing import Mode
from trio_tools.testing._checks import CHECKS

PAGE = (ROOT / "docs" / "prove-your-tools.md").read_text()
COURSE = PAGE[PAGE.index("## From bad to proven") : PAGE.index("## What is tried")]
# Commands from an empty folder to a proven tool: what was promised.
MOST_COMMANDS = 8

INSTALLING = "pip install 'PATH[testing]'"


def test_the_page_is_as_good_as_its_word(environment: Environment, tmp_path: Path) -> None:
    """Its files are written and its commands run, in order; what each prints is what stands below it."""
    printed, shown = "", 0
    for block in blocks(COURSE):
        if block.kind == "python":
            assert block.file is not None
            (tmp_path / block.file).write_text(block.text)
        elif block.kind == "text":
            assert_shown(block.text, printed)
            shown += 1
        elif block.text.strip() not in (MAKING, INSTALLING):
            if block.text.startswith("TRIO_TOOLS_REPLAY"):
                assert f"again: {block.text}" in printed  # it is copied from what was printed last
            printed = shell(block.text, tmp_path, environment)
    assert shown == 4
    assert "1 passed" in printed


def test_its_commands_are_few_and_install_as_the_readme_does(environment: Environment) -> None:
    commands = [block.text.strip() for block in blocks(COURSE) if block.kind == "sh"]
    assert len(commands) <= MOST_COMMANDS
    assert commands[:2] == [MAKING, INSTALLING]
    assert INSTALLING.partition("[")[0] in (ROOT / "README.md").read_text()
    script = "import importlib.metadata as m; print(*m.requires('trio-tools'), sep='\\n')"
    assert re.search(r"^pytest\b.*extra == .testing.", environment.run("-c", script).stdout, re.MULTILINE)


@pytest.mark.parametrize(("heading", "names"), [("| mode |", set(Mode)), ("| check |", set(CHECKS))])
def test_its_tables_have_every_mode_and_every_check(heading: str, names: set[str]) -> None:
    rows = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    assert sorted(row.split("|")[1].strip().strip("`") for row in rows) == sorted(names)


def test_its_code_is_python() -> None:
    for block in blocks(PAGE):
        if block.kind == "python":
            compile(block.text, "page", "exec", dont_inherit=True)
