"""What a walk keeps while it goes."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

from test_files_fakes import FakeContext, opened

# As many directories in one as show what each costs, beside what a walk costs anyway.
DIRECTORIES = 10_000
# Bytes kept for a directory that is still to be visited: a million of them within 64 MiB.
BYTES_EACH = 64


def test_a_directory_that_is_to_be_visited_costs_little_more_than_its_name(tmp_path: Path) -> None:
    """F008: and none of them is missed."""
    here = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    for number in range(DIRECTORIES):
        os.mkdir(f"directory{number:05}", dir_fd=here)
    os.close(here)
    (tmp_path / f"directory{DIRECTORIES // 2:05}" / "found.py").touch()
    with opened(tmp_path) as files:
        tracemalloc.start()
        try:
            found = files.glob("**/*.py")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert found == [f"directory{DIRECTORIES // 2:05}/found.py"]
    assert peak < DIRECTORIES * BYTES_EACH


def test_all_that_lies_beside_and_below_one_another_is_visited(tmp_path: Path) -> None:
    """F008: names that begin alike, not UTF-8, or with line ends; deeper than descriptors are held."""
    names = [b"a", b"ab", b"a b", b"\xff", b"\xff\n", "日".encode()]
    expected = 0
    here = os.fsencode(tmp_path)
    for _ in range(20):
        for name in names:
            os.mkdir(os.path.join(here, name))
            for file in names:
                with open(os.path.join(here, name, file + b".py"), "xb"):
                    expected += 1
        here = os.path.join(here, names[expected % len(names)])
    with opened(tmp_path) as files:
        assert f"of {expected} files" in files.run("glob", pattern="**/*.py")


def test_empty_directories_and_links_do_not_keep_a_search_that_is_given_up(tmp_path: Path) -> None:
    """F008: there is a look at each of them, since each takes a while and neither has names to be counted."""
    for number in range(50):
        (tmp_path / f"directory{number}").mkdir()
        (tmp_path / f"link{number}").symlink_to("/".join(["directory0/.."] * 50))
    with opened(tmp_path) as files:
        context = FakeContext()
        assert files.run("glob", pattern="**/*", ctx=context) == "No files found"
        assert context.looks > 100
        context = FakeContext()
        files.run("grep", pattern="x", ctx=context)
        assert context.looks > 50
