"""A page of docs as its reader follows it: its files are written, its commands run, and both do what it shows."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from fresh_environment import BOUND, Environment

# What makes the environment. It is not run as it stands, for pip would ask the network: the fixture `environment` does
# the same with the wheel of this very tree, and with what this interpreter has of all that the wheel needs.
MAKING = "python3 -m venv .venv && . .venv/bin/activate"

# Where pages have the reader's folder.
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


def variables(folder: Path, environment: Environment) -> dict[str, str]:
    """Those of a shell in which the environment is active."""
    path = os.pathsep.join((str(environment.python.parent), os.environ["PATH"]))
    # plugins of pytest that this interpreter has, and a newcomer has not
    without = "-p no:randomly -p no:trio -p no:anyio -p no:xdist"
    return {"PATH": path, "HOME": str(folder), "COLUMNS": "80", "PYTEST_ADDOPTS": without}


def shell(command: str, folder: Path, environment: Environment) -> str:
    """What a command prints, in a shell in which the environment is active."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=variables(folder, environment),
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
