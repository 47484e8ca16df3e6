"""On a real terminal: results stay whole lines beside the table, and nothing that others wrote moves it."""

import json
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from test_cli_probe import Document, bash, call, environment, turn, wait_for

from benchmarks.terminal import Terminal, terminal
from benchmarks.warm import Start, fresh

# What the table itself sends: colours, and the moves of the cursor that draw over what was there.
OWN = re.compile(rb"\x1b\[(\?25[lh]|[0-9;]*[mAK])")
EVIL = "\x1b]0;OWNED\x07\x1b[2J\rfake\u202e\x9b31m"


@contextmanager
def on_terminal(*arguments: str, stdout: int | None = None, start: Start = fresh, **more: str) -> Generator[Terminal]:
    """A run on a terminal of a hundred columns."""
    variables = environment(TERM="xterm", **more)
    with terminal(["run", *arguments], columns=100, stdout=stdout, environment=variables, start=start) as shown:
        yield shown


def results(seen: bytearray) -> list[Document]:
    """The lines of results among what a terminal was sent; each must be whole."""
    lines = [line.rpartition(b"\r")[2] for line in OWN.sub(b"", seen).split(b"\r\n")]
    return [json.loads(line) for line in lines if line.startswith(b"{")]


def _says(words: str, text: str) -> bool:
    return words in text


def test_hostile_output_reaches_the_terminal_as_plain_text(tmp_path: Path, warm: Start) -> None:
    """Escapes, carriage returns, direction marks and a line of ten million characters, in names, ids and output."""
    (tmp_path / "evil.txt").write_text(EVIL + "\n")
    # slow enough for the table to be drawn, with all of the names in it
    slow = bash("cat evil.txt; sleep 0.5; cat evil.txt", EVIL)
    calls = [slow, call(EVIL, EVIL), call("x" * 1_000_000, "1" * 100_000), call("read", "2", file_path="evil.txt")]
    (tmp_path / "turns").write_text(turn(*calls) + json.dumps({EVIL: "x" * 10_000_000}) + "\n")
    with on_terminal(str(tmp_path / "turns"), "--tools", "read,bash", "--root", str(tmp_path), start=warm) as shown:
        assert shown.end() == 2
        seen = shown.received
    documents = results(seen)
    assert [one.get("position", "error") for one in documents] == [0, 1, 2, 3, "error"]
    assert EVIL in documents[0]["text"]
    assert b"turn 1: 0 of 4 calls done" in seen  # the table was there
    assert b"\\x1b]0;OWNED\\x07" in seen
    assert b"\rfake" not in seen
    rest = OWN.sub(b"", seen)
    assert set(rest.decode()) <= {*map(chr, range(0x20, 0x7F)), "\r", "\n", "\u2026"}  # the table's own cut


def test_results_are_whole_lines_and_the_table_goes_away(tmp_path: Path, warm: Start) -> None:
    calls = [bash(f"until [ -e seen{number} ]; do sleep 0.05; done", str(number)) for number in range(3)]
    (tmp_path / "turns").write_text(turn(*calls))
    with on_terminal(str(tmp_path / "turns"), "--tools", "bash", "--root", str(tmp_path), start=warm) as shown:
        for number in range(3):
            shown.see(partial(_says, f"{number} of 3 calls done"))
            (tmp_path / f"seen{number}").touch()
        assert shown.end() == 0
        seen = shown.received
    assert [one["id"] for one in results(seen)] == ["0", "1", "2"]
    assert seen.endswith(b"}\r\n")
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h") > 1  # hidden, and shown again


@pytest.mark.parametrize(("times", "wanted"), [(1, b"ABORTED"), (3, b"at once, without cleaning up")])
def test_ctrl_c_on_the_terminal(times: int, wanted: bytes, tmp_path: Path, warm: Start) -> None:
    """D19: the terminal is left as it was, also by the third."""
    stubborn = "trap '' TERM; " if times == 3 else ""
    work = f"{stubborn}echo $$ > pid; for i in {{1..50}}; do sleep 0.1; done"
    (tmp_path / "turns").write_text(turn(bash(work, "a")))
    with on_terminal(str(tmp_path / "turns"), "--tools", "bash", "--root", str(tmp_path), start=warm) as shown:
        wait_for(tmp_path / "pid")
        shown.see(lambda text: "1 running" in text)
        shown.type(b"\x03")
        if times == 3:
            time.sleep(0.3)
            shown.type(b"\x03")
            shown.see(lambda text: wanted.decode() in text)
            shown.type(b"\x03")
        assert shown.end() == 130
        seen = shown.received
    assert wanted in seen
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h")


def test_a_table_stands_on_stderr_alone(tmp_path: Path, warm: Start) -> None:
    (tmp_path / "turns").write_text(turn(bash("sleep 0.5")))
    arguments = [str(tmp_path / "turns"), "--tools", "bash"]
    with (
        (tmp_path / "out").open("wb") as out,
        on_terminal(*arguments, stdout=out.fileno(), NO_COLOR="1", start=warm) as shown,
    ):
        assert shown.end() == 0
        seen = shown.received
    assert b"calls done" in seen
    assert b"{" not in seen
    assert re.search(rb"\x1b\[3[0-9]m", seen) is None
    assert json.loads((tmp_path / "out").read_text())["code"] is None


def test_turns_may_be_typed() -> None:
    """A person at the terminal: a line, its result, and the end of input."""
    with on_terminal("-") as shown:
        shown.type(turn(call("nope")).encode())
        shown.see(lambda text: "UNKNOWN_TOOL" in text)
        shown.type(b"\x04")
        assert shown.end() == 0
        seen = shown.received
    assert results(seen)[-1]["text"] == 'Error: unknown tool "nope"'
