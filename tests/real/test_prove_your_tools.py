"""docs/prove-your-tools.md: whoever follows it, in an empty folder, sees what it shows."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from fresh_environment import BOUND, ROOT, Environment

from trio_tools.testing import Mode
from trio_tools.testing._checks import CHECKS

PAGE = (ROOT / "docs" / "prove-your-tools.md").read_text()
COURSE = PAGE[PAGE.index("## From bad to proven") : PAGE.index("## What is tried")]
# Commands from an empty folder to a proven tool: what was promised.
MOST_COMMANDS = 8

# What makes the environment. It is not run as it stands, for pip would ask the network: the fixture `environment` does
# the same with the wheel of this very tree, and with what this interpreter has of all that the wheel needs.
MAKING = "python3 -m venv .venv && . .venv/bin/activate"
INSTALLING = "pip install 'PATH[testing]'"

# Where the page has its folder.
HOME = "/home/you/seats"


@attrs.frozen
class Block:
    """What is fenced: `kind` is `python`, `sh` or `text`; `file`, the name that stands above it."""

    file: str | None
    kind: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """All of a page, in order."""
    for found in re.finditer(r"(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        yield Block(*found.groups())


def shell(command: str, folder: Path, environment: Environment) -> str:
    """What a command prints, in a shell in which the environment is active."""
    path = os.pathsep.join((str(environment.python.parent), os.environ["PATH"]))
    # plugins of pytest that this interpreter has, and a newcomer has not
    without = "-p no:randomly -p no:trio -p no:anyio"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "COLUMNS": "80", "PYTEST_ADDOPTS": without},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BOUND,
        check=False,
    )
    return done.stdout.replace(str(folder), HOME).replace(str(environment.python.parents[1]), f"{HOME}/.venv")


def timeless(text: str) -> str:
    """Without what differs from run to run, from Python to Python, and whenever a line is put into trio_tools."""
    text = re.sub(r"\d+\.\d\d ?s\b", "0.00 s", text)
    text = re.sub(r"python3\.\d+/", "python3/", text)
    text = re.sub(r"(/trio_tools/\S+\.py):\d+", r"\1", text)
    return re.sub(r"0x[0-9a-f]+", "0x0", text)


def assert_shown(shown: str, printed: str) -> None:
    """The page shows what was printed; a line of three dots stands for any lines."""
    lines = timeless(shown).splitlines()
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in lines)
    if not re.fullmatch(pattern, timeless(printed)):
        pytest.fail(f"the page shows\n{shown}\nand it printed\n{printed}")


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
