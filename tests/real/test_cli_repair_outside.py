"""`trio-tools repair` as a process of its own: on a terminal, on a disk that is full, and for a reader who leaves."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

from test_cli_probe import BOUND, Cli, command, environment, started

from benchmarks.terminal import terminal
from benchmarks.warm import Start

EVIL = "\x9b31m\u202e\x7f \U000e0041é"
MESSAGE = {"role": "user", "content": EVIL}


def test_what_others_wrote_reaches_a_terminal_escaped_and_still_is_json(tmp_path: Path, warm: Start) -> None:
    text = json.dumps([MESSAGE, {"role": "assistant"}], ensure_ascii=False, indent="\t")
    (tmp_path / "x.json").write_text("\ufeff" + text, "utf-8")
    with terminal(
        ["repair", str(tmp_path / "x.json")], columns=200, environment=environment(TERM="xterm"), start=warm
    ) as shown:
        assert shown.end() == 0
        seen = shown.received.decode()
    written, complaint = seen.split("trio-tools: ")
    assert json.loads(written) == [MESSAGE]
    assert complaint == "messages[1]: message removed: it says nothing\r\n"
    assert set(seen) <= {*map(chr, range(0x20, 0x7F)), "\r", "\n", "é"}


def test_on_a_full_disk_the_output_stays_as_it_was_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    """A bound on the size of files stands in for the disk."""
    lines = "".join(f"{json.dumps({**MESSAGE, 'n': number})}\n" for number in range(1_000))
    (tmp_path / "x.jsonl").write_text(lines)
    (tmp_path / "old.jsonl").write_text("old")
    words = command("repair", "x.jsonl", "--output", "old.jsonl")
    full = ["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", *words]
    # Python would write what it compiles as well, cut short, and everybody would read that from then on
    own = {**environment(), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(full, cwd=tmp_path, env=own, capture_output=True, text=True, timeout=BOUND, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'trio-tools: cannot write "old.jsonl": File too large\n'
    assert (tmp_path / "old.jsonl").read_text() == "old"
    assert {one.name for one in tmp_path.iterdir()} == {"x.jsonl", "old.jsonl"}


def test_a_reader_who_leaves_is_no_error(tmp_path: Path, warm: Start) -> None:
    (tmp_path / "x.json").write_text(json.dumps([MESSAGE]))
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as gone, started("repair", str(tmp_path / "x.json"), stdout=gone, start=warm) as cli:
        _, err = cli.process.communicate(timeout=BOUND)
        assert (cli.process.wait(), err) == (141, b"")


def unread(cli: Cli) -> int:
    """Bytes that it has not taken from its standard input."""
    assert cli.process.stdin is not None
    count = fcntl.ioctl(cli.process.stdin.fileno(), termios.FIONREAD, bytes(4))
    return int.from_bytes(count, sys.byteorder)


def test_ctrl_c_ends_it_while_it_waits_for_input(warm: Start) -> None:
    with started("repair", "-", start=warm) as cli:
        cli.write("[")
        deadline = time.monotonic() + BOUND
        while unread(cli):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        cli.signal(signal.SIGINT)
        assert cli.end() == (130, [], "")
