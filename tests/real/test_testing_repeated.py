"""The same step, mode and seed give the same trace, 100 times of 100, whichever Python runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_a_case_has_one_trace(version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    packages = Path(attrs.__file__).parents[1]  # what we stand on has no code that is compiled for one version
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(packages)])}
    ran = subprocess.run([python, PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.split("\n") == [*(f"{mode} 1" for mode in Mode), ""]
