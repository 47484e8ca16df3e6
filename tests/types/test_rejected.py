"""What the types forbid, both checkers refuse: no scope, a view or a result changed, a claim from the wrong stage."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
REJECTED = sorted((HERE / "rejected").glob("*.py"))
# Seconds for one checker over a few lines, its start and a cold cache included, on a slow machine.
PATIENCE = 120


def marked(path: Path) -> set[tuple[str, int]]:
    lines = path.read_text().splitlines()
    return {(path.name, number) for number, line in enumerate(lines, 1) if line.endswith("# rejected")}


def mypy() -> set[tuple[str, int]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    done = subprocess.run(
        [*command, *map(str, REJECTED)], capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False
    )
    assert not done.stderr, done.stderr
    found = re.findall(r"([\w.]+\.py):(\d+): error:", done.stdout)
    return {(name, int(line)) for name, line in found}


def pyright(folder: Path) -> set[tuple[str, int]]:
    # a copy: the project's own configuration leaves these files out
    for path in REJECTED:
        shutil.copy(path, folder)
    project = folder / "pyrightconfig.json"
    project.write_text(json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(ROOT)]}))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=PATIENCE, check=False)
    report = json.loads(done.stdout)
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    }


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_misuse_of_the_surface_is_refused_by_the_type_checker(checker: str, tmp_path: Path) -> None:
    """Promise 1: the type says it. Each marked line is refused, and nothing else is."""
    expected = set[tuple[str, int]]().union(*map(marked, REJECTED))
    assert len(expected) > 25
    assert (mypy() if checker == "mypy" else pyright(tmp_path)) == expected
