"""Reads that reach nobody, and ends that come from outside: no output is lost, no job is left."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from simulated_shell import ADA, STOPPING, simulated
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import Block, JobStatus, ToolCall, ToolResult
from trio_tools.pipeline import CallNext, Dispatch
from trio_tools.toolkits.shell import ShellConfig, shell


@pytest.fixture
def clock() -> MockClock:
    # the folder of the root is looked at in a thread, of which the clock knows nothing: it waits for a quiet moment
    return MockClock(autojump_threshold=0.02)


async def test_a_result_that_is_withheld_has_read_nothing(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041: what a policy blocks, its model has not seen."""
    async with simulated(monkeypatch, tmp_path) as here:
        await here.start()
        here.commands[0].write(b"one\n")
        with here.registry.add_post_policy(lambda call, result: Block("not now")):
            assert "one" not in await here.output()
        assert await here.output() == "one\n[status: running]"
        assert await here.output() == "(no new output)\n[status: running]"


async def test_a_cancel_after_the_text_was_taken_loses_none(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041, B052: the result is an abort, which shows what was read; the next read gives it again."""
    async with simulated(monkeypatch, tmp_path) as here:
        await here.start()
        here.commands[0].write(b"one\n")
        scope = trio.CancelScope()

        async def cancel(call: Dispatch, call_next: CallNext) -> ToolResult:
            result = await call_next()
            scope.cancel()
            return result

        with here.registry.add_wrapper(cancel):
            result = await here.call("bash_output", task_id="bash-1", scope=scope)
        assert (result.code, "one\n" in result.text) == ("ABORTED", True)
        assert await here.output() == "one\n[status: running]"


async def test_a_further_attempt_of_a_call_reads_the_same(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041: that is why the tool may say that it is read_only."""
    async with simulated(monkeypatch, tmp_path) as here:
        await here.start()
        here.commands[0].write(b"one\n")

        async def twice(call: Dispatch, call_next: CallNext) -> ToolResult:
            first = await call_next()
            here.commands[0].write(b"two\n")
            second = await call_next()
            assert (first.text, second.text) == ("one\n[status: running]", "one\ntwo\n[status: running]")
            return second

        with here.registry.add_wrapper(twice):
            await here.output()
        assert await here.output() == "(no new output)\n[status: running]"


async def test_two_reads_at_once_both_show_it(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B041: rather twice than never; and what came in between is not taken back."""
    async with simulated(monkeypatch, tmp_path) as here:
        await here.start()
        here.commands[0].write(b"one\n")
        calls = [ToolCall("bash_output", {"task_id": "bash-1"}) for _ in range(2)]
        both: list[str] = []
        have_read = trio.Event()

        async def stay(call: Dispatch, call_next: CallNext) -> ToolResult:
            result = await call_next()
            both.append(result.text)
            if len(both) == len(calls):
                have_read.set()
            await have_read.wait()
            return result

        with here.registry.add_wrapper(stay):
            results = await here.registry.execute_turn(calls, scope=trio.CancelScope(), session=ADA)
        assert [result.text for result in results] == ["one\n[status: running]"] * 2
        assert await here.output() == "(no new output)\n[status: running]"


async def test_a_call_that_was_cancelled_before_starts_nothing(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B051: whenever it came, up to the hand-over; afterwards the job runs on."""
    given = {"command": "serve", "description": "Serve", "run_in_background": True}
    async with simulated(monkeypatch, tmp_path) as here:
        scope = trio.CancelScope()

        async def cancel(call: Dispatch, call_next: CallNext) -> ToolResult:
            scope.cancel()
            return await call_next()

        with here.registry.add_wrapper(cancel):
            result = await here.call("bash", scope=scope, **given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert result.is_error
        assert (here.registry.jobs(), here.commands) == ([], [])
        later = trio.CancelScope()
        await here.call("bash", scope=later, **given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        later.cancel()
        await wait_all_tasks_blocked()
        assert [job.status for job in here.registry.jobs()] == [JobStatus.RUNNING]


async def test_an_observer_that_fails_breaks_neither_the_job_nor_the_next(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """B046."""

    def breaks(notice: object) -> None:
        raise LookupError("no such inbox")

    async with simulated(monkeypatch, tmp_path) as here:
        here.registry.add_job_observer(breaks)
        heard: list[object] = []
        here.registry.add_job_observer(heard.append)
        await here.start()
        await here.finish(here.commands[0])
        assert await here.output() == "(no new output)\n[status: completed, exit code: 0]"
        assert len(heard) == 1
    assert "no such inbox" in caplog.text


async def test_closing_the_registry_stops_all_and_waits(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B029, B055."""
    async with simulated(monkeypatch, tmp_path) as here:
        for _ in range(3):
            await here.start()
        began = trio.current_time()
    assert trio.current_time() - began >= STOPPING
    assert [notice.status for notice in here.notices] == [JobStatus.KILLED] * 3


@pytest.mark.parametrize("how", ["normally", "cancel"])
async def test_closing_the_toolkit_alone_stops_all_and_waits(
    how: str, clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B029, B055."""
    async with simulated(monkeypatch, tmp_path, run_in_background=False) as here:
        here.registry.unregister("bash")
        began = trio.current_time()
        with trio.CancelScope() as scope:
            async with shell(ShellConfig(root=tmp_path)).open(here.registry):
                await here.start()
                if how == "cancel":
                    scope.cancel()
        assert trio.current_time() - began >= STOPPING
        assert here.registry.jobs() == []
        assert [notice.status for notice in here.notices] == [JobStatus.KILLED]
