"""A million files under the root: what searching them and reading one takes, and whether all of them were looked at."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import attrs

from benchmarks._hostile_child import MOST_MEMORY, Measured, Orders, measured
from benchmarks._hostile_findings import Findings

# Folders that the files are in. Those of a folder are links to one file, which has one line to be found: a million
# files with content of their own would take gigabytes.
FOLDERS = 1_000
LINE = "a needle"
# A folder in memory, where there is one: to make and remove a million files on a disk takes minutes.
IN_MEMORY = Path("/dev/shm")


@attrs.frozen
class Search:
    """A call on the tree, and a check of the text it came to: None if that is right, else what is wrong."""

    tool: str
    arguments: dict[str, str]
    says: Callable[[str], bool]


@contextmanager
def tree(files: int) -> Generator[Path]:
    """A folder with so many files below it, for as long as the block."""
    memory = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    root = Path(tempfile.mkdtemp(prefix="hostile-tree-", dir=memory))
    try:
        each, more = divmod(files, FOLDERS)
        for number in range(FOLDERS):
            folder = root / f"folder{number:04}"
            folder.mkdir()
            directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            (folder / "file0000000.txt").write_text(f"{LINE} of {number}\n")
            for name in range(1, each + (number < more)):
                os.link("file0000000.txt", f"file{name:07}.txt", src_dir_fd=directory, dst_dir_fd=directory)
            os.close(directory)
        yield root
    finally:
        shutil.rmtree(root)


def hostile_tree(files: int) -> Findings:
    """Search so many files, and read one of them; say what was found. At least one file for each of `FOLDERS`."""
    began = time.perf_counter()
    searches = [
        Search("glob", {"pattern": "**/*.txt"}, lambda text: f"newest 100 of {files:,} files" in text),
        Search("grep", {"pattern": LINE}, lambda text: text.startswith(f"Found 250 of {files} matches\n")),
        Search("read", {"file_path": "folder0999/file0000000.txt"}, lambda text: f"1: {LINE} of 999" in text),
    ]
    with tree(files) as root:
        made = time.perf_counter() - began
        warm = ("grep", {"pattern": "x", "path": "folder0000"})
        all_found = measured(Orders(str(root), warm, [(one.tool, one.arguments) for one in searches]))
    faults: list[str] = []
    for search, found in zip(searches, all_found, strict=True):
        faults += [f"{search.tool} {search.arguments}: {fault}" for fault in tree_faults(found, search)]
    each = (
        f"{search.tool} {found.over:.0f} MiB in {found.seconds:.1f} s"
        for search, found in zip(searches, all_found, strict=True)
    )
    what = f"{files:,} files, made in {made:.1f} s; over idle: {', '.join(each)}"
    return Findings("tree", what, tuple(faults), time.perf_counter() - began)


def tree_faults(found: Measured, search: Search) -> list[str]:
    """The promises that were broken by one search, in words."""
    faults = [f"took {found.over:.1f} MiB over idle"] if found.over > MOST_MEMORY else []
    if found.child_over > MOST_MEMORY:
        faults.append(f"a process that it started took {found.child_over:.1f} MiB over idle")
    if found.code is not None or not search.says(found.text):
        faults.append(f"came to {found.code}, and said {found.text[:200]!a}")
    return faults
