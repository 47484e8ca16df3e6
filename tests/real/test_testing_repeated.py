"""The same step, mode and seed give the same trace, 100 times of 100, whichever Python runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from trio_tools.testing import Mode

PROGRAM = Path(__file__).with_name("traces.py")
ROOT = Path(__file__).parents[2]


def interpreter(version: str) -> str | None:
    """A Python of this version that runs: this one, one on the path, or one installed beside this one."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    found = shutil.which(f"python{version}")
    beside = [str(path) for path in Path(sys.base_prefix).parent.glob(f"*{version}*/bin/python{version}")]
    for candidate in [*([found] if found else []), *beside]:
        if subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


VERSIONS = ("3.11", "3.12", "3.13")


def modes(python: str) -> list[Mode]:
    """Each of them here; with other Pythons the two that are furthest apart."""
    return [*Mode] if python == sys.executable else [Mode.WAKING, Mode.INTERRUPT]


def started(python: str) -> subprocess.Popen[str]:
    packages = Path(attrs.__file__).parents[1]  # what we stand on has no code that is compiled for one version
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(packages)])}
    pipe = subprocess.PIPE
    return subprocess.Popen([python, PROGRAM, *modes(python)], env=environment, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[str, tuple[list[Mode], subprocess.Popen[str]]]]:
    """One of each Python that is here, all at once."""
    found = {version: interpreter(version) for version in VERSIONS}
    running = {version: (modes(python), started(python)) for version, python in found.items() if python is not None}
    yield running
    for _, program in running.values():
        program.kill()
        program.communicate()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_case_has_one_trace(version: str, programs: dict[str, tuple[list[Mode], subprocess.Popen[str]]]) -> None:
    if version not in programs:
        pytest.skip(f"there is no Python {version} on this machine")
    tried, program = programs[version]
    printed, complaints = program.communicate()
    assert complaints == ""
    assert printed.split("\n") == [*(f"{mode} 1" for mode in tried), ""]
