"""The root is a boundary: whatever a path or a link says, nothing outside is read, listed or told apart."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from test_files_fakes import Files, folder, opened

from trio_tools.values import ToolError

SECRET = "the secret of the outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with something to read, and beside it a folder that nobody may see."""
    folder(tmp_path, "outside", {"secret.txt": SECRET, "sub/secret.txt": SECRET})
    return folder(tmp_path, "root", {"in.txt": "inside", "sub/deep/in.txt": "inside", ".git/config": "inside"})


def link(root: Path, name: str, target: str | Path) -> None:
    (root / name).symlink_to(target)


@pytest.mark.parametrize(
    "path",
    ["..", "../outside/secret.txt", "sub/../../outside/secret.txt", "../root/in.txt", "sub/../..", "/", "/etc/passwd"],
)
def test_paths_that_lead_out_are_refused(root: Path, path: str) -> None:
    """F003: by `..` or as absolute paths, also where they would come back in."""
    with opened(root) as files:
        assert files.code("read", file_path=path) == "FS_OUTSIDE_ROOT"
        assert files.code("glob", pattern="**", path=path) == "FS_OUTSIDE_ROOT"
        assert files.code("grep", pattern="x", path=path) == "FS_OUTSIDE_ROOT"


@pytest.mark.parametrize("path", ["in.txt", "./in.txt", "sub//../in.txt", "sub/deep/../../in.txt", "{root}/in.txt"])
def test_paths_that_stay_inside_are_read(root: Path, path: str) -> None:
    """F001: relative to the root, or absolute inside it."""
    with opened(root) as files:
        assert "1: inside\n" in files.read(path.format(root=root))


def test_a_folder_whose_name_begins_like_the_roots_is_outside(root: Path) -> None:
    folder(root.parent, "root2", {"secret.txt": SECRET})
    with opened(root) as files:
        assert files.code("read", file_path=f"{root}2/secret.txt") == "FS_OUTSIDE_ROOT"
        assert files.code("read", file_path=f"{root}/../root2/secret.txt") == "FS_OUTSIDE_ROOT"


@pytest.mark.parametrize(
    ("target", "rest"),
    [
        ("{outside}/secret.txt", ""),
        ("{outside}", "/secret.txt"),
        ("{outside}/sub", "/../secret.txt"),
        ("../outside/secret.txt", ""),
        ("../outside", "/sub/secret.txt"),
        ("sub/../../outside", "/secret.txt"),
        ("/", "/etc/passwd"),
        ("{root}/../outside/secret.txt", ""),
        ("..", "/root/in.txt"),
    ],
)
def test_links_that_lead_out_are_refused(root: Path, target: str, rest: str) -> None:
    """F003: a final or an inner part of the path, relative or absolute, and chains of links."""
    link(root, "link", target.format(outside=root.parent / "outside", root=root))
    link(root, "sub/chain", "../link")
    with opened(root) as files:
        for path in (f"link{rest}", f"sub/chain{rest}", f"{root}/sub/../link{rest}"):
            assert files.code("read", file_path=path) == "FS_OUTSIDE_ROOT"
            assert files.code("grep", pattern="secret", path=path) == "FS_OUTSIDE_ROOT"
            assert files.code("glob", pattern="*", path=path) == "FS_OUTSIDE_ROOT"
        assert not any("secret" in one for one in files.glob("**/*"))
        assert files.grep("secret") == "No matches found"


def test_what_is_outside_cannot_be_probed(root: Path) -> None:
    """F003: a link answers the same, be there a file, a folder or nothing at its other end."""
    answers: set[str] = set()
    with opened(root) as files:
        for target in ("secret.txt", "sub", "nothing", "nothing/at/all"):
            link(root, "link", root.parent / "outside" / target)
            answers.add(files.failure("read", file_path="link").message)
            answers.add(files.failure("read", file_path="link/").message.replace("link/", "link"))
            (root / "link").unlink()
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("target", "rest"),
    [("in.txt", ""), ("sub", "/deep/in.txt"), ("{root}/sub/deep", "/in.txt"), ("sub/deep/../../in.txt", "")],
)
def test_links_that_stay_inside_are_followed(root: Path, target: str, rest: str) -> None:
    """F001: read, and a search whose path is a link, go where it leads inside the root."""
    link(root, "link", target.format(root=root))
    link(root, "sub/chain", "../link")
    with opened(root) as files:
        assert "1: inside\n" in files.read(f"link{rest}")
        assert "1: inside\n" in files.read(f"sub/chain{rest}")
        assert files.grep("inside", path=f"link{rest}").startswith("Found 1 matches\n\n")


def test_dots_behind_a_link_are_those_of_its_target(root: Path) -> None:
    link(root, "link", "sub/deep")
    with opened(root) as files:
        assert files.code("read", file_path="link/../in.txt") == "FS_NOT_FOUND"
        assert "1: inside\n" in files.read("link/../../in.txt")


def test_the_root_itself_may_be_reached_by_a_link(root: Path) -> None:
    """F001: then absolute paths may name it either way."""
    link(root.parent, "alias", root)
    with opened(root.parent / "alias") as files:
        for path in ("in.txt", f"{root}/in.txt", f"{root.parent}/alias/in.txt"):
            assert "1: inside\n" in files.read(path)


