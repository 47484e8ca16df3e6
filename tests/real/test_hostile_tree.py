"""A tenth of what `python -m benchmarks hostile` does with a million files, and what finds it out."""

from __future__ import annotations

import pytest

from benchmarks._hostile_child import MOST_MEMORY, Measured
from benchmarks._hostile_tree import Search, hostile_tree, tree, tree_faults

FILES = 100_000
FOUND = Search("glob", {}, lambda text: text == "right")


def test_a_hundred_thousand_files_take_little_memory_and_none_is_missed() -> None:
    """F001, F008: glob, grep where each of them matches, and read."""
    found = hostile_tree(FILES)
    assert found.faults == (), found.told()


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (Measured("right", None, 1.0, MOST_MEMORY + 1, 0.0), "took"),
        (Measured("right", None, 1.0, 0.0, MOST_MEMORY + 1), "a process that it started"),
        (Measured("right", "SEARCH_FAILED", 1.0, 0.0, 0.0), "came to SEARCH_FAILED"),
        (Measured("wrong", None, 1.0, 0.0, 0.0), "said 'wrong'"),
    ],
)
def test_a_search_that_breaks_a_promise_is_found_out(found: Measured, fault: str) -> None:
    """The control."""
    assert any(fault in one for one in tree_faults(found, FOUND))
    assert tree_faults(Measured("right", None, 1.0, MOST_MEMORY, MOST_MEMORY), FOUND) == []


def test_the_tree_has_as_many_files_as_it_says_and_is_gone_afterwards() -> None:
    with tree(2_345) as root:
        assert sum(1 for path in root.rglob("*") if path.is_file()) == 2_345
    assert not root.exists()
