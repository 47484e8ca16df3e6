"""The replacing of a text within bytes, against a slow way that is plainly right."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trio_tools.toolkits.files._replace import NotFoundOnce, TooLong, replaced

PIECES = st.lists(st.sampled_from(["a", "b", "é", "\n", "\r\n", "\r", "\ufeff"]), max_size=8).map("".join)
TEXTS = st.one_of(PIECES, st.lists(PIECES, max_size=6).map("".join))


def units(text: str) -> list[str]:
    """Characters, where a CRLF is one."""
    found: list[str] = []
    for one in text:
        if one == "\n" and found and found[-1] == "\r":
            found[-1] = "\r\n"
        else:
            found.append(one)
    return found


def slowly(text: str, old: str, new: str, *, everywhere: bool) -> str | None:
    """The text with `new` for `old`; None if it is not there, or in several places and not all are meant."""
    if "\r\n" not in text:
        whole, sought, given_ends = list(text), list(old), list(new)
    else:
        whole, sought, given_ends = units(text), units(old), units(new)
    in_crlf = "\r\n" in text

    def same(left: str, right: str) -> bool:
        return left == right or (in_crlf and {left, right} == {"\n", "\r\n"})

    def is_at(place: int) -> bool:
        here = whole[place : place + len(sought)]
        return len(here) == len(sought) and all(map(same, here, sought))

    places = [place for place in range(len(whole)) if is_at(place)]
    if not places or (len(places) > 1 and not everywhere):
        return None
    out: list[str] = []
    at = 0
    while at < len(whole):
        if not is_at(at):
            out.append(whole[at])
            at += 1
            continue
        after = [one for one in whole[at:] if one in ("\n", "\r\n")]
        before = [one for one in whole[:at] if one in ("\n", "\r\n")]
        end = after[0] if after else before[-1] if before else "\n"
        out += [end if in_crlf and one in ("\n", "\r\n") else one for one in given_ends]
        at += len(sought)
    return "".join(out)


@settings(max_examples=300, deadline=None)
@given(TEXTS, PIECES.filter(bool), PIECES, st.booleans())
@example("a\r\nb", "\r", "x", False)
@example("\r\r\n\r\n\n", "\r\n", "\n\r\n", True)
@example("aaa", "aa", "b", False)
@example("a\nb\r\na\na", "a", "\n", True)
def test_it_agrees_with_the_slow_way(text: str, old: str, new: str, everywhere: bool) -> None:
    """F006: over any mixture of line ends, lone CRs, and marks at the beginning."""
    expected = slowly(text, old, new, everywhere=everywhere)
    steps: list[None] = []

    def quickly() -> str:
        given = (one.encode() for one in (text, old, new))
        return replaced(*given, everywhere=everywhere, longest=10_000, step=lambda: steps.append(None)).decode()

    if expected is None:
        with pytest.raises(NotFoundOnce) as caught:
            quickly()
        assert caught.value.several == (slowly(text, old, new, everywhere=True) is not None)
    else:
        assert quickly() == expected
        assert steps  # it has looked whether the call was given up


@pytest.mark.parametrize("everywhere", [True, False])
def test_what_would_be_too_long_is_not_made(everywhere: bool) -> None:
    """F006: to the byte; nothing near it is ever held."""
    data = b"x" * 10 + b"a" * (1_000_000 if everywhere else 1)
    with pytest.raises(TooLong):
        replaced(data, b"a", b"b" * 91, everywhere=everywhere, longest=100, step=lambda: None)
    if not everywhere:
        made = replaced(data, b"a", b"b" * 90, everywhere=False, longest=100, step=lambda: None)
        assert len(made) == 100


def test_large_files_with_long_lines_are_not_looked_through_again_and_again() -> None:
    """F006: a million places in one line, with line ends to choose: at most two looks for one."""
    data = b"\r\n" + b"ab" * 100_000
    made = replaced(data, b"a", b"\n", everywhere=True, longest=10_000_000, step=lambda: None)
    assert made == data.replace(b"a", b"\r\n")
