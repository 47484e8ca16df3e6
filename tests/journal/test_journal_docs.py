"""What docs/journal.md shows runs, and does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import attrs
import pytest

from trio_tools.journal import Journal, JournalConfig

DOCS = Path(__file__).parent.parent.parent / "docs"
EXAMPLE = DOCS / "examples" / "journal.py"
# Seconds for a script that sleeps 0.1 s, with an interpreter's start on a slow machine.
PATIENCE = 60


def test_the_page_shows_the_example_as_it_is() -> None:
    shown, *_ = re.findall(r"```python\n(.*?)```", (DOCS / "journal.md").read_text(), re.DOTALL)
    assert shown == EXAMPLE.read_text()


def test_the_example_pays_once_however_often_it_is_run(tmp_path: Path) -> None:
    told: list[list[str]] = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, EXAMPLE],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        told.append(done.stdout.splitlines())
    record = 'pay {"invoice": "17", "card": "(redacted)"}'
    assert told[0] == ["paid: {'payment': 'p-17'}", f"{record} ['committed']", "2 messages"]
    assert told[1] == [told[0][0], told[0][1], f"{record} []", "4 messages"]
    assert b"4242" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("page", ["journal.md", "config.md"])
def test_the_options_that_are_shown_are_options(page: str) -> None:
    tables = [tomllib.loads(one) for one in re.findall(r"```toml\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)]
    (shown,) = [one["plugins"]["journal"] for one in tables if "journal" in one.get("plugins", {})]
    assert JournalConfig(**shown).path == Path("agent.db")


def test_the_page_names_everything_that_a_journal_can_be_asked() -> None:
    """And nothing else."""
    page = (DOCS / "journal.md").read_text()
    rows = re.findall(r"^\| `(?:await )?(\w+)", page, re.MULTILINE)
    shown = {name for name in vars(Journal) if not name.startswith("_")}
    assert set(rows) == shown - {"record", "now"}
    for option in attrs.fields(JournalConfig):
        assert f"{option.name} = " in (DOCS / "config.md").read_text()
