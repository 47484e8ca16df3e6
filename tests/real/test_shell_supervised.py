"""What both ways of watching over a command promise: by a supervising process, and by this process itself."""

import os
import signal
from pathlib import Path
from uuid import uuid4

import pytest
import trio
from test_shell_probe import GRACE, Ran, living, nothing_left, rest, run, shell_tool

from trio_tools.tool import Tool
from trio_tools.toolkits.shell._child import Start
from trio_tools.toolkits.shell._environment import command_environment
from trio_tools.toolkits.shell._process import start_in_process
from trio_tools.toolkits.shell._supervised import start_supervised

__all__ = ["rest"]  # fixtures

# Of this process alone: whoever carries the mark of a command is stopped with it, wherever it was started.
MARK = uuid4().hex


@pytest.fixture(params=[start_supervised, start_in_process], ids=["supervised", "in-process"])
def start(request: pytest.FixtureRequest) -> Start:
    """How commands are started: each way in turn."""
    chosen: Start = request.param
    return chosen


@pytest.fixture
def bash(start: Start, tmp_path: Path, rest: str) -> Tool:
    """`bash`, its commands started that way."""
    return shell_tool(tmp_path, start=start)


async def output(start: Start, *command: str, folder: Path = Path("/")) -> bytes:
    """Start a program itself, without bash, and return what it has printed."""
    child = await start(command, folder=folder, environment=command_environment(os.environ, mark=MARK), mark=MARK)
    try:
        await child.wait_exit()
        assert await child.stop(grace=GRACE)
        return os.read(child.stdout, 65_536)
    finally:
        assert child.close() == 0


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("true", "(no output)"),
        ("exit 3", "(no output)\n[exit code: 3]"),
        ("exit 255", "(no output)\n[exit code: 255]"),
        ("kill -9 $$", "(no output)\n[killed by signal: SIGKILL]"),
        ("kill -USR1 $$", "(no output)\n[killed by signal: SIGUSR1]"),
        ("kill -40 $$", "(no output)\n[killed by signal: SIG40]"),
        ("echo out; echo err >&2; exec false", "out\n[stderr]\nerr\n[exit code: 1]"),
        ("[ $(ps -o sid= $$) = $$ ] && [ $(ps -o pgid= $$) = $$ ]", "(no output)"),  # a session, a group of its own
    ],
)
async def test_how_a_command_ended_is_told(bash: Tool, command: str, text: str) -> None:
    """B006, B007, B021."""
    assert (await run(bash, command)).text == text


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300 & sleep 300 & echo on; wait",
        "trap '' TERM HUP INT; echo on; while :; do sleep 0.1; done",
        "(setsid bash -c \"trap '' TERM; (sleep 300 &) ; sleep 300\" >/dev/null 2>&1 &); echo on; sleep 300",
        "echo on; kill -STOP $$",
        "exec 3>&1; setsid sleep 300 & echo on; exec sleep 300 >&- 2>&-",  # a daemon holds the pipe
    ],
)
async def test_a_stopped_command_leaves_nothing(bash: Tool, rest: str, command: str) -> None:
    """B021, B022, case B25."""
    async with nothing_left():
        ran = await run(bash, command, cancel_at_output=True)
        assert ran.text.startswith("on\n[killed by signal: ")
        assert living(rest) == []


async def test_what_a_trap_prints_is_kept_and_so_is_its_exit_code(bash: Tool) -> None:
    """Case B25: reading goes on through the grace."""
    ran = await run(bash, "trap 'echo bye; exit 7' TERM; echo on; sleep 300 & wait", cancel_at_output=True)
    assert ran.text == "on\nbye\n[exit code: 7]"


async def test_many_stopped_at_once_leave_nothing(bash: Tool, rest: str) -> None:
    """Case B25: twenty trees that ignore SIGTERM, each stopped when it has said something."""
    command = "trap '' TERM; setsid sleep 300 & (sleep 300 &); echo on; sleep 300"
    all_ran: list[Ran] = []

    async def run_one() -> None:
        all_ran.append(await run(bash, command, cancel_at_output=True))

    async with nothing_left():
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(run_one)
        assert living(rest) == []
    assert {ran.text for ran in all_ran} == {"on\n[killed by signal: SIGKILL]"}


async def test_a_program_that_is_not_there_is_an_error_of_the_system(start: Start, rest: str, tmp_path: Path) -> None:
    """B025: the errno comes through, and nothing is left."""
    environment = command_environment(os.environ, mark=MARK)
    (tmp_path / "text").write_text("no program")
    async with nothing_left():
        with pytest.raises(FileNotFoundError):
            await start((str(tmp_path / "missing"),), folder=tmp_path, environment=environment, mark=MARK)
        with pytest.raises(PermissionError):
            await start((str(tmp_path / "text"),), folder=tmp_path, environment=environment, mark=MARK)
        with pytest.raises(FileNotFoundError):
            await start(("/bin/true",), folder=tmp_path / "missing", environment=environment, mark=MARK)


async def test_the_environment_is_the_one_that_was_given(
    start: Start, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B027: to the byte, whatever an interpreter in between would set, or would be set by."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)  # the C locale, which Python would change
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setenv("LINES_", "a=b\nc=d")
    monkeypatch.setitem(os.environb, b"RAW", b"\xff\xfe")
    printed = await output(start, "/usr/bin/env", "-0")
    expected = command_environment(os.environ, mark=MARK)
    assert dict(entry.split(b"=", 1) for entry in printed.rstrip(b"\0").split(b"\0")) == {
        os.fsencode(name): os.fsencode(value) for name, value in expected.items()
    }


async def test_arguments_arrive_as_they_are(start: Start, rest: str) -> None:
    """Also what an interpreter in between would take for its own."""
    arguments = ["%s|", "-c", "", "--", "ü\U0001f600", "-I", "a b\n", os.fsdecode(b"\xff")]
    assert await output(start, "/usr/bin/printf", *arguments) == os.fsencode("|".join([*arguments[1:], ""]))


async def test_a_command_holds_nothing_of_ours_open(start: Start, rest: str) -> None:
    """Its input, its two pipes, and the folder that `ls` looks into; not even what every program would inherit."""
    kept = os.dup(0)
    os.set_inheritable(kept, True)
    try:
        assert await output(start, "/bin/ls", "/proc/self/fd") == b"0\n1\n2\n3\n"
    finally:
        os.close(kept)


async def test_a_command_takes_signals_as_ever(start: Start, rest: str) -> None:
    """None is blocked, and none ignored that is not ignored here: SIGPIPE ends what writes to nobody."""
    ignored = {number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN}
    expected = sum(1 << number - 1 for number in ignored - {signal.SIGPIPE, signal.SIGXFSZ})
    lines = (await output(start, "/bin/grep", "-E", "SigBlk|SigIgn", "/proc/self/status")).split()
    blocked, found = (int(field, 16) for field in lines[1::2])
    # the C library's posix_spawn ignores the two signals that it keeps for itself
    assert (blocked, found & ~(0b11 << 31)) == (0, expected)


async def test_a_command_starts_in_its_folder_under_the_same_mask(start: Start, rest: str, tmp_path: Path) -> None:
    """B004."""
    assert await output(start, "/bin/pwd", folder=tmp_path) == f"{tmp_path}\n".encode()
    before = os.umask(0o27)
    try:
        assert await output(start, "/bin/grep", "Umask", "/proc/self/status") == b"Umask:\t0027\n"
    finally:
        os.umask(before)
