"""What is shown of a text that is kept elsewhere (F011)."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from trio_tools.policies._preview import preview, room_for_text

PLACE = "/tmp/ö/0.txt"
# Bytes: some that leave hardly any room, and some that leave a lot.
CAPS = st.integers(150, 600)
# Characters of one to four bytes in UTF-8, line ends among them.
TEXTS = st.text(st.sampled_from("ab\n\rü€𝄞\u0301"), min_size=1, max_size=40)


@given(TEXTS, CAPS, st.integers(0, 10))
@example("𝄞", 150, 0)
@example("a𝄞", 151, 1)
def test_a_preview_is_two_ends_within_the_cap_and_cuts_no_character(piece: str, cap: int, more: int) -> None:
    """F011: and says truly how much it leaves out."""
    text = piece * ((cap + 1) // len(piece.encode()) + 1 + more)
    size = len(text.encode())
    shown = preview(text.encode(), PLACE, max_bytes=cap)
    found = re.fullmatch(
        rf'(.*)\n\n\[\.\.\. (\d+) bytes left out\. The whole text, {size} bytes, is in "{PLACE}" \.\.\.\]\n\n(.*)',
        shown,
        re.DOTALL,
    )
    assert found is not None
    head, left_out, tail = found.groups()
    assert len(shown.encode()) <= cap
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head.encode()) + int(left_out) + len(tail.encode()) == size
    assert len(shown.encode()) > cap - 2 * 4 - 10  # what there is room for is used, but for a character at each cut


@given(CAPS)
def test_the_room_that_is_told_is_there_for_a_text_of_any_length(cap: int) -> None:
    """F011."""
    for size in (cap + 1, 100_000):
        assert preview(b"~" * size, PLACE, max_bytes=cap).count("~") >= room_for_text(PLACE, max_bytes=cap)
