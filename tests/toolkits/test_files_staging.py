"""Names that a file has before it is published: where they are, who removes them, and what is never removed."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from asking import asking, tree

from trio_tools.toolkits.files._root import STAGING, Root
from trio_tools.toolkits.files._staging import staging, staging_name, sweep, sweep_beside

LEFT = f"{STAGING}-{'0' * 32}"


def leave(root: Path) -> None:
    """What a process leaves that is killed between the two steps."""
    (root / STAGING).mkdir(mode=0o700)
    (root / STAGING / LEFT).write_text("left")


async def test_what_was_left_is_swept_when_the_toolkit_is_opened(tmp_path: Path) -> None:
    """F006."""
    leave(tmp_path)
    async with asking(tmp_path):
        assert tree(tmp_path) == {}


async def test_what_was_left_is_swept_before_a_write(tmp_path: Path) -> None:
    """F006: also before one that makes a file, or comes to nothing."""
    async with asking(tmp_path) as ask:
        leave(tmp_path)
        await ask("edit", file_path="f", old_string="a", new_string="b")
        assert tree(tmp_path) == {}
        leave(tmp_path)
        await ask("write", file_path="f", content="x")
        assert list(tree(tmp_path)) == ["f"]


async def test_who_is_there_is_not_swept_away(tmp_path: Path) -> None:
    """F006: two processes write in one root; whoever leaves last takes the folder away."""
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path) as ask:
        with Root(tmp_path) as other, staging(other) as place:
            os.close(os.open(LEFT, os.O_CREAT | os.O_WRONLY, dir_fd=place))
            assert await ask.code("write", file_path="f", content="new") is None
            assert set(tree(tmp_path)) == {"f", STAGING, f"{STAGING}/{LEFT}"}
        assert set(tree(tmp_path)) == {"f"}


def test_who_is_late_to_sweep_leaves_a_folder_that_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F006: between opening the folder and locking it, it goes, and somebody is in a new one, which has no name yet."""
    leave(tmp_path)
    plain = fcntl.flock
    with Root(tmp_path) as root, ExitStack() as others:

        def late(descriptor: int, how: int) -> None:
            monkeypatch.setattr(fcntl, "flock", plain)
            shutil.rmtree(tmp_path / STAGING)
            others.enter_context(staging(root))
            plain(descriptor, how)

        monkeypatch.setattr(fcntl, "flock", late)
        sweep(root)
        assert set(tree(tmp_path)) == {STAGING}
    assert tree(tmp_path) == {}


async def test_no_file_of_a_user_is_swept(tmp_path: Path) -> None:
    """F006: only names that are the toolkit's."""
    leave(tmp_path)
    (tmp_path / STAGING / "mine").write_text("mine")
    (tmp_path / "f").write_text("old")
    async with asking(tmp_path) as ask:
        assert await ask.code("write", file_path="f", content="new") is None
        assert set(tree(tmp_path)) == {"f", STAGING, f"{STAGING}/mine"}


def open_to_all(root: Path, outside: Path) -> None:
    (root / STAGING).mkdir()
    (root / STAGING).chmod(0o777)


def link_out(root: Path, outside: Path) -> None:
    (root / STAGING).symlink_to(outside)


def file(root: Path, outside: Path) -> None:
    (root / STAGING).write_text("somebody's")


@pytest.mark.parametrize("put", [open_to_all, link_out, file])
async def test_a_folder_that_is_not_ours_is_not_used(tmp_path: Path, put: Callable[[Path, Path], None]) -> None:
    """F006: then the name is beside the target; nothing is swept, in there or at the end of a link."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for one in (root, outside):
        one.mkdir()
    (outside / LEFT).write_text("outside")
    (root / "f").write_text("old")
    put(root, outside)
    before = {name: is_what for name, is_what in tree(tmp_path).items() if name != "root/f"}
    async with asking(root) as ask:
        assert "Updated file" in (await ask("write", file_path="f", content="new")).text
    assert (root / "f").read_text() == "new"
    assert {name: is_what for name, is_what in tree(tmp_path).items() if name != "root/f"} == before


def without_nameless_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on file systems that have none."""
    plain = os.open

    def refuse(path: str, flags: int, *args: int, dir_fd: int | None = None) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        return plain(path, flags, *args, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)


