"""Lines in and out of a real process: at once, whole, however large, and quietly when nobody reads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli_probe import (
    BOUND,
    ROOT,
    Document,
    bash,
    call,
    codes,
    command,
    environment,
    is_alive,
    ran,
    started,
    turn,
    wait_for,
)

from benchmarks.warm import Start
from trio_tools import ToolResult, from_json


def shell(arguments: list[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(arguments, input=given, capture_output=True, timeout=BOUND, env=environment(), check=False)


def test_results_come_before_the_next_line_is_written(tmp_path: Path, warm: Start) -> None:
    """L006: an agent writes a turn, reads its results, and thinks of the next."""
    (tmp_path / "a.txt").touch()
    with started("run", "-", "--root", str(tmp_path), start=warm) as cli:
        for number in range(1, 4):
            cli.write(turn(call("glob", "x", pattern="*"), call("nope", "y")))
            assert [cli.line()["id"], cli.line()["id"]] == ["x", "y"]
            cli.write("no turn\n" if number == 2 else "\n")
            if number == 2:
                assert cli.line()["line"] == 4
        cli.close()
        assert cli.end() == (2, [], "")


def test_a_result_comes_while_a_later_call_still_runs(tmp_path: Path, warm: Start) -> None:
    """L006: as soon as those before it have."""
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        cli.write(turn(call("glob", "a", pattern="*"), bash("until [ -e go ]; do sleep 0.01; done", "b")))
        assert cli.line()["id"] == "a"
        (tmp_path / "go").touch()
        assert cli.line()["id"] == "b"
        cli.close()
        assert cli.end() == (0, [], "")


@pytest.mark.parametrize("how", ["file", "stdin", "pipe"])
def test_all_good_calls_are_answered_whatever_stands_between(how: str, tmp_path: Path, warm: Start) -> None:
    """L006, L014: from a file, from a redirected one, and from a pipe; the last line needs no end."""
    good = turn(call("glob", pattern="*"), call("nope"))
    bad = ['{"calls": 1}\n', "\n", "\x00\n", '{"calls": [], "calls": []}\r\n', "[" * 50_000 + "\n"]
    text = "\ufeff" + good + "".join(one + good for one in bad)
    path = tmp_path / "turns"
    path.write_text(text.rstrip("\n"))
    arguments = ["run", str(path) if how == "file" else "-", "--root", str(tmp_path)]
    with path.open("rb") as file:
        options = {} if how == "pipe" else {"stdin": file}
        status, documents, err = ran(*arguments, given=text if how == "pipe" else "", start=warm, **options)
    assert (status, err) == (2, "")
    assert [one["line"] for one in documents if "line" in one] == [2, 6, 8, 10]
    assert [one["code"] for one in documents if "line" not in one] == [None, "UNKNOWN_TOOL"] * 6
    places = [one.get("line", one.get("turn")) for one in documents]
    assert places == sorted([2, 6, 8, 10, *range(1, 12, 2), *range(1, 12, 2)])


def test_huge_lines_and_names(tmp_path: Path, warm: Start) -> None:
    huge = "\x1b\u202e" * 1_000_000
    given = turn(call("glob", "a", pattern="x" * 10_000_000), {"id": huge, "name": huge}) + turn(call("nope"))
    status, documents, err = ran("run", "-", "--root", str(tmp_path), given=given, start=warm)
    assert (status, err) == (0, "")
    assert codes(documents) == ["INVALID_ARGS", "UNKNOWN_TOOL", "UNKNOWN_TOOL"]
    assert documents[1]["id"] == documents[1]["tool"] == huge


def test_a_thousand_calls_in_a_turn(tmp_path: Path, warm: Start) -> None:
    """L004, L006."""
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"this is {number}\n")
    calls = [call("read", str(number), file_path=f"{number % 3}.txt") for number in range(1000)]
    status, documents, err = ran(
        "run", "-", "--root", str(tmp_path), "--parallel", "100", given=turn(*calls), start=warm
    )
    assert (status, err) == (0, "")
    assert [(one["id"], one["position"]) for one in documents] == [(str(one), one) for one in range(1000)]
    assert all(f"this is {number % 3}" in one["text"] for number, one in enumerate(documents))


def test_what_is_written_is_ascii_and_comes_back_whole(tmp_path: Path, warm: Start) -> None:
    (tmp_path / "evil.txt").write_text("\x1b]0;title\x07 \u202e é\x7f 😀\n")
    given = turn(call("read", "\ud800", file_path="evil.txt")).encode()
    with started("run", "-", "--root", str(tmp_path), start=warm) as cli:
        out, _ = cli.process.communicate(given, timeout=BOUND)
    assert all(0x20 <= byte < 0x7F or byte == 0x0A for byte in out)
    document = json.loads(out)
    assert "\u202e é\x7f 😀" in document["text"]
    for key in ("turn", "position", "id", "code", "is_error", "text"):
        del document[key]
    assert from_json(ToolResult, document).call_id == "?"  # half a character is neither logged nor sent


def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path, warm: Start) -> None:
    """The turn in hand is cancelled: nobody would learn what came of it."""
    slow = bash("echo $$ > pid; sleep 300", "slow")
    with started("run", "-", "--tools", "glob,bash", "--root", str(tmp_path), start=warm) as cli:
        cli.write(turn(call("glob", "a", pattern="*")))
        cli.line()
        assert cli.process.stdout is not None
        cli.process.stdout.close()
        cli.write(turn(call("glob", "b", pattern="*"), slow) + turn(call("glob", "c", pattern="*")))
        assert cli.process.wait(BOUND) == 141
        assert cli.process.stderr is not None
        assert cli.process.stderr.read() == b""
    if (tmp_path / "pid").exists():
        assert not is_alive(int(wait_for(tmp_path / "pid")))


def test_head_takes_one_line_and_that_is_that(warm: Start) -> None:
    given = turn(*[call("nope") for _ in range(1000)]).encode()
    with subprocess.Popen(["head", "-n", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as head:
        with started("run", "-", stdout=head.stdin, start=warm) as cli:
            assert head.stdin is not None
            head.stdin.close()
            _, err = cli.process.communicate(given, timeout=BOUND)
            assert cli.process.wait() in {0, 141}  # 0 if all was written before head left
        assert head.stdout is not None
        assert json.loads(head.stdout.read())["turn"] == 1
    assert err == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["run", "-"], ["run", "--help"], ["tools"], ["tools", "--pipeline"]])
def test_a_full_disk_is_told(arguments: list[str], warm: Start) -> None:
    with open("/dev/full", "wb") as full, started(*arguments, stdout=full, start=warm) as cli:
        cli.write(turn(call("nope")) * 3)
        cli.close()
        status = cli.process.wait(BOUND)
        assert cli.process.stderr is not None
        told = cli.process.stderr.read().decode()
    assert (status, told) == (1, "trio-tools: cannot write to standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "told"),
    [("<&-", "cannot read standard input: it is closed"), (">&-", "standard output is closed"), ("2>&-", "")],
)
def test_what_is_closed_is_told(closed: str, told: str) -> None:
    line = f"echo '{turn(call('nope')).strip()}' | {{ {' '.join(command('run', '-'))} {closed}; }}"
    done = shell(["bash", "-c", line])
    assert done.stderr.decode() == (f"trio-tools: {told}\n" if told else "")
    assert done.returncode == (2 if told else 0)
    assert done.stdout.count(b"\n") == (0 if told else 1)


def test_the_time_of_the_run_ends_it(tmp_path: Path, warm: Start) -> None:
    """L010, L012, L014: the turn in hand is cut, and of a file nothing is left unanswered."""
    path = tmp_path / "turns"
    path.write_text(turn(bash("echo begun; sleep 300", "a"), bash("true", "b")) + turn(call("glob", "c", pattern="*")))
    options = ["--tools", "glob,bash", "--root", str(tmp_path), "--timeout", "0.5"]
    status, documents, err = ran("run", str(path), *options, start=warm)
    assert (status, err) == (0, "")
    assert codes(documents) == ["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]
    assert "begun" in documents[0]["text"]


def test_the_time_ends_a_wait_for_input(warm: Start) -> None:
    """A time in which it gets so far as to wait: longer on a busy machine."""

    def waited(seconds: str) -> tuple[int, list[Document], str]:
        with started("run", "-", "--timeout", seconds, start=warm) as cli:
            cli.process.wait(BOUND)
            return cli.end()

    too_short = "the time was up before all plugins were open"
    ended = next(one for one in map(waited, ("0.2", "2", "20")) if too_short not in one[2])
    assert ended == (0, [], "")


def test_the_example_runs_as_the_readme_says() -> None:
    status, documents, err = ran("run", "--tools", "read,glob,grep,bash", "docs/examples/turns.jsonl", folder=ROOT)
    assert (status, err) == (0, "")
    assert {one["id"]: one["code"] for one in documents} == {
        "largest": None,
        "tests": None,
        "door": None,
        "rooms": None,
        "seams": None,
        "slow": "BASH_TIMEOUT",
        "unknown": "UNKNOWN_TOOL",
        "still-runs": None,
        "bad": "INVALID_ARGS",
    }


def test_nothing_of_the_command_line_is_heavier_than_it_must_be() -> None:
    """Help needs no screen and no run; `rich.live` and the like come when there is a table to draw."""
    program = (
        "import sys; from trio_tools.cli import main; "
        "assert not [one for one in sys.modules if one.split('.')[0] in ('rich', 'cyclopts')]; "
        "assert main(['run', '-']) == 0; assert 'rich.live' not in sys.modules"
    )
    done = shell([sys.executable, "-c", program])
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_hostile_name_of_a_file_is_told_harmlessly(tmp_path: Path, warm: Start) -> None:
    status, documents, err = ran("run", str(tmp_path / "missing\x1b[2J"), start=warm)
    assert (status, documents) == (2, [])
    assert err == f'trio-tools: cannot read "{tmp_path}/missing\\x1b[2J": No such file or directory\n'
