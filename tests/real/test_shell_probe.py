"""How the shell's tests run commands and look for what they left, and the controls: a look that cannot fail is none."""

import inspect
import os
import shutil
import signal
import stat
import subprocess
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from trio_tools.tool import Tool
from trio_tools.toolkits.shell import ShellConfig
from trio_tools.toolkits.shell._child import Start
from trio_tools.toolkits.shell._command import Shell
from trio_tools.toolkits.shell._jobs import BackgroundCommands
from trio_tools.toolkits.shell._output import SpillFolder
from trio_tools.toolkits.shell._plugin import bash_tool
from trio_tools.toolkits.shell._supervised import start_supervised
from trio_tools.values import JSONValue, Session, ToolCall, ToolError

# In the environment of this process while a test runs, so in that of whatever a command starts.
WORD = "SHELL_PROBE"
# Seconds between SIGTERM and SIGKILL here: long enough for a trap to run, short enough for a test.
GRACE = 0.2


@attrs.define
class Watcher:
    """A `ToolContext` that keeps the progress it is told, and cancels a scope, if given one, when the first comes."""

    cancels: trio.CancelScope | None = None
    told: list[float] = attrs.field(factory=list[float])
    call: ToolCall = attrs.field(factory=lambda: ToolCall("bash"))
    session: Session | None = None
    cancel_requested: bool = False
    cancel_reason: str | None = None
    deadline: float = float("inf")

    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        self.told.append(done)
        if self.cancels is not None:
            self.cancels.cancel()

    def defer_context(self, item: object) -> None:
        raise NotImplementedError

    def conclude_turn(self) -> None:
        raise NotImplementedError


@attrs.frozen
class Ran:
    """What came of a command: its text, the code of its error if it was one, the seconds it took, its progress."""

    text: str
    code: str | None
    is_error: bool
    seconds: float
    progress: list[float]


def shell_tool(folder: Path, *, start: Start = start_supervised, **options: float) -> Tool:
    """`bash`, with its root and its files of long output in `folder`, its commands started by `start`."""
    settings: dict[str, JSONValue] = {"grace": GRACE, **options}
    spills = folder / "spills"
    spills.mkdir(mode=0o700, exist_ok=True)
    bash = shutil.which("bash")
    assert bash is not None
    config = ShellConfig(root=folder, **settings)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    shell = Shell(
        config=config, bash=bash, root=folder, spills=SpillFolder(spills, config.max_total_spill_bytes), start=start
    )
    return bash_tool(shell, BackgroundCommands(shell))


async def run(
    tool: Tool,
    command: str,
    *,
    description: str = "a test",
    timeout_ms: float | None = None,
    workdir: str | None = None,
    cancel_after: float = 600,
    cancel_at_output: bool = False,
) -> Ran:
    """Run a command by the tool's body, in a scope that is cancelled after so many seconds, or at its first output."""
    began = trio.current_time()
    with trio.CancelScope(relative_deadline=cancel_after) as scope:
        watcher = Watcher(cancels=scope if cancel_at_output else None)
        try:
            running = tool.body(command, description, timeout_ms, workdir, ctx=watcher)
            assert inspect.isawaitable(running)
            text = await running
        except ToolError as error:
            return Ran(error.message, error.code, True, trio.current_time() - began, watcher.told)
        assert isinstance(text, str)
        return Ran(text, None, False, trio.current_time() - began, watcher.told)
    raise AssertionError("Cancelled came out of the body, and the output is lost")


def living(word: str) -> list[int]:
    """Processes whose environment holds `word`, this one apart."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as environ:
                    holds = word.encode() in environ.read()
            except OSError:
                continue
            if holds:
                found.append(int(name))
    return found


def zombies() -> list[int]:
    """Children of this process that have ended and were not reaped."""
    found: list[int] = []
    try:
        if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return found  # each look at a process of the machine would cost more than this
    except ChildProcessError:  # there are no children
        return found
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                stat = Path("/proc", name, "stat").read_text()
            except OSError:
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.append(int(name))
    return found


def content(path: str | Path) -> str:
    """What is in a file."""
    return Path(path).read_text()


def mode(path: str | Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def files_in(folder: Path) -> list[Path]:
    """What is in a folder."""
    return sorted(folder.iterdir())


@asynccontextmanager
async def nothing_left() -> AsyncGenerator[None]:
    """`no_leftovers`, with a moment for Trio's threads, which have given back a result, to go and wait for more."""
    from trio_tools.testing import no_leftovers  # programs that tests start import this module, and have no need of it

    async with no_leftovers():
        yield
        await trio.sleep(0.1)


def descriptors() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word that the test's processes carry; afterwards there are none, no zombie of ours, and no file more open."""
    word = uuid.uuid4().hex
    monkeypatch.setenv(WORD, word)
    before = descriptors()
    yield word
    assert living(word) == []
    assert zombies() == []
    assert descriptors() == before


@pytest.fixture
def bash(tmp_path: Path, rest: str) -> Tool:
    """`bash` with small limits, in a test that has to leave nothing behind."""
    return shell_tool(tmp_path)


def test_a_process_that_lives_is_seen_and_one_that_is_gone_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    word = uuid.uuid4().hex
    monkeypatch.setenv(WORD, word)
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    assert living(word) == [child.pid]
    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert living(word) == []
    assert zombies() == [child.pid]
    child.wait()
    assert zombies() == []


def test_an_open_file_is_seen() -> None:
    before = descriptors()
    with open(os.devnull):
        assert descriptors() == before + 1
    assert descriptors() == before
