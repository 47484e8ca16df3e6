"""What a command's result reads like, what is refused before anything starts, and where it runs."""

from pathlib import Path

import pytest
from test_shell_probe import bash, living, rest, run, shell_tool

from trio_tools.tool import Tool
from trio_tools.toolkits.shell import _plugin

__all__ = ["bash", "rest"]  # fixtures

BAD = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo hi", "hi\n"),
        ("true", "(no output)"),
        ("echo out; echo err >&2", "out\n[stderr]\nerr\n"),
        ("printf out; printf err >&2", "out\n[stderr]\nerr"),
        ("echo err >&2", "[stderr]\nerr\n"),
        ("exit 3", "(no output)\n[exit code: 3]"),
        ("printf out; exit 1", "out\n[exit code: 1]"),
        ("echo err >&2; exit 255", "[stderr]\nerr\n[exit code: 255]"),
        ("kill -KILL $$", "(no output)\n[killed by signal: SIGKILL]"),
        ("kill -40 $$", "(no output)\n[killed by signal: SIG40]"),
        ("no-such-program", "[stderr]\n"),
    ],
)
async def test_a_result_reads_stdout_stderr_and_the_exit_marker_last(bash: Tool, command: str, text: str) -> None:
    """B006, B007, B008: a command that fails is a result, not an error."""
    ran = await run(bash, command)
    assert not ran.is_error
    assert ran.text.startswith(text) if command == "no-such-program" else ran.text == text


async def test_a_command_that_traps_term_and_succeeds_was_still_timed_out(bash: Tool) -> None:
    """B007, B011: the marker of the timeout, no marker of an exit with 0, and the tool's own code."""
    ran = await run(bash, "trap 'echo bye; exit 0' TERM; echo hi; sleep 60 & wait", timeout_ms=300)
    assert (ran.text, ran.code) == ("hi\nbye\n[timed out after 300ms]", "BASH_TIMEOUT")


async def test_each_command_has_a_shell_of_its_own(bash: Tool) -> None:
    """B005."""
    assert (await run(bash, "export A=1; cd /; echo $A")).text == "1\n"
    assert (await run(bash, "echo -$A-; [ $PWD != / ]")).text == "--\n"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (("", "d", None), "invalid command: expected a non-empty string"),
        ((" \n", "d", None), "invalid command: expected a non-empty string"),
        (("echo hi", "\t", None), "invalid description: expected a non-empty string"),
        (("echo hi", "d", 0.0), "invalid timeoutMs: expected a positive number, got 0"),
        (("echo hi", "d", -1.5), "invalid timeoutMs: expected a positive number, got -1.5"),
        (("echo hi", "d", float("inf")), "invalid timeoutMs: expected a positive number, got inf"),
        (("echo a\0b", "d", None), "invalid command: it contains a NUL character"),
        (("echo \ud800", "d", None), "invalid command: a lone surrogate at character 5"),
    ],
)
async def test_input_that_cannot_be_run_is_refused_and_nothing_starts(
    bash: Tool, monkeypatch: pytest.MonkeyPatch, given: tuple[str, str, float | None], text: str
) -> None:
    """B002, and case B14 (e)."""

    async def never(*_: object, **__: object) -> None:
        raise AssertionError("started")

    monkeypatch.setattr(_plugin, "run_command", never)
    command, description, timeout_ms = given
    ran = await run(bash, command, description=description, timeout_ms=timeout_ms)
    assert (ran.is_error, ran.text, ran.code) == (True, text, None)


@pytest.mark.parametrize("workdir", ["a\0b", "a\ud800", "missing", "file", "x" * 300])
async def test_a_workdir_that_is_none_is_refused_by_name(bash: Tool, tmp_path: Path, workdir: str) -> None:
    """B004, case B14: no folder, no process."""
    (tmp_path / "file").touch()
    ran = await run(bash, "echo hi", workdir=workdir)
    assert ran.is_error
    assert ran.text.startswith("invalid workdir: ")
    assert workdir in ran.text or not workdir.isprintable()


