"""The live view on a real terminal, as a person sees it: a terminal emulator interprets what comes out of the pty."""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from test_cli_probe import Document, bash, call, codes, environment, ran, turn

from benchmarks.terminal import BOUND, Terminal, terminal
from benchmarks.warm import Start

# Text that would take over a terminal that obeys it: its title, screen, cursor, scroll region, colours and direction.
EVIL = "\x1b]0;OWNED\x07\x1b[2J\x1b[5;9r\x1b[?25l\rfake\u202e\x9b31m\u4f60"
PROMPT = b"$ trio-tools run turns.jsonl\r\n"
# Holds a command until the test lets it go.
HELD = "until [ -e go ]; do sleep 0.05; done"


@contextmanager
def shown(
    folder: Path,
    *calls: Document,
    columns: int = 80,
    lines: int = 24,
    options: tuple[str, ...] = (),
    variables: Mapping[str, str] = {},
    start: Start,
) -> Generator[Terminal]:
    """A turn on a terminal that has the command's own line on it."""
    (folder / "turns.jsonl").write_text(turn(*calls))
    arguments = ["run", str(folder / "turns.jsonl"), "--tools", "read,bash", "--root", str(folder), *options]
    others = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    common = {name: value for name, value in environment(TERM="xterm-256color").items() if name not in others}
    own = {**common, **variables}
    with terminal(arguments, columns=columns, lines=lines, before=PROMPT, environment=own, start=start) as one:
        yield one


def shows_queued(count: int, text: str) -> bool:
    return text.count("queued") == count


def go(folder: Path) -> None:
    (folder / "go").touch()


def results(one: Terminal) -> list[Document]:
    """The results that stand on the terminal, those that have scrolled away too. Each must be whole."""
    _, *documents = re.split(r'(?={"turn": )', "".join(one.everything))
    return [json.loads(document) for document in documents]


def colours(one: Terminal) -> set[str]:
    screen = one.screen
    return {char.fg for line in screen.buffer.values() for char in line.values()} - {"default"}


@pytest.mark.parametrize(
    ("columns", "lines", "heads", "waits"),
    [
        (80, 24, "tool id state time left done now", "awaits bash b (runs alone)"),
        (200, 50, "tool id state time left done last line of output waits for", "bash b (runs alone)"),
    ],
)
def test_a_person_sees_what_runs_what_it_says_and_what_waits_for_it(
    columns: int, lines: int, heads: str, waits: str, tmp_path: Path, *, warm: Start
) -> None:
    calls = [call("nope", "a"), bash(f"echo first; echo second line; {HELD}", "b"), bash("true", "c")]
    options = ("--timeout", "3000")
    with shown(tmp_path, *calls, columns=columns, lines=lines, options=options, start=warm) as one:
        one.see(lambda text: "second line" in text and waits in text)
        result, table = "\n".join(one.lines).split("turn 1: ")
        assert result.startswith(PROMPT.decode().strip() + '\n{"turn": 1, "position": 0, "id": "a"')
        title, head, *rows = table.splitlines()
        assert title == "1 of 3 calls done, 1 running, 1 waiting"
        assert head.split() == heads.split()
        assert [row.split()[:3] for row in rows] == [
            ["nope", "a", "UNKNOWN_TOOL"],
            ["bash", "b", "running"],
            ["bash", "c", "queued"],
        ]
        assert re.search(r"running +\d\.\ds +49m\d\ds +18 +second line$", rows[1])
        assert rows[2].endswith(waits)
        assert one.screen.cursor.hidden
        go(tmp_path)
        assert one.end() == 0
        assert [document["code"] for document in results(one)] == ["UNKNOWN_TOOL", None, None]
        assert "".join(one.everything).split('{"turn"')[0].strip() == PROMPT.decode().strip()  # no table any more
        assert not one.screen.cursor.hidden


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}])
def test_no_color_takes_the_colours_and_nothing_else(variables: dict[str, str], tmp_path: Path, warm: Start) -> None:
    with shown(tmp_path, call("nope", "a"), bash(HELD, "b"), variables=variables, start=warm) as one:
        text = one.see(lambda text: "1 of 2 calls done, 1 running" in text)
        assert colours(one) == (set() if variables else {"red"})
        assert re.search("nope a  UNKNOWN_TOOL", text)
        go(tmp_path)
        assert one.end() == 0


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_a_dumb_terminal_is_sent_the_results_and_nothing_else(term: str, tmp_path: Path, warm: Start) -> None:
    with shown(tmp_path, bash("echo out; sleep 0.5", "a"), variables={"TERM": term}, start=warm) as one:
        assert one.end() == 0
        assert b"\x1b" not in one.received
        assert one.received.removeprefix(PROMPT).count(b"\r") == 1  # of the line's end
        assert [document["id"] for document in results(one)] == ["a"]


