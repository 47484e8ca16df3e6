"""What is new of a stream: every byte once, or counted as dropped, and no character cut in two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trio_tools.toolkits.shell._news import News, news
from trio_tools.toolkits.shell._output import Tail

# Text of characters of one to four bytes, and bytes that are none.
CHUNKS = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.text(st.sampled_from("a\u00e9\u4f60\U0001f600\0"), max_size=6).map(str.encode),
    ),
    max_size=20,
)


@given(st.data(), CHUNKS, st.integers(1, 40))
def test_all_reads_and_what_they_dropped_are_the_stream(data: st.DataObject, chunks: list[bytes], limit: int) -> None:
    """B041: whatever the writes, whenever it is read; one that reached nobody is made again and gives as much."""
    tail, whole, since = Tail(limit), b"".join(chunks), 0
    reads: list[News] = []

    def read(*, over: bool) -> None:
        nonlocal since
        part = news(tail.kept(), tail.total, since=since, over=over)
        assert part == news(tail.kept(), tail.total, since=since, over=over)
        begin = since + part.dropped
        assert whole[begin : part.end].decode(errors="replace").replace("\0", "\ufffd") == part.text
        assert tail.total - part.end <= (0 if over else 3)  # at most the beginning of a character is kept back
        reads.append(part)
        since = part.end

    for chunk in chunks:
        tail.add(chunk)
        if data.draw(st.booleans()):
            read(over=False)
    read(over=True)
    assert since == len(whole)
    if len(whole) <= limit:
        assert "".join(part.text for part in reads) == whole.decode(errors="replace").replace("\0", "\ufffd")
        assert {part.dropped for part in reads} == {0}


@given(st.text(st.sampled_from("a\u00e9\u4f60\U0001f600"), min_size=1), st.integers(4, 12))
def test_text_that_comes_byte_by_byte_is_never_cut_in_a_character(text: str, limit: int) -> None:
    """B041, case B28 (c): also where what is kept is shorter than what is new, if a character fits."""
    tail, since, shown = Tail(limit), 0, ""
    for number, byte in enumerate(text.encode()):
        tail.add(bytes([byte]))
        if number % 3 == 0:
            part = news(tail.kept(), tail.total, since=since, over=False)
            since, shown = part.end, shown + part.text
    part = news(tail.kept(), tail.total, since=since, over=True)
    shown += part.text
    assert "\ufffd" not in shown
    assert set(shown) <= set(text)


@pytest.mark.parametrize(
    ("kept", "total", "since", "over", "part"),
    [
        (b"", 0, 0, False, News(text="", dropped=0, end=0)),
        (b"abc", 3, 1, False, News(text="bc", dropped=0, end=3)),
        (b"cd", 4, 1, False, News(text="cd", dropped=1, end=4)),
        (b"ab\xe4\xbd", 4, 0, False, News(text="ab", dropped=0, end=2)),
        (b"ab\xe4\xbd", 4, 0, True, News(text="ab\ufffd", dropped=0, end=4)),
        (b"\xbd\xa0x", 4, 0, False, News(text="x", dropped=3, end=4)),  # the rest of a character is dropped with it
        (b"\xff\xff", 2, 0, False, News(text="\ufffd\ufffd", dropped=0, end=2)),  # what cannot become one is not kept
    ],
)
def test_a_read_ends_with_the_last_whole_character(kept: bytes, total: int, since: int, over: bool, part: News) -> None:
    assert news(kept, total, since=since, over=over) == part