def test_link_loops_end(root: Path) -> None:
    """F003: a link to itself, a circle, and a chain that is too long."""
    link(root, "self", "self")
    link(root, "a", "b")
    link(root, "b", f"{root}/a/x")
    link(root, "l0", "in.txt")
    for number in range(1, 41):
        link(root, f"l{number}", f"l{number - 1}")
    with opened(root) as files:
        for path in ("self", "a", "self/x", "l40"):
            assert files.code("read", file_path=path) == "FS_LINK_LOOP"
        assert "1: inside\n" in files.read("l39")
        assert files.code("read", file_path="sub/../" * 5_000 + "in.txt") == "FS_LINK_LOOP"
        assert "self" not in files.glob("*")


def test_a_dangling_link_is_not_found(root: Path) -> None:
    link(root, "link", "nothing")
    with opened(root) as files:
        assert files.code("read", file_path="link") == "FS_NOT_FOUND"


def test_what_is_no_regular_file_is_refused_without_waiting(root: Path) -> None:
    """F003: pipes without a writer, sockets, folders; and searches pass them by."""
    os.mkfifo(root / "pipe")
    link(root, "link", "pipe")
    with socket.socket(socket.AF_UNIX) as one, opened(root) as files:
        one.bind(str(root / "socket"))
        for path in ("pipe", "link", "socket", "sub", ".", ""):
            assert files.failure("read", file_path=path or "./").code == "FS_NOT_REGULAR_FILE"
        assert sorted(files.glob("*")) == ["in.txt"]
        assert files.grep("x") == "No matches found"
        assert files.code("grep", pattern="x", path="pipe") == "FS_NOT_REGULAR_FILE"


def test_a_pipe_put_in_a_files_place_is_refused_without_waiting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F003: right before it is opened; the opening must not wait for a writer, and what came of it is looked at."""
    real = os.open

    def pipe_then_open(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "in.txt" and not flags & os.O_PATH:
            assert flags & os.O_NONBLOCK
            os.unlink(path, dir_fd=dir_fd)
            os.mkfifo(path, dir_fd=dir_fd)
        return real(path, flags, mode, dir_fd=dir_fd)

    with opened(root) as files:
        monkeypatch.setattr(os, "open", pipe_then_open)
        assert "a named pipe" in files.failure("read", file_path="in.txt").message


def test_devices_are_refused() -> None:
    """F003: they say what they are before anybody opens them."""
    with opened(Path("/dev")) as files:
        assert "a device" in files.failure("read", file_path="null").message


def test_a_closed_toolkit_reads_nothing(root: Path) -> None:
    """F003: its descriptor's number may belong to another folder by then."""
    with opened(root) as files:
        files.root.close()
        other = os.open(root.parent / "outside", os.O_RDONLY)
        try:
            assert files.code("read", file_path="secret.txt") == "FS_FAILED"
        finally:
            os.close(other)


def test_the_root_is_a_directory_not_a_name(root: Path) -> None:
    """F003: it cannot be exchanged for another under the toolkit's feet; a removed one says so."""
    with opened(root) as files:
        root.rename(root.parent / "moved")
        link(root.parent, "root", "outside")
        assert files.code("read", file_path="secret.txt") == "FS_NOT_FOUND"
        assert "1: inside\n" in files.read("in.txt")
    empty = folder(root.parent, "empty", {})
    with opened(empty) as files:
        empty.rmdir()
        assert "has been removed" in files.failure("glob", pattern="*").message


def test_what_cannot_be_opened_says_why(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F009: a file of the tree is counted as left out; the process's own shortage ends a search."""
    real = os.open
    number = errno.EACCES

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "in.txt" and not flags & os.O_PATH:
            raise OSError(number, os.strerror(number))
        return real(path, flags, mode, dir_fd=dir_fd)

    with opened(root) as files:
        monkeypatch.setattr(os, "open", refuse)
        assert files.failure("read", file_path="in.txt").message.startswith("in.txt could not be read: Permission")
        left_out = "No matches found\n\n(2 files or directories could not be read and were left out.)"
        assert files.grep("inside") == left_out
        number = errno.EMFILE
        assert files.code("grep", pattern="x") == "SEARCH_FAILED"


def answers(files: Files) -> list[str]:
    """What each tool says, failures included, of paths that somebody is changing."""
    return [
        _answer(lambda: files.read("sub/deep/in.txt")),
        _answer(lambda: files.read("sub/../sub/deep/../deep/in.txt")),
        _answer(lambda: files.grep("s")),
        _answer(lambda: "\n".join(files.glob("**/*"))),
    ]


def _answer(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except ToolError as error:
        return error.message


@pytest.mark.parametrize("swapped", ["sub", "sub/deep", "sub/deep/in.txt"])
def test_a_link_swapped_in_at_any_step_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    """F003: right before each single opening a part of the path becomes a link to the outside."""
    folder(root.parent / "outside", "deep", {"in.txt": SECRET, "secret.txt": SECRET})
    (root.parent / "outside" / "in.txt").write_text(SECRET)
    target = root.parent / "outside" / {"sub": "", "sub/deep": "deep", "sub/deep/in.txt": "secret.txt"}[swapped]
    real = os.open
    left = 0

    def swap_then_open(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        nonlocal left
        left -= 1
        if left == 0:
            (root / swapped).rename(root.parent / "aside")
            (root / swapped).symlink_to(target)
        return real(path, flags, mode, dir_fd=dir_fd)

    step = 0
    while left <= 0:
        step += 1
        left = step
        with opened(root) as files, monkeypatch.context() as patched:
            patched.setattr(os, "open", swap_then_open)
            said = answers(files)
        assert not any("secret" in one for one in said)
        if left <= 0:
            (root / swapped).unlink()
            (root.parent / "aside").rename(root / swapped)
    assert step > 20