def test_a_pipe_is_sent_nothing(tmp_path: Path, warm: Start) -> None:
    work = turn(bash("echo out; sleep 0.5", "a"))
    status, documents, complaints = ran("run", "-", "--tools", "bash", "--root", str(tmp_path), given=work, start=warm)
    assert (status, len(documents), complaints) == (0, 1, "")


def test_a_terminal_that_is_resized_is_followed(tmp_path: Path, warm: Start) -> None:
    calls = [bash(f"echo {'x' * 300}; {HELD}", "b"), *(bash("true", str(number)) for number in range(30))]
    with shown(tmp_path, *calls, columns=200, lines=50, start=warm) as one:
        one.see(lambda text: "last line of output" in text and text.count("queued") == 30)
        for columns, lines in ((80, 24), (40, 10), (200, 12), (100, 50)):
            one.resize(columns, lines)
            waiting = min(31, lines - 4) - 1  # its first line, its heads, and two spare lines are no rows
            text = one.see(partial(shows_queued, waiting))
            assert max(map(len, text.splitlines())) < columns
            assert ("last line of output" in text) is (columns == 200)
        go(tmp_path)
        assert one.end() == 0
        assert [document["position"] for document in results(one)] == list(range(31))


def test_hostile_names_arguments_and_output_do_no_harm(tmp_path: Path, warm: Start) -> None:
    """Escapes, window titles, carriage returns, direction marks, wide characters, and a line of ten million."""
    printed = tmp_path / "evil.txt"
    printed.write_text(f"{'x' * 10_000_000}{EVIL}")
    calls = [
        call(EVIL, EVIL, **{EVIL: EVIL}),
        bash(f"cat evil.txt; {HELD}", EVIL),
        call("\u4f60\u597d" * 50, "e\u0301" * 50),
        call("x" * 100_000, "y" * 100_000),
    ]
    with (tmp_path / "out").open("wb") as out:
        (tmp_path / "turns.jsonl").write_text(turn(*calls))
        arguments = ["run", str(tmp_path / "turns.jsonl"), "--tools", "bash", "--root", str(tmp_path)]
        variables = environment(TERM="xterm-256color")
        with terminal(arguments, stdout=out.fileno(), before=PROMPT, environment=variables, start=warm) as one:
            text = one.see(lambda text: "2 waiting" in text and "10M" in text)
            assert text.splitlines()[0] == PROMPT.decode().strip()
            assert text.splitlines()[1] == "turn 1: 1 of 4 calls done, 1 running, 2 waiting"
            assert len(text.splitlines()) == 7  # a line for each, and nothing has wrapped
            assert one.screen.title == one.screen.icon_name == ""
            assert one.screen.margins is None
            assert all(line.isprintable() for line in text.splitlines())
            go(tmp_path)
            assert one.end() == 0
            assert one.lines == [PROMPT.decode().strip()]
            assert (one.screen.cursor.x, one.screen.cursor.y, one.screen.cursor.hidden) == (0, 1, False)
            assert one.screen.title == ""
    documents = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [document["id"] for document in documents] == [EVIL, EVIL, "e\u0301" * 50, "y" * 100_000]
    assert EVIL in documents[1]["text"]


def test_ctrl_c_shows_that_calls_stop_and_leaves_the_terminal_as_it_was(tmp_path: Path, warm: Start) -> None:
    with shown(tmp_path, bash(f"trap 'echo going' TERM; {HELD}; sleep 1", "a"), bash("true", "b"), start=warm) as one:
        one.see(lambda text: "1 running" in text)
        one.type(b"\x03")
        one.see(lambda text: re.search("a +stopping", text) is not None)
        go(tmp_path)
        assert one.end() == 130
        assert not one.screen.cursor.hidden
        assert codes(results(one)) == ["ABORTED", "ABORTED_BEFORE_DISPATCH"]


def test_a_terminal_that_is_closed_takes_no_result_with_it(tmp_path: Path, warm: Start) -> None:
    (tmp_path / "turns.jsonl").write_text(turn(bash(f"trap 'sleep 0.5; echo bye; exit' TERM; echo here; {HELD}", "a")))
    arguments = ["run", str(tmp_path / "turns.jsonl"), "--tools", "bash", "--root", str(tmp_path)]
    with (
        (tmp_path / "out").open("wb") as out,
        terminal(arguments, stdout=out.fileno(), environment=environment(TERM="xterm"), start=warm) as one,
    ):
        one.see(lambda text: "here" in text)
        one.hang_up()
        assert one.process.wait(BOUND) == 129
    result = json.loads((tmp_path / "out").read_text())
    assert (result["code"], "here\nbye" in result["text"]) == ("ABORTED", True)
