"""What is shown of a text that is kept elsewhere: its beginning, its end, and where all of it is."""

from __future__ import annotations


def _notice(left_out: int, total: int, place: str) -> str:
    return f'\n\n[... {left_out} bytes left out. The whole text, {total} bytes, is in "{place}" ...]\n\n'


def room_for_text(place: str, *, max_bytes: int) -> int:
    """The bytes that a preview of a text that is kept at `place` has for the text itself, however long that is."""
    # as many digits as a number of bytes can have
    longest = 10**19
    return max_bytes - len(_notice(longest, longest, place).encode())


def preview(text: bytes, place: str, *, max_bytes: int) -> str:
    """The two ends of a text in UTF-8 that is longer than `max_bytes`, with a line between them that says where all of
    it is: `max_bytes` at most, and each character whole."""
    room = max_bytes - len(_notice(len(text), len(text), place).encode())
    # what errors="ignore" leaves out is the character that the cut went through
    head = text[: room - room // 2].decode(errors="ignore")
    tail = text[len(text) - room // 2 :].decode(errors="ignore")
    left_out = len(text) - len(head.encode()) - len(tail.encode())
    return head + _notice(left_out, len(text), place) + tail
