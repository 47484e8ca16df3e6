"""What the README shows runs, and is what stands in docs/examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "embed.py"
# Seconds for a script that sleeps 0.2 s, with an interpreter's start on a slow machine.
PATIENCE = 60


def test_the_readme_shows_the_example_as_it_is() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert shown == EXAMPLE.read_text()


def test_the_example_runs() -> None:
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "trio: a word None True",
        "nursery: a word",
        "scope: a word",
        "checkpoint: a word",
    ]
