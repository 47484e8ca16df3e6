"""What is new of a stream that is still being written: from where the last read ended to the last whole character.

Nothing in here changes anything. Where a read ended becomes the next one's beginning only by who calls, so that a read
which reached nobody can be made again.
"""

from __future__ import annotations

import codecs

import attrs

from trio_tools.toolkits.shell._output import Kept
from trio_tools.toolkits.shell._text import as_text, from_whole_character, place_text

_DECODER = codecs.getincrementaldecoder("utf-8")


@attrs.frozen(kw_only=True)
class News:
    """The part of a stream up to byte `end`: its `text`, after `dropped` bytes that are not in memory any more."""

    text: str
    dropped: int
    end: int


def news(kept: bytes, total: int, *, since: int, over: bool) -> News:
    """What is new of a stream of `total` bytes, of which the last are `kept`, `since` the byte where the last read
    ended. The beginning of a character whose rest may still come is left for the next read, unless the stream is
    `over`.

    No byte is in two reads or in none: those of all reads and those that they dropped are the stream.
    """
    first = total - len(kept)
    data = kept[max(0, since - first) :]
    if since < first:
        data = from_whole_character(data)
    dropped = total - len(data) - since
    if not over:
        data = data[: len(data) - _unfinished(data)]
    return News(text=as_text(data), dropped=dropped, end=since + dropped + len(data))


def _unfinished(data: bytes) -> int:
    """How many bytes at the end begin a character, and do not end it."""
    decoder = _DECODER("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])


def place_of(kept: Kept) -> str:
    """Where all of a stream is that is longer than what is kept, whether it is over or not."""
    spill = kept.spill
    place = None if spill.place is None else str(spill.place)
    return place_text(place, first=spill.written if spill.is_full and spill.written < kept.tail.total else None)
