"""Commands in the background: who may touch which, how many there may be, and which are forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from simulated_shell import ADA, BOB, STOPPING, simulated
from trio.testing import MockClock

from trio_tools import JobStatus, Session
from trio_tools.toolkits.shell import _jobs


@pytest.fixture
def clock() -> MockClock:
    # the folder of the root is looked at in a thread, of which the clock knows nothing: it waits for a quiet moment
    return MockClock(autojump_threshold=0.02)


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


@pytest.mark.parametrize("task_id", ["", "  "])
@pytest.mark.parametrize("name", ["bash_output", "bash_kill"])
async def test_an_empty_id_is_refused(
    name: str, task_id: str, clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B043."""
    async with simulated(patch, tmp_path) as shell:
        result = await shell.call(name, task_id=task_id)
        assert result.text == "Error: invalid task_id: expected a non-empty string"


@pytest.mark.parametrize("name", ["bash_output", "bash_kill"])
async def test_a_command_is_its_session_s_own(
    name: str, clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B043: while it runs and after; one without an owner is open to all."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        await shell.start(session=None)
        for other in (BOB, Session("a"), Session("a", owner="bob"), None):
            refused = await shell.call(name, session=other, task_id="bash-1")
            assert refused.text == "Error: task bash-1 belongs to another session"
            assert not (await shell.call(name, session=other, task_id="bash-2")).is_error
        assert shell.registry.jobs()[0].status is JobStatus.RUNNING
        await shell.finish(shell.commands[0])
        assert (await shell.call(name, session=BOB, task_id="bash-1")).is_error
        assert not (await shell.call(name, session=Session("a", owner="ada"), task_id="bash-1")).is_error
        for unknown in ("bash-9", "job-1", "1"):
            assert (await shell.call(name, task_id=unknown)).text == f'Error: unknown bash task "{unknown}"'


async def test_a_view_does_not_show_what_was_started_outside_of_it(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B043, R115: not even to the same session; what was started in it is seen from outside."""
    async with simulated(patch, tmp_path) as shell:
        view = shell.registry.restricted(allow=["bash", "bash_output", "bash_kill"])
        await shell.start()
        await shell.start(session=None)
        await shell.start(view=view)
        for task_id in ("bash-1", "bash-2"):
            hidden = await shell.call("bash_kill", view=view, task_id=task_id)
            assert hidden.text == f'Error: unknown bash task "{task_id}"'
        seen = await shell.call("bash_output", view=view, task_id="bash-3")
        assert not seen.is_error
        assert await shell.output("bash-3") == "(no new output)\n[status: running]"


async def test_there_are_so_many_at_once_for_each_session(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B050: those that are stopping count, those that are over do not."""
    async with simulated(patch, tmp_path, max_background_jobs=2) as shell:
        await shell.start()
        await shell.start()
        refusal = await shell.start()
        assert refusal.startswith("Error: background job limit reached for this owner (limit: 2); ")
        assert await shell.start(session=BOB) == "started background job bash-3"
        assert await shell.start(session=None) == "started background job bash-4"
        await shell.call("bash_kill", task_id="bash-1")
        assert (await shell.start()).startswith("Error: background job limit reached")
        await trio.sleep(2 * STOPPING)
        assert await shell.start() == "started background job bash-5"
        assert len(shell.commands) == 5


async def test_those_that_are_over_are_kept_up_to_a_number(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B043: first those go that were read to their end, then the oldest; nobody's go for another's."""
    patch.setattr(_jobs, "FINISHED_OF_ONE", 2)
    patch.setattr(_jobs, "FINISHED_IN_ALL", 3)
    async with simulated(patch, tmp_path) as shell:

        async def known(session: Session = ADA) -> list[str]:
            ids = [f"bash-{number}" for number in range(1, len(shell.commands) + 1)]
            killed = [await shell.call("bash_kill", session=session, task_id=one) for one in ids]
            return [one for one, result in zip(ids, killed, strict=True) if not result.is_error]

        for _ in range(3):
            await shell.start()
            shell.commands[-1].write(b"x")
            await shell.finish(shell.commands[-1])
        await shell.output("bash-2")
        assert await known() == ["bash-1", "bash-2", "bash-3"]
        await shell.start()
        await shell.finish(shell.commands[-1])
        assert await known() == ["bash-1", "bash-3", "bash-4"]
        for _ in range(3):
            await shell.start(session=BOB)
            shell.commands[-1].write(b"x")
            await shell.finish(shell.commands[-1])
        assert await known(BOB) == ["bash-5", "bash-6", "bash-7"]
        await shell.start(session=BOB)
        assert await known() == ["bash-3"]  # of all together the oldest


async def test_where_it_is_switched_off_it_is_refused_and_its_tools_are_not_there(
    clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """B051."""
    async with simulated(patch, tmp_path, run_in_background=False) as shell:
        assert await shell.start() == (
            "Error: run_in_background is disabled for this deployment (run_in_background: false)"
        )
        assert [*shell.registry.tools] == ["bash"]
        assert shell.commands == []


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_a_time_that_is_none_is_refused(
    timeout_ms: float, clock: MockClock, patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """T001, T004, B002."""
    async with simulated(patch, tmp_path) as shell:
        await shell.start()
        why = f"Error: invalid timeoutMs: expected a positive number, got {timeout_ms}"
        assert await shell.output(wait=True, timeoutMs=timeout_ms) == why
        assert await shell.start(timeoutMs=timeout_ms) == why
