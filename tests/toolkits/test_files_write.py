"""`write`: what becomes of files, new and old, and of all that is around them."""

from __future__ import annotations

import hashlib
import os
import resource
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from asking import asking, tree
from test_files_fakes import folder

from trio_tools import Effect, EffectState
from trio_tools.toolkits.files._writing import MAX_FILE_BYTES, encoded
from trio_tools.values import FrozenDict, ToolError

SECRET = "the secret of the outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with something in it, and beside it a folder that nobody may change."""
    folder(tmp_path, "outside", {"secret.txt": SECRET, "sub/secret.txt": SECRET})
    return folder(tmp_path, "root", {"in.txt": "inside", "sub/deep/in.txt": "inside"})


async def test_a_file_is_created_with_the_folders_on_its_way(root: Path) -> None:
    """F004, F006: the text as it was given, the permissions that a new file has, and an effect that says it."""
    content = "één\r\ntwo\n\n"
    async with asking(root) as ask:
        result = await ask("write", file_path="new/folder/f.txt", content=content)
    assert result.text == "<path>new/folder/f.txt</path>\n<type>file</type>\n<content>\nCreated file\n</content>"
    data = (root / "new/folder/f.txt").read_bytes()
    assert data == content.encode()
    (root / "plain").touch()
    assert (root / "new/folder/f.txt").stat().st_mode == (root / "plain").stat().st_mode
    digest = hashlib.sha256(data).hexdigest()
    receipt = FrozenDict({"path": "new/folder/f.txt", "bytes": len(data), "sha256": digest, "created": True})
    assert result.effects == (Effect("file.write", EffectState.COMMITTED, receipt),)


