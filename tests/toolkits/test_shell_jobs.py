"""Commands in the background: what is said of them, to whom, and what is kept; in simulated time."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
import trio
from simulated_shell import ADA, STOPPING, simulated
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import JobStatus
from trio_tools.toolkits.shell._limits import Limit, Limits


@pytest.fixture
def clock() -> MockClock:
    # the folder of the root is looked at in a thread, of which the clock knows nothing: it waits for a quiet moment
    return MockClock(autojump_threshold=0.02)


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


async def test_a_job_is_acknowledged_at_once_and_numbered(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """D12, B040, B050, B003: no limit applies, and nothing but what was named reaches the request."""
    async with simulated(patch, tmp_path) as shell:
        assert await shell.start() == "started background job bash-1"
        assert await shell.start(timeoutMs=5000) == "started background job bash-2"
        assert [(job.id, job.name, job.session) for job in shell.registry.jobs()] == [
            ("bash-1", "Serve", ADA),
            ("bash-2", "Serve", ADA),
        ]
        first, second = (one.request for one in shell.commands)
        assert (first.command, first.folder, first.limits) == ("serve", tmp_path, Limits())
        assert second.limits == Limits(timeout=5)


async def test_a_read_gives_what_is_new_and_the_status(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041, B052."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        (command,) = shell.commands
        assert await shell.output() == "(no new output)\n[status: running]"
        command.write(b"one\ntw")
        assert await shell.output() == "one\ntw\n[status: running]"
        command.write(b"o\xe4\xbd")
        command.write(b"oops", stderr=True)
        assert await shell.output() == "o\n[stderr]\noops\n[status: running]"
        command.write(b"\xa0\n")
        command.exit_code = 3
        await shell.finish(command)
        assert await shell.output() == "\u4f60\n[status: completed, exit code: 3]"
        assert await shell.output() == "(no new output)\n[status: completed, exit code: 3]"


async def test_what_was_dropped_is_counted_and_the_file_is_named(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041: of each stream that lost some since the last read."""
    async with simulated(patch, tmp_path, max_output_bytes=10) as shell:
        await shell.start()
        (command,) = shell.commands
        command.write(b"0123456789abcde")
        text = await shell.output()
        place = str(command.kept[0].spill.place)
        assert text == (
            "[5 bytes dropped]\n56789abcde\n"
            f"[some output was dropped from memory; full output: {place}]\n[status: running]"
        )
        command.write(b"fg")
        assert await shell.output() == "fg\n[status: running]"
        command.write(b"x" * 11)
        command.write(b"y" * 12, stderr=True)
        text = await shell.output()
        assert f"full output: {place}, {command.kept[1].spill.place}]\n" in text
        assert text.startswith("[1 bytes dropped]\nxxxxxxxxxx\n[stderr]\n[2 bytes dropped]\nyyyyyyyyyy\n")


