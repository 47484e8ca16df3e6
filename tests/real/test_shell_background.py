"""`bash` in the background on real processes: it outlives its call, is read bit by bit, and is stopped as a tree."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
from test_shell_probe import GRACE, content, files_in, living, rest

from trio_tools import JobNotice, JobStatus, Registry, Session, ToolCall, ToolResult, open_registry
from trio_tools.toolkits.shell import ShellConfig, shell

__all__ = ["rest"]  # fixtures

SESSION = Session("s")
DEAF = "trap '' TERM; echo CRITICAL; while :; do sleep 0.1; done"
# A tree of which a part has left the group.
TREE = "echo CRITICAL; setsid bash -c \"trap '' TERM; sleep 300\" & sleep 300 & wait"


@attrs.frozen
class Here:
    """A registry with the shell, the notices of jobs, and whether there was one."""

    registry: Registry
    notices: list[JobNotice]
    told: trio.Event

    async def call(self, name: str, **arguments: object) -> ToolResult:
        return await self.registry.execute(ToolCall(name, arguments), scope=trio.CancelScope(), session=SESSION)

    async def start(self, command: str, **more: object) -> ToolResult:
        given = {"command": command, "description": "d", "run_in_background": True, **more}
        return await self.call("bash", **given)

    async def until(self, word: str, task_id: str = "bash-1") -> str:
        """Read until this has been written."""
        text = ""
        while word not in text:
            text += (await self.call("bash_output", task_id=task_id)).text
            await trio.sleep(0.01)
        return text

    async def end(self, task_id: str = "bash-1") -> str:
        return (await self.call("bash_output", task_id=task_id, wait=True)).text


@asynccontextmanager
async def shell_in(folder: Path, **options: object) -> AsyncGenerator[Here]:
    config = ShellConfig(root=folder, **{"grace": GRACE, **options})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    async with open_registry(plugins=[shell(config)]) as registry:
        here = Here(registry, [], trio.Event())
        registry.add_job_observer(here.notices.append)
        registry.add_job_observer(lambda _: here.told.set())
        yield here


async def test_a_command_runs_on_after_its_call_and_is_read_bit_by_bit(tmp_path: Path, rest: str) -> None:
    """D12, B040, B041, B044: the next read gives what is new; its session is told of the end."""
    async with shell_in(tmp_path) as here:
        started = await here.start("echo one; until [ -e go ]; do sleep 0.02; done; echo two; echo three >&2; exit 4")
        assert (started.code, started.text) == (None, "started background job bash-1")
        assert "one\n" in await here.until("one")
        assert (await here.call("bash_output", task_id="bash-1")).text == "(no new output)\n[status: running]"
        assert (await here.call("bash", command="touch go", description="go")).code is None
        await here.told.wait()
        assert here.notices[0].text == (
            "background job bash-1 (bash: d) finished [status: completed, exit code: 4]. "
            "Read its output with bash_output."
        )
        assert await here.end() == "two\n[stderr]\nthree\n[status: completed, exit code: 4]"


@pytest.mark.parametrize("command", [DEAF, TREE])
async def test_a_kill_stops_the_whole_tree(command: str, tmp_path: Path, rest: str) -> None:
    """B042, B053, B021, B022: also what ignores SIGTERM, and what left the group; killed is said when all is gone."""
    async with shell_in(tmp_path) as here:
        await here.start(command)
        await here.until("CRITICAL")
        await here.call("bash_kill", task_id="bash-1", reason="enough")
        text = await here.end()
        assert living(rest) == []
        assert re.fullmatch(r"\(no new output\)\n\[status: killed, signal: SIG(TERM|KILL)\]", text)
        assert [(one.status, one.text) for one in here.notices] == [(JobStatus.KILLED, None)]


async def test_closing_the_registry_stops_every_tree(tmp_path: Path, rest: str) -> None:
    """B029, B055: ten at once, those that trap SIGTERM included."""
    async with shell_in(tmp_path) as here:
        for number in range(1, 11):
            await here.start(DEAF if number % 2 else TREE)
        await here.until("CRITICAL", "bash-10")
        assert "limit: 10" in (await here.start("true")).text
    assert living(rest) == []
    assert [one.status for one in here.notices] == [JobStatus.KILLED] * 10


async def test_a_shell_that_cannot_be_started_says_so(
    tmp_path: Path, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B045."""
    fake = tmp_path / "bash"
    fake.write_text("#!/nowhere/at/all\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    async with shell_in(tmp_path) as here:
        assert (await here.start("true")).text == "started background job bash-1"
        assert await here.end() == (
            "[stderr]\nspawn failed: could not start bash: No such file or directory\n[status: failed]"
        )


async def test_a_limit_that_was_asked_for_holds_in_the_background_too(tmp_path: Path, rest: str) -> None:
    """B040, B050, BT3: its own, or the operator's, whichever is shorter."""
    async with shell_in(tmp_path, max_background_seconds=0.3, timeout=0.1, idle_timeout=0.05) as here:
        await here.start("sleep 300", timeoutMs=150)
        await here.start("sleep 300")
        assert await here.end() == "(no new output)\n[timed out after 150ms]\n[status: failed, signal: SIGTERM]"
        assert "\n[timed out after 300ms]\n" in await here.end("bash-2")
    assert [one.error and one.error.code for one in here.notices] == ["BASH_TIMEOUT"] * 2


async def test_a_command_that_says_nothing_is_stopped_if_an_operator_wants_that(tmp_path: Path, rest: str) -> None:
    """T009, B007, B011: a code and a marker of its own; one that writes may take its time."""
    async with shell_in(tmp_path, idle_timeout=1) as here:
        result = await here.call("bash", command="echo CRITICAL; trap 'exit 0' TERM; sleep 300 & wait", description="d")
        assert (result.code, result.text) == (
            "BASH_IDLE_TIMEOUT",
            "Error: CRITICAL\n[stopped after 1000ms without output]",
        )
        assert living(rest) == []
        busy = await here.call("bash", command="for i in 1 2 3 4 5 6; do sleep 0.2; echo $i; done", description="d")
        assert busy.text == "1\n2\n3\n4\n5\n6\n"


# A read: what was dropped before it, what it gives, where all of it is, and the status. The line's end before a marker
# may be the command's or ours.
READ = re.compile(
    r"(?:\[(\d+) bytes dropped\]\n)?(.*?)(?:\[some output was dropped from memory; full output: (/[^\]]+)\]\n)?"
    r"\[status: (\w+)[^\]]*\]",
    re.DOTALL,
)


async def test_long_output_is_bounded_in_memory_counted_and_whole_in_its_file(tmp_path: Path, rest: str) -> None:
    """B041, B026, case B28: what reads gave and what they dropped is all of it; the file goes with the toolkit."""
    whole = "".join(f"{number}\n" for number in range(1, 200_001))
    async with shell_in(tmp_path, max_output_bytes=1000) as here:
        await here.start("seq 200000")
        places, path, status = {0}, "", ""  # where the reads so far may have ended: a line's end may be ours
        with trio.fail_after(60):
            while status != "completed":
                text = (await here.call("bash_output", task_id="bash-1")).text
                match = READ.fullmatch(text)
                assert match is not None, text
                body = "" if match[2] == "(no new output)\n" else match[2]
                assert len(body) <= 1001
                places = {
                    place + int(match[1] or 0) + len(read)
                    for place in places
                    for read in (body, body.removesuffix("\n"))
                    if whole.startswith(read, place + int(match[1] or 0))
                }
                assert places
                path, status = match[3] or path, match[4]
        assert len(whole) in places
        assert content(path) == whole
        folder = Path(path).parent
    assert folder not in files_in(folder.parent)


async def test_what_it_prints_on_the_way_out_can_be_read(tmp_path: Path, rest: str) -> None:
    """B041, B053."""
    async with shell_in(tmp_path) as here:
        await here.start("trap 'echo bye; exit 7' TERM; echo CRITICAL; sleep 300 & wait")
        await here.until("CRITICAL")
        await here.call("bash_kill", task_id="bash-1")
        assert await here.end() == "bye\n[status: killed, exit code: 7]"


async def test_a_cancelled_turn_leaves_the_job_and_nothing_of_the_call(tmp_path: Path, rest: str) -> None:
    """B051, BT4, B028: and the command reads nothing from us."""
    async with shell_in(tmp_path) as here:
        scope = trio.CancelScope()
        given = {"command": "cat; echo over", "description": "d", "run_in_background": True}
        await here.registry.execute(ToolCall("bash", given), scope=scope, session=SESSION)
        scope.cancel()
        assert await here.end() == "over\n[status: completed, exit code: 0]"