async def test_a_file_is_replaced_and_keeps_its_permissions(root: Path) -> None:
    """F004, F006: bits that let a program run as its owner go, as on any write."""
    (root / "in.txt").chmod(0o4751)
    async with asking(root) as ask:
        result = await ask("write", file_path=f"{root}/in.txt", content="")
        assert "\nUpdated file\n" in result.text
        assert (root / "in.txt").read_bytes() == b""
        assert stat.S_IMODE((root / "in.txt").stat().st_mode) == 0o751
        assert "End of file - total 0 lines" in (await ask("read", file_path="in.txt")).text
    assert set(tree(root)) == {"in.txt", "sub", "sub/deep", "sub/deep/in.txt"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
async def test_a_file_keeps_its_owner(root: Path) -> None:
    """F006: an agent that runs as root does not make everything root's."""
    os.chown(root / "in.txt", 4_711, 4_712)
    async with asking(root) as ask:
        assert await ask.code("edit", file_path="in.txt", old_string="inside", new_string="x") is None
    status = (root / "in.txt").stat()
    assert (status.st_uid, status.st_gid) == (4_711, 4_712)


async def test_calls_of_one_turn_see_each_others_writes(root: Path) -> None:
    """F006: in the order of the turn."""
    async with asking(root) as ask:
        assert await ask.code("write", file_path="in.txt", content="1") is None
        assert await ask.code("edit", file_path="./sub/../in.txt", old_string="1", new_string="12") is None
        assert "1: 12\n" in (await ask("read", file_path="in.txt")).text
        assert (await ask("grep", pattern="12")).text.startswith("Found 1 matches")


async def test_a_link_inside_stays_and_what_it_leads_to_is_replaced(root: Path) -> None:
    """F006: a link to a file, to a folder, and to what is not there yet."""
    (root / "link").symlink_to("sub/deep/in.txt")
    (root / "way").symlink_to(root / "sub")
    (root / "dangling").symlink_to("sub/new.txt")
    async with asking(root) as ask:
        assert await ask.code("write", file_path="link", content="by a link") is None
        assert await ask.code("write", file_path="way/made/f", content="by a folder") is None
        assert "Created file" in (await ask("write", file_path="dangling", content="made")).text
    assert (root / "sub/deep/in.txt").read_text() == "by a link"
    assert (root / "sub/made/f").read_text() == "by a folder"
    assert (root / "sub/new.txt").read_text() == "made"
    assert all((root / name).is_symlink() for name in ("link", "way", "dangling"))


async def test_other_names_of_a_file_keep_what_it_was(root: Path) -> None:
    """F006: a file that is replaced is another; its hard links are to the old one."""
    os.link(root / "in.txt", root / "twin.txt")
    async with asking(root) as ask:
        assert await ask.code("write", file_path="in.txt", content="new") is None
    assert (root / "twin.txt").read_text() == "inside"


REFUSED = {
    "..": "FS_OUTSIDE_ROOT",
    "../outside/new": "FS_OUTSIDE_ROOT",
    "../root/in.txt": "FS_OUTSIDE_ROOT",
    "/etc/new": "FS_OUTSIDE_ROOT",
    "out/secret.txt": "FS_OUTSIDE_ROOT",
    "out/new/new": "FS_OUTSIDE_ROOT",
    "file-out": "FS_OUTSIDE_ROOT",
    "nothing-out": "FS_OUTSIDE_ROOT",
    "sub/up/outside/secret.txt": "FS_OUTSIDE_ROOT",
    "loop": "FS_LINK_LOOP",
    "": "FS_INVALID_ARGUMENT",
    ".": "FS_NOT_REGULAR_FILE",
    "sub": "FS_NOT_REGULAR_FILE",
    "pipe": "FS_NOT_REGULAR_FILE",
    "socket": "FS_NOT_REGULAR_FILE",
    "sub/": "FS_NOT_REGULAR_FILE",
    "new/": "FS_NOT_FOUND",
    "new/../in.txt": "FS_NOT_FOUND",
    "in.txt/": "FS_NOT_DIRECTORY",
    "in.txt/new": "FS_NOT_DIRECTORY",
    "~/new": "FS_INVALID_ARGUMENT",
    "a\0b": "FS_INVALID_ARGUMENT",
    "new/a\0b/new": "FS_INVALID_ARGUMENT",
    "x" * 300: "FS_FAILED",
    "new/folder/" + "x" * 300: "FS_FAILED",
    ".trio-tools-staging": "FS_RESERVED",
    "sub/.trio-tools-staging-1": "FS_RESERVED",
    "new/.trio-tools-staging-1": "FS_RESERVED",
}


@pytest.mark.parametrize("path", REFUSED, ids=ascii)
async def test_where_nothing_can_be_written_nothing_changes(root: Path, path: str) -> None:
    """F003, F006: neither outside nor inside, no folder is left on the way, and no effect has gone through."""
    (root / "out").symlink_to(root.parent / "outside")
    (root / "file-out").symlink_to(root.parent / "outside/secret.txt")
    (root / "nothing-out").symlink_to("../outside/new")
    (root / "sub/up").symlink_to("../..")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(root, os.O_RDONLY)
        listening.bind(f"/proc/self/fd/{here}/socket")  # the path itself may be too long for a socket
        os.close(here)
        before = tree(root.parent)
        async with asking(root) as ask:
            for tool, arguments in (
                ("write", {"content": "x"}),
                ("edit", {"old_string": "secret", "new_string": "x"}),
            ):
                result = await ask(tool, file_path=path, **arguments)
                missing = tool == "edit" and REFUSED[path] == "FS_FAILED" and "/" in path
                assert result.code == ("FS_NOT_FOUND" if missing else REFUSED[path])
                assert all(effect.state is EffectState.FAILED for effect in result.effects)
                assert SECRET not in result.text
        assert tree(root.parent) == before


async def test_what_would_be_no_text_is_not_written(root: Path) -> None:
    """F003: `read` would refuse it."""
    async with asking(root) as ask:
        assert await ask.code("write", file_path="in.txt", content="a\0b") == "FS_NOT_TEXT"
        assert await ask.code("write", file_path="new/f", content="a\0b") == "FS_NOT_TEXT"
    assert (root / "in.txt").read_text() == "inside"
    assert not (root / "new").exists()


def test_the_size_of_what_is_written_is_bounded() -> None:
    """F006: and half a character is no text."""
    assert len(encoded("content", "x" * MAX_FILE_BYTES)) == MAX_FILE_BYTES
    for text, why in (("é" * (MAX_FILE_BYTES // 2 + 1), "10,485,762 bytes"), ("a\ud800", "half a character")):
        with pytest.raises(ToolError, match=why) as caught:
            encoded("content", text)
        assert caught.value.code == "FS_INVALID_ARGUMENT"


@contextmanager
def no_file_larger_than(size: int) -> Generator[None, None, None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


async def test_a_file_that_does_not_fit_leaves_the_old_one(root: Path) -> None:
    """F006: the disk says no in the middle of it, before there is any effect."""
    before = tree(root)
    async with asking(root) as ask:
        with no_file_larger_than(100_000):
            results = [await ask("write", file_path=path, content="x" * 100_001) for path in ("in.txt", "new/f")]
    for result in results:
        assert (result.code, result.effects) == ("FS_FAILED", ())
        assert result.text.endswith(
            "could not be written, and is as it was: File too large. Write less, or several files."
        )
    assert tree(root) == before


async def test_what_changes_on_the_way_at_the_last_moment_is_not_followed(root: Path) -> None:
    """F006, M021: a folder and a file become links to the outside when the effect is about to happen."""
    before = tree(root.parent / "outside")

    def swap() -> None:
        for name, target in (("in.txt", "secret.txt"), ("made", "sub")):
            (root / name).rename(root / f"{name}.aside") if (root / name).exists() else None
            (root / name).symlink_to(root.parent / "outside" / target)

    async with asking(root) as ask:
        ask.meanwhile(swap)
        first = await ask("write", file_path="in.txt", content="x")
        assert (first.code, first.effects[0].state) == ("FS_NOT_REGULAR_FILE", EffectState.FAILED)
        for name in ("in.txt", "made"):
            (root / name).unlink()
        second = await ask("write", file_path="made/new/f", content="x")
        assert (second.is_error, second.effects[0].state) == (True, EffectState.FAILED)
    assert tree(root.parent / "outside") == before


async def test_a_file_that_comes_at_the_last_moment_is_replaced(root: Path) -> None:
    """F005: without a policy a write is unconditional."""
    async with asking(root) as ask:
        ask.meanwhile(lambda: (root / "new").write_text("somebody's"))
        assert "Updated file" in (await ask("write", file_path="new", content="x")).text
    assert (root / "new").read_text() == "x"
