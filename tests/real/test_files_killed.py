"""The process is killed in the middle of writes and edits: every file is the old one or the new one, whole."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom

import pytest

from benchmarks._hostile_writes import Outcome, _Witness, kill_writers
from benchmarks._hostile_writes_child import PATHS, content, mark_of

# A tenth of what `python -m benchmarks hostile` does.
KILLS = 20


def test_files_are_whole_whenever_the_process_is_killed() -> None:
    """F006: in any step, that between naming and publishing included; what was told is there; and the next opening
    leaves no name of the toolkit's own."""
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    outcome = kill_writers(KILLS, seed)
    assert outcome.broken == []
    assert outcome.kills == KILLS
    assert outcome.changes > KILLS, outcome


def test_a_kill_between_the_two_steps_leaves_a_name_until_the_next_opening() -> None:
    """F006: the one step at which something can stay, met for certain."""
    outcome = kill_writers(1, 0, in_between=True)
    assert (outcome.kills, outcome.left, outcome.broken) == (1, 1, [])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (content(7, 3)[:-1], "a.txt is None"),
        (content(7, 3)[40:] + content(8, 3), "a.txt is None"),
        (content(9, 3), "a.txt is 9"),
        ("", "a.txt is None"),
    ],
)
def test_the_judge_finds_a_file_that_is_not_whole_or_not_the_one(tmp_path: Path, text: str, fault: str) -> None:
    witness = _Witness(tmp_path, Outcome())
    witness.begins(7)
    (tmp_path / PATHS[0]).write_text(text)
    witness.judges(1)
    (found,) = witness.outcome.broken
    assert fault in found
    assert mark_of(content(7, 3)) == 7
