"""An environment of its own, with wheels of trio_tools and of a plugin that somebody else wrote."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[2]
# Seconds that building, installing or running anything may take before a test gives up.
BOUND = 120


@attrs.frozen
class Environment:
    """A virtual environment, and an empty folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run its interpreter in the empty folder."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.folder,
            env=surroundings(variables),
            capture_output=True,
            text=True,
            timeout=BOUND,
            check=False,
        )

    def command(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `trio-tools` as it is installed there."""
        return self.run(str(self.python.parent / "trio-tools"), *arguments, **variables)

    def write(self, name: str, text: str) -> str:
        """Write a file into the empty folder; its name."""
        (self.folder / name).write_text(text)
        return name


def surroundings(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's variables without what would lead out of the environment, and with more."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRIO_TOOLS", "PIP"))}
    return {**kept, "NO_COLOR": "1", **variables}


def fresh_environment(folder: Path) -> Path:
    """Build both wheels and install them in this folder, unless another process has, or does so just now; the
    interpreter. What they depend on is taken from this interpreter's packages, so that nothing is downloaded."""
    folder.mkdir(exist_ok=True)
    wheels, home, made = folder / "wheels", folder / "environment", folder / "made"
    python = home / "bin" / "python"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            return python
        for source in (ROOT, ROOT / "tests" / "third_party"):
            _done(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", wheels, folder=source)
        _done(sys.executable, "-m", "venv", "--without-pip", home, folder=folder)
        (inside,) = home.glob("lib/python*/site-packages")
        # a path of a path file is searched, but path files in it are not obeyed: the tree under test stays out
        (inside / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        # its own interpreter has pip from there too, and what is installed there is not what is meant
        install = ("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--ignore-installed")
        _done(python, *install, *sorted(wheels.glob("*.whl")), folder=folder)
        made.touch()
    return python


def _done(*command: str | Path, folder: Path) -> None:
    result = subprocess.run(
        command, cwd=folder, env=surroundings({}), capture_output=True, text=True, timeout=BOUND, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
