"""What docs/journal.md shows runs, and does what it says."""

from __future__ import annotations

import os
import re
import signal
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


def run_in(folder: Path, script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_the_example_pays_once_however_often_it_is_run_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    shown = re.findall(r"```text\n(.*?)```", (DOCS / "journal.md").read_text(), re.DOTALL)
    for output in shown:
        done = run_in(tmp_path, EXAMPLE)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", output)
    assert [output.splitlines()[-1] for output in shown] == ["2 messages", "4 messages"]
    assert b"4242" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_the_example_does_not_pay_again_what_a_kill_has_left_unknown(tmp_path: Path) -> None:
    bank = "await trio.sleep(0.1)  # the bank"
    killed = tmp_path / "killed.py"
    assert bank in EXAMPLE.read_text()
    killed.write_text(EXAMPLE.read_text().replace(bank, "__import__('os').kill(__import__('os').getpid(), 9)"))
    assert run_in(tmp_path, killed).returncode == -signal.SIGKILL
    for _ in range(2):
        told = run_in(tmp_path, EXAMPLE).stdout.splitlines()
        assert "nobody knows whether it went through" in told[0]
        assert told[-1] == "nobody knows whether it went through: pay 17"
        assert not any("committed" in line for line in told)


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