def without_links_to_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a folder of the root is another file system's."""
    plain = os.link

    def refuse(source: str, target: str, *, dst_dir_fd: int, follow_symlinks: bool) -> None:
        if os.readlink(f"/proc/self/fd/{dst_dir_fd}").endswith(STAGING):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        plain(source, target, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.parametrize("lacking", [without_nameless_files, without_links_to_the_top])
@pytest.mark.parametrize("guarded", [True, False])
async def test_it_works_on_file_systems_that_can_do_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: Callable[[pytest.MonkeyPatch], None], guarded: bool
) -> None:
    """F006: what is only to be created never replaces anything, and nothing is left, in folders neither."""
    (tmp_path / "theirs").write_text("theirs")
    lacking(monkeypatch)
    async with asking(tmp_path, guarded=guarded) as ask:
        created = await ask("write", file_path="d/e/f", content="one")
        replaced = await ask("write", file_path="d/e/f", content="two")
        assert await ask.code("edit", file_path="d/e/f", old_string="two", new_string="2") is None
        assert ("Created file" in created.text, "Updated file" in replaced.text) == (True, True)
        others = await ask.code("write", file_path="theirs", content="mine")
        assert others == ("FS_NOT_OBSERVED" if guarded else None)
        assert (await ask("write", file_path="g/" + "x" * 300, content="x")).is_error
    assert set(tree(tmp_path)) == {"theirs", "d", "d/e", "d/e/f"}
    assert (tmp_path / "d/e/f").read_text() == "2"


def test_beside_a_target_only_what_is_old_and_nobodys_is_swept(tmp_path: Path) -> None:
    """F006: a lock tells who is alive, age who has only just begun."""
    old, new, held = (tmp_path / staging_name() for _ in range(3))
    for one in (old, new, held):
        one.write_text("left")
    for one in (old, held):
        os.utime(one, (time.time() - 3_600, time.time() - 3_600))
    with held.open() as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        place = os.open(tmp_path, os.O_RDONLY)
        sweep_beside(place)
        os.close(place)
    assert {path.name for path in tmp_path.iterdir()} == {new.name, held.name}


async def test_no_search_and_no_path_leads_there(tmp_path: Path) -> None:
    """F006."""
    (tmp_path / "f").write_text("needle")
    async with asking(tmp_path) as ask:
        leave(tmp_path)
        (tmp_path / LEFT).write_text("needle")
        assert (await ask("glob", pattern="**")).text == "f"
        assert (await ask("grep", pattern="needle|left")).text.startswith("Found 1 matches\n\nf\n")
        for path in (LEFT, f"{STAGING}/{LEFT}", f"./{STAGING}/../f"):
            assert await ask.code("read", file_path=path) == "FS_RESERVED"


def test_many_go_in_and_out_at_once(tmp_path: Path) -> None:
    """F006: each finds the folder, whoever has just removed it, and the last takes it away."""

    def go() -> None:
        with Root(tmp_path) as root:
            for _ in range(100):
                with staging(root) as place:
                    name = staging_name()
                    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=place))
                    os.rename(name, "f", src_dir_fd=place, dst_dir_fd=root_of(root))

    descriptors: dict[int, int] = {}

    def root_of(root: Root) -> int:
        return descriptors.setdefault(id(root), root.enter())

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(trio.to_thread.run_sync, go)

    trio.run(main)
    for one in descriptors.values():
        os.close(one)
    assert set(tree(tmp_path)) - {STAGING} == {"f"}