async def test_a_command_runs_in_the_root_or_in_a_workdir_counted_from_it(bash: Tool, tmp_path: Path) -> None:
    """B004. Nothing confines it: an absolute path is taken as it is, and `..` leads out."""
    inner = tmp_path / "in ner"
    inner.mkdir()
    assert (await run(bash, "pwd")).text == f"{tmp_path}\n"
    assert (await run(bash, "pwd", workdir="in ner")).text == f"{inner}\n"
    assert (await run(bash, "pwd", workdir=str(inner))).text == f"{inner}\n"
    assert (await run(bash, "pwd -P", workdir="/")).text == "/\n"
    assert (await run(bash, "pwd -P", workdir="in ner/../..")).text == f"{tmp_path.parent}\n"


async def test_a_command_that_cannot_be_started_says_so(bash: Tool, tmp_path: Path) -> None:
    """B008, B025: one argument may have 128 KiB on Linux."""
    ran = await run(bash, "#" * 200_000)
    assert (ran.code, ran.text) == ("BASH_SPAWN_FAILED", "could not start bash: Argument list too long")


async def test_no_descriptor_to_watch_a_command_with_means_that_it_is_not_run(
    bash: Tool, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B025: what was started by then is killed and reaped."""

    def none_left(pid: int, flags: int = 0) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("os.pidfd_open", none_left)
    ran = await run(bash, "sleep 60")
    assert (ran.code, ran.text) == ("BASH_SPAWN_FAILED", "could not start bash: Too many open files")
    assert living(rest) == []


async def test_secrets_stay_here_and_nothing_waits_for_a_terminal(bash: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """B027, B028."""
    for name in ("API_KEY", "my_secret", "AuthToken", "DB_PASSWORD", "PLAIN"):
        monkeypatch.setenv(name, "seen")
    ran = await run(bash, "env | grep seen; echo $NO_COLOR $TERM $PAGER $GIT_PAGER; readlink /proc/self/fd/0")
    assert ran.text == "PLAIN=seen\n1 dumb cat cat\n/dev/null\n"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r"printf 'a\0b'", f"a{BAD}b"),
        (r"printf 'x\377y\360\237'", f"x{BAD}y{BAD}"),
        (r"printf '\344\275'; sleep 0.1; printf '\240'", "\u4f60"),
        (r"printf '\355\240\200'", BAD * 3),  # a surrogate, in what would be UTF-8
        (r"printf '\0\0' >&2", f"[stderr]\n{BAD * 2}"),
        (r"printf '\360\237\230\200' | tee /dev/stderr", "\U0001f600\n[stderr]\n\U0001f600"),
    ],
)
async def test_any_bytes_become_valid_text(bash: Tool, command: str, text: str) -> None:
    """Case B14 (a), (b), and more of its kind: NUL too is shown as U+FFFD."""
    ran = await run(bash, command)
    assert ran.text == text
    assert ran.text.encode().decode() == ran.text


async def test_characters_that_reads_split_are_whole(tmp_path: Path, rest: str) -> None:
    """Case B14 (c): 50,000 characters of three bytes, written at once; no read ends between two of them by chance."""
    tool = shell_tool(tmp_path, max_output_bytes=150_000)
    ran = await run(tool, r"""printf '\u4f60%.0s' {1..50000}""")
    assert ran.text == "\u4f60" * 50_000


async def test_progress_is_told_now_and_then_in_bytes(bash: Tool) -> None:
    """A command that writes all the time is not idle, and does not flood who listens either."""
    ran = await run(bash, "for i in {1..35}; do echo $i; sleep 0.01; done")
    assert 2 <= len(ran.progress) <= 2 + ran.seconds / 0.25
    assert ran.progress == sorted(ran.progress)
    assert ran.progress[-1] <= sum(len(f"{i}\n") for i in range(1, 36))
