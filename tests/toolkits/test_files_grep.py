"""`grep`: what is searched, what is shown, and how it is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from search_trees import the_ripgrep
from test_files_fakes import FakeContext, GivenUp, folder, opened

from trio_tools.toolkits.files._ripgrep import Ripgrep


@pytest.fixture(params=["python", "ripgrep"])
def engine(request: pytest.FixtureRequest) -> Ripgrep | None:
    """Either engine: what it says is the same."""
    return the_ripgrep() if request.param == "ripgrep" else None


def test_matches_are_grouped_by_file(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: a header, then each path and its lines, in the order of paths."""
    root = folder(tmp_path, "root", {"b.py": "x\nfoo 1\ny\nfoo 2", "a/c.py": "the foo", ".d": "food", "e": "bar"})
    with opened(root, engine) as files:
        assert files.grep(r"fo{2}\b") == (
            "Found 3 matches\n\na/c.py\nLine 1: the foo\n\nb.py\nLine 2: foo 1\nLine 4: foo 2"
        )


def test_nothing_found_is_a_success(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008, F009: to the letter."""
    with opened(folder(tmp_path, "root", {"a": "x"}), engine) as files:
        assert files.grep("y") == "No matches found"


def test_lines_are_those_that_read_shows(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: the same line ends, so that numbers agree and `$` finds the end of a CRLF line."""
    with opened(folder(tmp_path, "root", {"a": "\ufeffone\r\ntwo\rthree"}), engine) as files:
        assert files.grep("^(one|two)$") == "Found 2 matches\n\na\nLine 1: one\nLine 2: two"
        assert files.grep("^three$") == "Found 1 matches\n\na\nLine 3: three"


def test_what_is_written_over_and_over_is_shown_once(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: of lines that lone carriage returns separate, as progress is drawn, the first that matches."""
    progress = "10%\r20%\rdone 30%\rdone 100%\nnext"
    with opened(folder(tmp_path, "root", {"log": progress}), engine) as files:
        assert files.grep("%") == "Found 1 matches\n\nlog\nLine 1: 10%"
        assert files.grep("done .*%$") == "Found 1 matches\n\nlog\nLine 3: done 30%"
        assert files.grep("next") == "Found 1 matches\n\nlog\nLine 5: next"
        assert files.grep("20%.*done") == "No matches found"


@pytest.mark.parametrize(
    ("include", "found"),
    [
        ("*.py", ["a.py", "d/b.py"]),
        ("*.{py,md}", ["a.py", "d/b.py", "d/c.md"]),
        ("d/*", ["d/b.py", "d/c.md"]),
        ("**/*.md", ["d/c.md"]),
        (None, ["a.py", "d/b.py", "d/c.md"]),
    ],
)
def test_include_narrows_the_files(
    tmp_path: Path, engine: Ripgrep | None, include: str | None, found: list[str]
) -> None:
    """F008: one glob; without a slash it holds in every directory."""
    root = folder(tmp_path, "root", {"a.py": "x", "d/b.py": "x", "d/c.md": "x", ".git/a.py": "x"})
    with opened(root, engine) as files:
        assert [line for line in files.grep("x", include=include).splitlines() if "/" in line or "." in line] == found


def test_a_file_named_by_path_is_searched_whatever_include_says(tmp_path: Path) -> None:
    with opened(folder(tmp_path, "root", {"d/a.txt": "x"})) as files:
        assert files.grep("x", path="d/a.txt", include="*.py") == "Found 1 matches\n\nd/a.txt\nLine 1: x"


@pytest.mark.parametrize("include", ["!*.py", "", "[a", "d/"])
def test_include_is_one_positive_glob(tmp_path: Path, include: str) -> None:
    """F008: it cannot exclude."""
    with opened(tmp_path) as files:
        assert files.code("grep", pattern="x", include=include) == "SEARCH_INVALID_PATTERN"


def test_binary_files_are_passed_by(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: a NUL anywhere; one that is named by path is refused. Bytes that are not UTF-8 are matched by nothing."""
    (tmp_path / "a.bin").write_bytes(b"foo\n" * 100_000 + b"\0")
    (tmp_path / "b.txt").write_bytes(b"foo caf\xe9\n")
    with opened(tmp_path, engine) as files:
        assert files.grep("foo") == "Found 1 matches\n\nb.txt\nLine 1: foo caf\ufffd"
        assert files.grep("caf.") == "No matches found"
        assert files.code("grep", pattern="foo", path="a.bin") == "FS_NOT_TEXT"


def test_at_most_250_matches_are_shown(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: the first ones in the order of paths, however the disk lists them, and how many there are."""
    root = folder(tmp_path, "root", {f"f{number}": "x\n" * 30 for number in range(10)})
    with opened(root, engine) as files:
        groups = files.grep("x").split("\n\n")
        assert groups[0] == "Found 250 of 300 matches"
        assert [group.split("\n")[0] for group in groups[1:-1]] == [f"f{number}" for number in range(9)]
        assert [group.count("Line ") for group in groups[1:-1]] == [30] * 8 + [10]
        assert groups[-1] == "(Narrow the pattern, the path or include to see the others.)"


def test_exactly_250_matches_are_all_shown(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: the limit itself is not over it."""
    with opened(folder(tmp_path, "root", {"a": "x\n" * 249, "b": "x"}), engine) as files:
        text = files.grep("x")
        assert text.startswith("Found 250 matches\n\n")
        assert text.count("Line ") == 250


def test_long_lines_are_shown_in_part(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: 2,000 bytes of a line, and no broken character."""
    with opened(folder(tmp_path, "root", {"a": "x" + "é" * 1_000 + "\n" + "x" * 2_000}), engine) as files:
        lines = files.grep("x").splitlines()
        assert lines[3:] == ["Line 1: x" + "é" * 999 + " (line truncated)", "Line 2: " + "x" * 2_000]


def test_very_long_lines_are_searched_whole(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: and shown at their beginning, which may lie megabytes before what was found."""
    root = folder(
        tmp_path, "root", {"a": "x" * 1_500_000 + "yz\nlast z", "b": "\r\n" + "w" * 1_500_000 + "\rs" + "z" * 9}
    )
    with opened(root, engine) as files:
        shown = "Found 3 matches\n\na\nLine 1: {}\nLine 2: last z\n\nb\nLine 3: szzzzzzzzz"
        assert files.grep("z$") == shown.format("x" * 2_000 + " (line truncated)")
        assert files.grep("^sz{8,9}$") == "Found 1 matches\n\nb\nLine 3: szzzzzzzzz"


@pytest.mark.parametrize("pattern", ["x*y", "(x+)+y", "x*x*x*x*y", "(x|xx)+$y", "(x?){40}x{40}y", "(a|x)*(x|b)*c"])
def test_no_expression_is_expensive(tmp_path: Path, pattern: str) -> None:
    """F009: what would take hours for an engine that goes back; Python's lock would be held all the while."""
    with opened(folder(tmp_path, "root", {"a": "x" * 100_000 + "\n" + "x" * 40})) as files:
        assert files.grep(pattern).startswith("No matches found")


def test_links_are_not_searched_twice(tmp_path: Path, engine: Ripgrep | None) -> None:
    """F008: what they lead to is searched where it lies."""
    root = folder(tmp_path, "root", {"sub/a": "x"})
    (root / "file").symlink_to("sub/a")
    (root / "folder").symlink_to("sub")
    with opened(root, engine) as files:
        assert files.grep("x") == "Found 1 matches\n\nsub/a\nLine 1: x"
        assert files.grep("x", path="file") == "Found 1 matches\n\nsub/a\nLine 1: x"


def test_a_missing_path_is_not_found(tmp_path: Path) -> None:
    """F003: as for reading."""
    with opened(tmp_path) as files:
        assert files.code("grep", pattern="x", path="missing") == "FS_NOT_FOUND"


def test_names_are_shown_safely(tmp_path: Path, engine: Ripgrep | None) -> None:
    (tmp_path / os.fsdecode(b"\xff\n")).write_text("x")
    with opened(tmp_path, engine) as files:
        assert files.grep("x") == "Found 1 matches\n\n\\xff\\n\nLine 1: x"


@pytest.mark.parametrize("looks", [1, 2, 3, 4, 5, 6])
def test_a_cancelled_search_stops_at_each_look(tmp_path: Path, looks: int) -> None:
    """F009: between files and between the chunks of one, and gives its descriptors back."""
    root = folder(tmp_path, "root", {"d/a": "x\n" * 100_000, "b": "x"})
    with opened(root) as files:
        ctx = FakeContext(give_up_at=looks)
        with pytest.raises(GivenUp):
            files.grep("x", ctx=ctx)
        assert ctx.looks == looks
