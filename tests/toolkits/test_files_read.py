"""`read`: pages, footers, limits, and what is not text."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from test_files_fakes import FakeContext, Files, GivenUp, folder, opened


def page(files: Files, path: str = "f", **arguments: object) -> list[str]:
    """The lines between the content tags."""
    text = files.read(path, **arguments)
    head = f"<path>{path}</path>\n<type>file</type>\n<content>\n"
    assert text.startswith(head)
    assert text.endswith("\n</content>")
    return text[len(head) : -len("\n</content>")].split("\n")


def test_a_short_file_is_shown_whole(tmp_path: Path) -> None:
    """F002: tags, numbered lines, a blank line, one footer."""
    root = folder(tmp_path, "root", {"src/a.py": "import x\n\nprint(1)\n"})
    with opened(root) as files:
        assert files.read("src/a.py") == (
            "<path>src/a.py</path>\n<type>file</type>\n<content>\n"
            "1: import x\n2: \n3: print(1)\n\n(End of file - total 3 lines)\n</content>"
        )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", ["1: a", "2: b"]),
        ("a\r\nb\r\n", ["1: a", "2: b"]),
        ("a\rb\r", ["1: a", "2: b"]),
        ("a\n\r\nb\n", ["1: a", "2: ", "3: b"]),
        ("\ufeffa\nb\n", ["1: a", "2: b"]),
        ("\n", ["1: "]),
        ("a\u2028b\x0cc\n", ["1: a\u2028b\x0cc"]),
    ],
)
def test_line_ends_of_every_kind_end_a_line(tmp_path: Path, text: str, lines: list[str]) -> None:
    """F002: LF, CRLF and a lone CR; a last line needs none; a byte order mark is not part of the text."""
    with opened(folder(tmp_path, "root", {"f": text})) as files:
        assert page(files) == [*lines, "", f"(End of file - total {len(lines)} lines)"]


def test_a_line_end_may_be_cut_by_a_chunk(tmp_path: Path) -> None:
    text = "a" * 65_535 + "\r\n" + "é" * 40_000 + "\r\nend"
    with opened(folder(tmp_path, "root", {"f": text})) as files:
        assert page(files, offset=3) == ["3: end", "", "(End of file - total 3 lines)"]


def test_a_page_says_how_to_go_on(tmp_path: Path) -> None:
    """F002: the footer of a page that the line limit ends names the total and the next offset."""
    with opened(folder(tmp_path, "root", {"f": "a\nb\nc\nd\n"})) as files:
        assert page(files, offset=2, limit=2) == [
            "2: b",
            "3: c",
            "",
            "(Showing lines 2-3 of 4. Use offset=4 to continue.)",
        ]
        assert page(files, offset=4) == ["4: d", "", "(End of file - total 4 lines)"]
        assert page(files, offset=3, limit=2)[-1] == "(End of file - total 4 lines)"


def test_a_page_has_at_most_2000_lines(tmp_path: Path) -> None:
    """F001: 2,000 lines are the default and the maximum."""
    with opened(folder(tmp_path, "root", {"f": "x\n" * 2_001})) as files:
        lines = page(files)
        assert lines[1_999:] == ["2000: x", "", "(Showing lines 1-2000 of 2001. Use offset=2001 to continue.)"]


def test_a_page_has_at_most_51200_bytes_of_lines(tmp_path: Path) -> None:
    """F001, F002: bytes of text and joining line ends; exactly as many still fit."""
    fits = "é" * 511 + "x\n"  # 1,023 bytes and its line end
    with opened(folder(tmp_path, "root", {"f": "x" + fits * 50, "g": "xx" + fits * 51})) as files:
        assert page(files)[-1] == "(End of file - total 50 lines)"
        assert page(files, "g")[-1] == "(Output capped. Showing lines 1-49. Use offset=50 to continue.)"
        assert page(files, "g", offset=50)[-1] == "(End of file - total 51 lines)"


def test_long_lines_are_cut(tmp_path: Path) -> None:
    """F001: 2,000 characters of a line, and a suffix that says so."""
    with opened(folder(tmp_path, "root", {"f": "é" * 2_000 + "\n" + "é" * 2_001 + "\n" + "x" * 200_000})) as files:
        assert page(files) == [
            "1: " + "é" * 2_000,
            "2: " + "é" * 2_000 + "... (line truncated to 2000 chars)",
            "3: " + "x" * 2_000 + "... (line truncated to 2000 chars)",
            "",
            "(End of file - total 3 lines)",
        ]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    """F003: fine at offset 1, and nothing further."""
    with opened(folder(tmp_path, "root", {"f": ""})) as files:
        assert page(files) == ["", "(End of file - total 0 lines)"]
        assert files.code("read", file_path="f", offset=2) == "FS_NOT_FOUND"


def test_an_offset_past_the_end_is_not_found(tmp_path: Path) -> None:
    """F003: and the message says which lines there are."""
    with opened(folder(tmp_path, "root", {"f": "a\nb\n"})) as files:
        error = files.failure("read", file_path="f", offset=3)
        assert error.code == "FS_NOT_FOUND"
        assert error.message == "f has no line 3: it has 2 lines. Use an offset from 1 to 2."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limit": 2_001}, "limit must be less than or equal to 2000"),
        ({"limit": 0}, "limit must be greater than or equal to 1"),
        ({"offset": 0}, "offset must be greater than or equal to 1"),
        ({"file_path": ""}, "file_path must be a non-empty string"),
    ],
)
def test_numbers_out_of_range_are_refused(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    """F001: to the letter."""
    with opened(folder(tmp_path, "root", {"f": "a"})) as files:
        error = files.failure("read", **{"file_path": "f", **arguments})
        assert (error.message, error.code) == (message, "FS_INVALID_ARGUMENT")


@pytest.mark.parametrize("path", ["missing", "f/below", "nodir/f", "x" * 300, "nul\0name"])
def test_what_is_not_there_is_not_found(tmp_path: Path, path: str) -> None:
    """F003: also a name that no file can have."""
    with opened(folder(tmp_path, "root", {"f": "a"})) as files:
        assert files.code("read", file_path=path) == "FS_NOT_FOUND"


@pytest.mark.parametrize(
    "content", [b"a\0b", b"x" * 8_191 + b"\0", b"caf\xe9", b"x" * 100_000 + b"\xc3", "é".encode("utf-16")]
)
def test_binary_files_are_not_text(tmp_path: Path, content: bytes) -> None:
    """F003: a NUL in the first 8,192 bytes, or bad UTF-8 anywhere."""
    (tmp_path / "f").write_bytes(content)
    with opened(tmp_path) as files:
        assert files.code("read", file_path="f", limit=1) == "FS_NOT_TEXT"


def test_bad_utf8_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf" + b"x" * 65_533 + b"ab\xff")
    with opened(tmp_path) as files:
        assert "byte 65,538 " in files.failure("read", file_path="f").message


def test_a_nul_further_on_is_a_character(tmp_path: Path) -> None:
    """F003: only the first 8,192 bytes are looked at, not those of each chunk."""
    (tmp_path / "f").write_bytes(b"x\n" * 4_096 + b"\0")
    (tmp_path / "g").write_bytes(b"x" * 65_536 + b"\n\0")
    with opened(tmp_path) as files:
        assert page(files, "g", offset=2)[0] == "2: \0"
        assert page(files, offset=4_097)[0] == "4097: \0"


def test_a_large_file_is_streamed(tmp_path: Path) -> None:
    """F001: memory stays far below the size of the file, even of one that is a single line."""
    (tmp_path / "lines").write_bytes(b"0123456789\n" * 300_000)
    (tmp_path / "line").write_bytes(b"x" * 10_000_000)
    with opened(tmp_path) as files:
        tracemalloc.start()
        try:
            assert page(files, "lines", limit=1)[-1] == "(Showing lines 1-1 of 300000. Use offset=2 to continue.)"
            assert page(files, "line")[-1] == "(End of file - total 1 lines)"
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


def test_a_cancelled_read_stops_between_chunks(tmp_path: Path) -> None:
    """F001: and gives its descriptors back."""
    (tmp_path / "f").write_bytes(b"x\n" * 500_000)
    with opened(tmp_path) as files:
        ctx = FakeContext(give_up_at=3)
        with pytest.raises(GivenUp):
            files.read("f", ctx=ctx)
        assert ctx.looks == 3


def test_files_that_say_they_are_empty_are_read() -> None:
    """F001: the size is not asked, so that what the kernel writes on demand can be read."""
    with opened(Path("/proc/self")) as files:
        assert page(files, "status", limit=1)[0].startswith("1: Name:")


def test_a_name_that_is_no_text_is_shown_safely(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9\n\x1b[31m")
    (tmp_path / name).write_text("a")
    with opened(tmp_path) as files:
        assert files.read(name).startswith("<path>caf\\xe9\\n\\x1b[31m</path>\n")
