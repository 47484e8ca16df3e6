"""What goes to a terminal is plainly visible, on one line, and bounded."""

import json
import unicodedata

import pytest

from trio_tools.cli._outlet import line_of
from trio_tools.cli._printable import MESSAGE_LENGTH, complain, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é 漢字 😀", "é 漢字 😀"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\rb\nc\td", "a\\x0db\\x0ac\\x09d"),
        ("\x9b31m\x7f\0", "\\x9b31m\\x7f\\x00"),
        ("\u202egnp.exe\u2066\u200f", "\\u202egnp.exe\\u2066\\u200f"),
        ("\u2028\u2029\u00a0\u200b\ufeff", "\\u2028\\u2029\\xa0\\u200b\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041\U0010ffff", "\\U000e0041\\U0010ffff"),
    ],
)
def test_what_is_not_plainly_visible_is_escaped(text: str, shown: str) -> None:
    assert printable(text, limit=100) == shown


def test_no_character_passes_that_moves_or_hides_anything() -> None:
    # all of the common ones, and every 97th of the others, of which most are alike for long stretches
    every = [chr(code) for code in (*range(0x10000), *range(0x10000, 0x110000, 97))]
    passed = [one for one in every if printable(one, limit=10) == one]
    assert {unicodedata.category(one)[0] for one in passed} <= set("LMNPSZ")
    assert [one for one in passed if unicodedata.category(one)[0] == "Z"] == [" "]
    assert len(passed) > 50_000


@pytest.mark.parametrize("text", ["x" * 10_000_000, "\x1b" * 1_000_000, "x" * 11, "xxxxxxxx\x1b"])
def test_what_is_long_is_cut(text: str) -> None:
    shown = printable(text, limit=10)
    assert len(shown) == 10
    assert shown.endswith("...")


def test_what_just_fits_is_whole() -> None:
    assert printable("x" * 10, limit=10) == "x" * 10


def test_a_complaint_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    complain('cannot read "a\nb\x1b[2J": ' + "x" * 10_000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith('trio-tools: cannot read "a\\x0ab\\x1b[2J": xxx')
    assert captured.err.count("\n") == 1
    assert len(captured.err) == MESSAGE_LENGTH + 1


def test_a_complaint_to_nobody_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    complain("x")


def test_a_line_is_printable_ascii_and_loses_nothing() -> None:
    every = "".join(map(chr, (*range(0x300), 0x2028, 0x202E, 0xD800, 0x1F600)))
    line = line_of({every: every})
    assert line.endswith(b"}\n")
    assert all(0x20 <= byte < 0x7F for byte in line[:-1])
    assert json.loads(line) == {every: every}
