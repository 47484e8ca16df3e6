"""Any tree, any links, any path; and links that change all the while."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from test_files_fakes import Files, folder, opened

from trio_tools.values import ToolError

SECRET = "the secret of the outside"

NAMES = st.sampled_from(["a", "b", "c", "d"])
STEPS = st.sampled_from(["a", "b", "c", "d", "..", ".", "", "root", "outside", "secret.txt"])
STARTS = st.sampled_from(["", "", "", "/", "{root}/", "{outside}/", "{root}/../outside/"])


def _joined(start: str, steps: list[str]) -> str:
    return start + "/".join(steps)


# what a path or a link says: from somewhere, some steps on
TARGETS = st.builds(_joined, STARTS, st.lists(STEPS, min_size=1, max_size=5))
PLACES = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TREES = st.lists(st.tuples(PLACES, TARGETS | st.none()), max_size=6)

# what the kernel says where we say this
KERNEL: dict[str, set[int | None]] = {
    "FS_NOT_FOUND": {errno.ENOENT, errno.ENOTDIR},
    "FS_NOT_REGULAR_FILE": {None},
    "FS_LINK_LOOP": {errno.ELOOP},
}


def build(root: Path, tree: list[tuple[str, str | None]], absolute: Callable[[str], str]) -> None:
    """Files (no target) and links where they fit; what does not is left out. Only real folders are gone through."""
    for place, target in tree:
        path = root / place
        if os.path.realpath(path.parent).startswith(str(root)) and not os.path.lexists(path):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"inside {place}") if target is None else path.symlink_to(absolute(target) or ".")
            except OSError:
                continue  # a file stands where a folder would have to be, or a link loops


def agrees_with_the_kernel(files: Files, path: str, plain: str) -> None:
    """Reading gives what the kernel gives for the path, if that lies inside; else an error that says why truly."""
    root = files.root.path
    try:
        text = files.read(path or ".")
    except ToolError as error:
        code = error.code
    else:
        assert os.path.realpath(plain).startswith(root + "/")
        assert f"1: {Path(plain).read_text()}\n" in text
        return
    if code != "FS_OUTSIDE_ROOT":
        assert not os.path.isfile(plain)
        assert _errno(plain) in KERNEL[code or ""]


def _errno(path: str) -> int | None:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno
    return None


@settings(max_examples=200, deadline=None)
@given(TREES, st.lists(TARGETS, min_size=1, max_size=4))
def test_no_path_and_no_link_leads_out(tree: list[tuple[str, str | None]], paths: list[str]) -> None:
    """F003: over random trees of files and links each answer is the kernel's, or a refusal."""
    with tempfile.TemporaryDirectory() as parent:
        outside = folder(Path(parent), "outside", {"secret.txt": SECRET, "a": SECRET, "b/c": SECRET})
        root = folder(Path(parent), "root", {"in.txt": "inside"})

        def absolute(target: str) -> str:
            return target.format(root=root, outside=outside)

        build(root, tree, absolute)
        with opened(root) as files:
            for path in {absolute(one) for one in (*paths, *(place for place, _ in tree))}:
                agrees_with_the_kernel(files, path, os.path.join(root, path or "."))
                found = _answer(partial(files.grep, "secret", path=path))
                assert SECRET not in found
                assert "secret.txt" not in _answer(partial(files.run, "glob", pattern="**", path=path))


def _answer(ask: Callable[[], str]) -> str:
    """What is said; of a failure nothing, since it repeats the path that was asked for."""
    try:
        return ask()
    except ToolError:
        return ""


def test_links_that_change_meanwhile_lead_nowhere(tmp_path: Path) -> None:
    """F003: a thread exchanges a folder and a file for links to the outside and back, as fast as it can."""
    outside = folder(tmp_path, "outside", {"f": SECRET, "d/f": SECRET, "secret.txt": SECRET})
    root = folder(tmp_path, "root", {"d/d/f": "inside", "d/f": "inside"})
    done = threading.Event()

    def exchange() -> None:
        while not done.is_set():
            for name, target in (("d", outside), ("d/d", outside / "d"), ("d/f", outside / "f")):
                (root / name).rename(root / "aside")
                (root / name).symlink_to(target)
                (root / name).unlink()
                (root / "aside").rename(root / name)

    swapper = threading.Thread(target=exchange)
    swapper.start()
    try:
        with opened(root) as files:
            for _ in range(1_000):
                for path in ("d/f", "d/d/f", "d/../d/d/../f"):
                    assert SECRET not in _answer(partial(files.read, path))
                assert SECRET not in _answer(lambda: files.grep("i"))
                assert "secret" not in _answer(lambda: files.run("glob", pattern="**"))
    finally:
        done.set()
        swapper.join()
