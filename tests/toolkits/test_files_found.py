"""What a search holds of what it finds."""

from __future__ import annotations

import random

from trio_tools.toolkits.files._found import MAX_MATCHES, Candidates, Found, Matches


def test_no_more_is_held_than_will_be_shown() -> None:
    """F008: of 20,000 files in any order those that come first, and the count of all."""
    names = [f"{number:05}" for number in range(20_000)]
    random.shuffle(names)
    candidates, matches = Candidates(), Matches()
    for name in names:
        candidates.add(name, (name,), 1 + int(name) % 3)
        found = Found()
        for number in range(1 + int(name) % 3):
            found.add(number + 1, "x")
        matches.add(name, found)
        assert len(candidates.files) <= MAX_MATCHES
        assert len(matches.files) <= MAX_MATCHES
    assert candidates.total == matches.total == sum(1 + number % 3 for number in range(20_000))
    assert [name for name, *_ in candidates.files] == [name for name, _ in matches.files] == sorted(names)[:126]


def test_a_byte_order_mark_is_not_shown() -> None:
    """F008: at the beginning of a file; elsewhere it is a character."""
    found = Found()
    found.add(1, "\ufeffa")
    found.add(2, "\ufeffa")
    found.add(1, "\ufeff" + "x" * 2_000)
    found.add(1, "\ufeff" + "x" * 2_001)
    assert [line for _, line in found.lines] == ["a", "\ufeffa", "x" * 2_000, "x" * 2_000 + " (line truncated)"]