async def test_what_is_over_holds_no_more_than_is_kept_of_it(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Case B28: once, and not once more in how it has ended."""
    size = 4_000_000
    async with simulated(patch, tmp_path, max_output_bytes=size) as shell:
        await shell.start()
        command = shell.commands.pop()
        tracemalloc.start()
        try:
            command.write(b"x" * size)
            await shell.finish(command)
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert size <= held < 1.5 * size


@pytest.mark.parametrize(
    ("exit_code", "signal", "limit", "status", "told"),
    [
        (0, None, None, "completed, exit code: 0", JobStatus.COMPLETED),
        (3, None, None, "completed, exit code: 3", JobStatus.COMPLETED),
        (None, "SIGSEGV", None, "failed, signal: SIGSEGV", JobStatus.FAILED),
        (0, None, Limit.TIMEOUT, "failed, exit code: 0", JobStatus.FAILED),
        (None, None, None, "failed, exit code: unknown", JobStatus.FAILED),  # B024: it has killed what watched over it
    ],
)
async def test_the_session_is_told_once_how_it_ended(  # noqa: PLR0917 - what came of it, piece by piece
    exit_code: int | None,
    signal: str | None,
    limit: Limit | None,
    status: str,
    told: JobStatus,
    clock: MockClock,
    patch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """B044, B052, B054."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start(timeoutMs=500)
        (command,) = shell.commands
        command.exit_code, command.signal, command.limit = exit_code, signal, limit
        await shell.finish(command)
        (notice,) = shell.notices
        assert (notice.status, notice.session) == (told, ADA)
        assert notice.text == (
            f"background job bash-1 (bash: Serve) finished [status: {status}]. Read its output with bash_output."
        )
        text = await shell.output()
        assert text.endswith(f"\n[status: {status}]")
        assert ("[timed out after 500ms]" in text) is (limit is not None)
        assert len(shell.notices) == 1


async def test_a_wait_ends_with_the_command_and_then_nobody_is_told(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B052, B054."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        (command,) = shell.commands
        texts: list[str] = []

        async def wait() -> None:
            texts.append(await shell.output(wait=True))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()
            command.write(b"done\n")
            command.end.set()
        assert texts == ["done\n[status: completed, exit code: 0]"]
        assert trio.current_time() < 1
        assert [notice.text for notice in shell.notices] == [None]


@pytest.mark.parametrize(("given", "seconds"), [({}, 30), ({"timeoutMs": 5000}, 5), ({"timeoutMs": 1e9}, 600)])
async def test_a_wait_that_is_up_is_an_answer(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, object], seconds: float
) -> None:
    """B052, T001: no TOOL_TIMEOUT, and the command goes on; it is told of when it ends later."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        began = trio.current_time()
        result = await shell.call("bash_output", task_id="bash-1", wait=True, **given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert (result.code, result.text) == (None, "(no new output)\n[status: running]")
        assert trio.current_time() - began == pytest.approx(seconds, abs=0.1)
        await shell.finish(shell.commands[0])
        assert shell.notices[0].text is not None


async def test_a_wait_that_is_cancelled_leaves_the_command_alone_and_loses_nothing(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B052, M025."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        shell.commands[0].write(b"early\n")
        scope = trio.CancelScope(relative_deadline=3)
        result = await shell.call("bash_output", task_id="bash-1", wait=True, scope=scope)
        assert (result.code, shell.registry.jobs()[0].status) == ("ABORTED", JobStatus.RUNNING)
        assert await shell.output() == "early\n[status: running]"
        await shell.finish(shell.commands[0])
        assert shell.notices[0].text is not None


async def test_a_waiter_that_was_given_up_in_the_same_moment_counts_for_none(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B054: the end is told if nobody may hear of it."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: shell.call("bash_output", task_id="bash-1", wait=True, scope=scope))
            await wait_all_tasks_blocked()
            shell.commands[0].end.set()
            scope.cancel()
        assert shell.notices[0].text is not None


async def test_a_kill_is_a_request_and_the_command_is_killed_once_it_has_stopped(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B042, B053, B054: and nobody is told what it asked for."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        began = trio.current_time()
        kill = await shell.call("bash_kill", task_id="bash-1", reason="enough")
        assert kill.text == "requested cancellation of job bash-1"
        assert await shell.output() == "(no new output)\n[status: stopping]"
        again = await shell.call("bash_kill", task_id="bash-1")
        assert again.text == kill.text
        shell.commands[0].write(b"bye\n")
        assert await shell.output(wait=True) == "bye\n[status: killed, signal: SIGTERM]"
        assert trio.current_time() - began >= STOPPING
        late = await shell.call("bash_kill", task_id="bash-1")
        assert late.text == "job bash-1 had already finished [status: killed, signal: SIGTERM]"
        assert [(notice.status, notice.reason, notice.text) for notice in shell.notices] == [
            (JobStatus.KILLED, "enough", None)
        ]


async def test_an_operator_stops_it_by_the_same_id_and_the_session_is_told(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B054."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        assert shell.registry.cancel_job("bash-1", "maintenance")
        assert await shell.output(wait=True) == "(no new output)\n[status: killed, signal: SIGTERM]"
        await shell.start()
        shell.registry.cancel_job("bash-2")
        await trio.sleep(2 * STOPPING)
        assert shell.notices[1].text is not None


async def test_one_that_cannot_be_started_has_failed_and_says_why(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B045."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start(command="missing")
        why = "spawn failed: could not start bash: No such file or directory"
        assert await shell.output() == f"[stderr]\n{why}\n[status: failed]"
        assert shell.notices[0].error is not None
        assert shell.notices[0].error.code == "BASH_SPAWN_FAILED"


async def test_one_that_is_stopped_before_it_began_says_so(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B052."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start(command="unborn")
        await shell.call("bash_kill", task_id="bash-1")
        assert await shell.output(wait=True) == "(no new output)\n[status: killed, killed before exit]"
        assert shell.commands == []
