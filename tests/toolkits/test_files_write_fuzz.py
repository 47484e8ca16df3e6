"""Writes to any path in any tree, and while links change: what is outside stays as it was."""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import trio
from asking import asking, tree
from hypothesis import given, settings
from hypothesis import strategies as st
from test_files_fakes import folder
from test_files_fuzz import SECRET, TARGETS, TREES, build

# Trees, and writes while links change. Each write waits for the disk.
TREES_TRIED, WRITES = 60, 150

CALLS = st.lists(st.tuples(st.sampled_from(["write", "edit"]), TARGETS), min_size=1, max_size=6)


def _arguments(tool: str, path: str) -> dict[str, object]:
    if tool == "write":
        return {"file_path": path, "content": f"inside, written {path!r}"}
    return {"file_path": path, "old_string": "secret", "new_string": "edited", "replace_all": True}


def read_inside(root: Path, path: str) -> str:
    """What the kernel finds there, which must be inside."""
    plain = os.path.realpath(os.path.join(root, path))
    assert plain.startswith(f"{root}/")
    return Path(plain).read_text()


@settings(max_examples=TREES_TRIED, deadline=None)
@given(TREES, CALLS)
def test_no_write_lands_outside(links: list[tuple[str, str | None]], calls: list[tuple[str, str]]) -> None:
    """F006: over random trees of files and links; what is said to be written is where the kernel says that it is."""

    async def main(root: Path, outside: Path) -> None:
        before = tree(outside)
        async with asking(root) as ask:
            for tool, given_path in calls:
                path = given_path.format(root=root, outside=outside)
                result = await ask(tool, **_arguments(tool, path))
                assert SECRET not in result.text
                if tool == "write" and not result.is_error:
                    assert read_inside(root, path) == f"inside, written {path!r}"
        assert tree(outside) == before
        assert not any(".trio-tools" in name for name in tree(root))

    with tempfile.TemporaryDirectory() as parent:
        outside = folder(Path(parent), "outside", {"secret.txt": SECRET, "a": SECRET, "b/c": SECRET})
        root = folder(Path(parent), "root", {"in.txt": "inside, no secret"})
        build(root, links, lambda target: target.format(root=root, outside=outside))
        trio.run(main, root, outside)


async def test_links_that_change_meanwhile_lead_no_write_out(tmp_path: Path) -> None:
    """F006: a thread exchanges folders and a file for links to the outside and back, as fast as it can."""
    outside = folder(tmp_path, "outside", {"f": SECRET, "d/f": SECRET, "secret.txt": SECRET})
    root = folder(tmp_path, "root", {"d/d/f": "inside", "d/f": "inside"})
    before, done = tree(outside), threading.Event()

    def exchange() -> None:
        while not done.is_set():
            for name, target in (("d", outside), ("d/d", outside / "d"), ("d/f", outside / "f")):
                with suppress(OSError):  # a write has made it anew meanwhile
                    (root / name).rename(root / "aside")
                    (root / name).symlink_to(target)
                    (root / name).unlink()
                with suppress(OSError):
                    (root / "aside").rename(root / name)

    swapper = threading.Thread(target=exchange)
    swapper.start()
    went_through = 0
    try:
        async with asking(root) as ask:
            for number in range(WRITES):
                path = ("d/f", "d/d/f", "d/../d/d/../f", f"d/new{number}/f")[number % 4]
                tool = "edit" if number % 3 == 0 else "write"
                result = await ask(tool, **_arguments(tool, path))
                went_through += not result.is_error
                assert SECRET not in result.text
    finally:
        done.set()
        swapper.join()
    assert tree(outside) == before
    assert went_through
