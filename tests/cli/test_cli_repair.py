"""`trio-tools repair`: what is written and where, what is said of it, and that a file is whole or untouched."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from pathlib import Path

import attrs
import pytest

from trio_tools.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("`trio-tools repair`\n") : PAGE.index("## The live view")]
ASKS = '{"role": "assistant",  "tool_calls": [{"id": "a", "function": {"name": "x\\u001b"}}]}'
TOLD = '{"role": "tool", "tool_call_id": "a", "n": 1.50e3, "content": "é"}'
USER = '{"role": "user", "content": "go on"}'
BROKEN = f"[\n {ASKS},\n {USER},\n {TOLD}\n]\n"
BALANCED = f"[\n {ASKS},\n {TOLD},\n {USER}\n]\n"
MOVED = "trio-tools: messages[2]: result moved: results stand right behind their calls, in call order\n"


@attrs.frozen
class Done:
    """What a command came to."""

    status: int
    out: str
    err: str


@attrs.frozen
class Folder:
    """A working folder, and commands in it."""

    path: Path
    capture: pytest.CaptureFixture[bytes]

    def repair(self, *arguments: str) -> Done:
        status = main(["repair", *arguments])
        out, err = self.capture.readouterr()
        return Done(status, out.decode(), err.decode())

    def write(self, name: str, text: str) -> Path:
        (self.path / name).write_bytes(text.encode())
        return self.path / name

    def read(self, name: str) -> str:
        return (self.path / name).read_bytes().decode()

    @property
    def names(self) -> set[str]:
        return {one.name for one in self.path.iterdir()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path, capfdbinary)


def blocks(page: str) -> list[list[str]]:
    """What stands indented in a page, block by block."""
    found = re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)
    return [[line[4:] for line in one.splitlines()] for one in found]


def test_the_documented_commands_do_what_is_shown(folder: Folder) -> None:
    given, *sessions = blocks(SECTION)
    folder.write("broken.jsonl", "".join(f"{line}\n" for line in given))
    commands = 0
    for session in sessions:
        for command, *shown in re.findall(r"\$ (.*)\n((?:[^$].*\n)*)", "".join(f"{one}\n" for one in session)):
            program, name, *arguments = shlex.split(command)
            done = folder.repair(*arguments)
            assert [program, name] == ["trio-tools", "repair"]
            assert [done.out + done.err] == shown
            assert done.status == ("--check" in arguments)
            commands += 1
    assert commands == 3


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (BROKEN, BALANCED),
        (
            f'{{"model": "m", "messages": [{ASKS}, {USER}, {TOLD}], "n": 1e400}}',
            f'{{"model": "m", "messages": [{ASKS}, {TOLD}, {USER}], "n": 1e400}}',
        ),
        (f"{ASKS}\n{USER}\n{TOLD}\n", f"{ASKS}\n{TOLD}\n{USER}\n"),
    ],
)
def test_it_is_written_in_the_shape_that_it_came_in(given: str, written: str, folder: Folder) -> None:
    place = "line 3" if given[0] == "{" and "messages" not in given else "messages[2]"
    done = Done(0, written, MOVED.replace("messages[2]", place))
    folder.write("x.json", given)
    assert folder.repair("x.json") == done
    assert folder.repair("x.json", "--format", "openai") == done
    folder.write("y.json", written)
    assert folder.repair("y.json") == Done(0, written, "")
    assert folder.names == {"x.json", "y.json"}


def test_a_check_writes_nothing_and_its_status_tells(folder: Folder) -> None:
    folder.write("x.json", BROKEN)
    folder.write("y.json", BALANCED)
    assert folder.repair("--check", "x.json") == Done(1, "", MOVED)
    assert folder.repair("--check", "y.json") == Done(0, "", "")
    assert folder.read("x.json") == BROKEN


def test_standard_input_is_read_to_its_end(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a pipe, in pieces; and a large file that is redirected must be no output either."""
    kept = os.dup(0)
    reads, writes = os.pipe()
    try:
        os.dup2(reads, 0)
        os.write(writes, BROKEN[:9].encode())
        os.write(writes, BROKEN[9:].encode())
        os.close(writes)
        assert folder.repair("-") == Done(0, BALANCED, MOVED)
        os.close(reads)
        given = os.open(folder.write("x.json", BROKEN), os.O_RDONLY)
        os.dup2(given, 0)
        os.close(given)
        refused = folder.repair("-", "--output", "x.json")
        assert refused == Done(2, "", 'trio-tools: --output: "x.json" is the file that is read; give another name\n')
    finally:
        os.dup2(kept, 0)
        os.close(kept)
    assert folder.read("x.json") == BROKEN


def test_an_output_is_replaced_and_keeps_its_mode_and_the_links_to_it(folder: Folder) -> None:
    folder.write("x.json", BROKEN)
    folder.write("old.json", "old").chmod(0o640)
    (folder.path / "link").symlink_to("old.json")
    assert folder.repair("x.json", "--output", "link") == Done(0, "", MOVED)
    assert folder.read("old.json") == BALANCED
    assert stat.S_IMODE((folder.path / "old.json").stat().st_mode) == 0o640
    assert (folder.path / "link").is_symlink()
    assert folder.repair("x.json", "--output", "new.json").status == 0
    assert folder.read("new.json") == BALANCED
    assert folder.names == {"x.json", "old.json", "link", "new.json"}


@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_link_to_the_file_that_is_read_is_no_output(kind: str, folder: Folder) -> None:
    given = folder.write("x.json", BROKEN)
    link = folder.path / "link"
    link.symlink_to(given) if kind == "symbolic" else link.hardlink_to(given)
    assert folder.repair("x.json", "--output", "link").status == 2
    assert folder.read("x.json") == BROKEN


def test_what_cannot_be_read_leaves_an_output_as_it_was(folder: Folder) -> None:
    folder.write("x.json", BROKEN[:-3])
    folder.write("old.json", "old")
    done = folder.repair("x.json", "--output", "old.json")
    assert done == Done(2, "", "trio-tools: x.json: not JSON: Expecting ',' delimiter at character 195\n")
    assert folder.read("old.json") == "old"


def test_names_of_others_do_not_reach_a_terminal_as_they_are(folder: Folder) -> None:
    folder.write("x.json", f"[{ASKS}]")
    done = folder.repair("x.json")
    assert json.loads(done.out)[1]["tool_call_id"] == "a"
    assert done.err.startswith('trio-tools: messages[0].tool_calls[0]: result of "x\\u001b" added: ')
