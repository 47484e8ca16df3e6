"""`glob`: which files, in which order, how many."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from test_files_fakes import FakeContext, GivenUp, folder, opened


def aged(root: Path, *names: str) -> None:
    """Make these files, each older than the one before."""
    for age, name in enumerate(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, ns=(0, 10**18 - age))


def test_the_newest_file_comes_first(tmp_path: Path) -> None:
    """F008: by modification time, to the nanosecond; of the same age by name."""
    aged(tmp_path, "z.py", "d/b.py", "a.py")
    os.utime(tmp_path / "d" / "b.py", ns=(0, 10**18))
    with opened(tmp_path) as files:
        assert files.run("glob", pattern="**/*.py") == "d/b.py\nz.py\na.py"


def test_hidden_and_ignored_files_are_found_and_version_control_is_not(tmp_path: Path) -> None:
    """F008: files only; what .gitignore names is there, what git keeps for itself is not."""
    aged(tmp_path, ".env", "build/out", ".git/config", "sub/.hg/x", ".svn/x", ".jj/x", ".github/ci.yml", "a/.git")
    (tmp_path / ".gitignore").write_text("build\n")
    with opened(tmp_path) as files:
        assert set(files.glob("**")) == {".env", "build/out", ".github/ci.yml", "a/.git", ".gitignore"}
        assert files.run("glob", pattern=".git/*") == "No files found"
        assert files.glob("*", path=".git") == [".git/config"]


def test_a_pattern_counts_from_path(tmp_path: Path) -> None:
    """F008: and what is found is named from the root, ready to be read."""
    aged(tmp_path, "src/a.py", "src/sub/b.py", "c.py")
    with opened(tmp_path) as files:
        assert files.glob("*.py", path="src") == ["src/a.py"]
        assert files.glob("**/*.py", path=f"{tmp_path}/src/") == ["src/a.py", "src/sub/b.py"]
        assert files.glob(f"{tmp_path}/src/*.py") == ["src/a.py"]
        assert files.glob("*.py", path="") == ["c.py"]


def test_nothing_found_is_a_success(tmp_path: Path) -> None:
    """F008: to the letter."""
    folder(tmp_path, "folder.py", {})
    with opened(tmp_path) as files:
        assert files.run("glob", pattern="**/*.py") == "No files found"


def test_more_than_100_files_are_a_page(tmp_path: Path) -> None:
    """F008: the newest 100, how many there are, and how to see the others."""
    aged(tmp_path, *(f"d{number % 7}/f{number:03}" for number in range(101)))
    with opened(tmp_path) as files:
        lines = files.glob("**/*")
        assert lines[:100] == [f"d{number % 7}/f{number:03}" for number in range(100)]
        assert lines[100:] == [
            "",
            "(Showing the newest 100 of 101 files. "
            "Narrow the pattern, or search in a directory below with path, to see the others.)",
        ]
        assert len(files.glob("d[0-5]/*")) == 87


def test_linked_files_are_found_and_linked_folders_not_entered(tmp_path: Path) -> None:
    """F008: a link counts as the file that it leads to, if that lies inside the root."""
    root = folder(tmp_path, "root", {"sub/a.txt": ""})
    folder(tmp_path, "outside", {"secret.txt": ""})
    os.utime(root / "sub" / "a.txt", ns=(0, 10**18))
    for name, target in {
        "file": "sub/a.txt",
        "chain": "file",
        "folder": "sub",
        "up": "..",
        "out": "../outside/secret.txt",
        "gone": "nothing",
        "self": "self",
    }.items():
        (root / name).symlink_to(target)
    with opened(root) as files:
        assert files.glob("**/*") == ["chain", "file", "sub/a.txt"]
        assert files.glob("*", path="folder") == ["sub/a.txt"]


def test_a_search_needs_a_directory(tmp_path: Path) -> None:
    """F003: and says so if there is none."""
    with opened(folder(tmp_path, "root", {"f": ""})) as files:
        assert files.code("glob", pattern="*", path="missing") == "FS_NOT_FOUND"
        assert files.code("glob", pattern="*", path="f") == "FS_NOT_DIRECTORY"


def test_bad_patterns_are_refused(tmp_path: Path) -> None:
    """F009: with their code."""
    with opened(tmp_path) as files:
        assert files.code("glob", pattern="[a") == "SEARCH_INVALID_PATTERN"
        assert files.code("glob", pattern="../*") == "FS_OUTSIDE_ROOT"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"caf\xe9", "caf\\xe9"),
        ("café 日本".encode(), "café 日本"),
        (b"two\nlines\x1b[2J", "two\\nlines\\x1b[2J"),
        ("turned\u202eround\u2028".encode(), "turned\\u202eround\\u2028"),
    ],
)
def test_names_are_shown_safely(tmp_path: Path, name: bytes, text: str) -> None:
    """F008: what is not UTF-8, and what would move a terminal's cursor, is escaped."""
    (tmp_path / os.fsdecode(name)).touch()
    with opened(tmp_path) as files:
        assert files.run("glob", pattern="*") == text


@pytest.mark.parametrize("looks", [1, 2, 4, 6])
def test_a_cancelled_search_stops_between_folders_and_in_large_ones(tmp_path: Path, looks: int) -> None:
    """F009: every 250 names, and gives its descriptors back."""
    aged(tmp_path, *(f"d/e/f{number}" for number in range(1_000)))
    with opened(tmp_path) as files:
        ctx = FakeContext(give_up_at=looks)
        with pytest.raises(GivenUp):
            files.run("glob", pattern="**", ctx=ctx)
        assert ctx.looks == looks


def test_a_long_search_reports_progress(tmp_path: Path) -> None:
    """F008: every 1,000 names."""
    for number in range(1_100):
        (tmp_path / str(number)).touch()
    with opened(tmp_path) as files:
        ctx = FakeContext()
        files.run("glob", pattern="x", ctx=ctx)
        assert ctx.reports == [1_000]


def test_paths_too_long_to_be_opened_are_told_of(tmp_path: Path) -> None:
    """F008: what is left out is said: of 20 folders within one another the last four, as one, and no file in them."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.close(os.open("f", os.O_CREAT, dir_fd=here))
        os.mkdir("d" * 250, dir_fd=here)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    with opened(tmp_path) as files:
        *found, empty, left_out = files.glob("**/f")
        assert len(found) == 17
        assert (empty, left_out) == ("", "(1 files or directories could not be read and were left out.)")
