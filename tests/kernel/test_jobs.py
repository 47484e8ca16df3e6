"""Jobs: work that outlives its call, ends with the registry at the latest, and is told of once."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
from job_tools import SESSION, Nothing, Started, five_seconds, for_ever
from trio.testing import MockClock, wait_all_tasks_blocked
from turn_tools import Log

from trio_tools import (
    Job,
    JobStatus,
    Registry,
    SyncToolContext,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    plugin,
    tool,
)


async def test_a_job_outlives_its_call_and_its_session_is_told_when_it_is_done(autojump_clock: MockClock) -> None:
    async with open_registry() as registry:
        started = Started(registry, five_seconds)
        job = await started.call()
        assert (registry.jobs(), job.status, job.notice, trio.current_time()) == ([job], JobStatus.RUNNING, None, 0)
        assert (job.id, job.name, job.session) == ("job-1", "watch", SESSION)
        notice = await job.wait()
        await wait_all_tasks_blocked()
        assert (registry.jobs(), started.notices) == ([], [notice])
    assert attrs.asdict(notice, recurse=False) == {
        "job": "job-1",
        "name": "watch",
        "session": SESSION,
        "status": JobStatus.COMPLETED,
        "seconds": 5,
        "value": {"lines": 3},
        "error": None,
        "reason": None,
        "text": "background job job-1 (watch) finished [status: completed]",
    }
    assert notice.text == "background job job-1 (watch) finished [status: completed]"


async def test_cancelling_the_call_leaves_its_job_alone(autojump_clock: MockClock) -> None:
    @tool
    async def start_and_stay(ctx: ToolContext) -> None:
        jobs.append(ctx.start_job(five_seconds))
        await trio.sleep_forever()

    jobs: list[Job] = []
    async with open_registry() as registry:
        registry.register(start_and_stay)
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        result = await registry.execute(ToolCall("start_and_stay"), scope=scope)
        assert (result.code, jobs[0].status) == ("ABORTED", JobStatus.RUNNING)
        assert (await jobs[0].wait()).status is JobStatus.COMPLETED


async def test_cancel_job_stops_it_and_it_is_killed_only_when_it_has_come_to_rest(autojump_clock: MockClock) -> None:
    """B053."""

    async def tidies_up() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(3, shield=True):
                await trio.sleep(2)

    async with open_registry() as registry:
        started = Started(registry, tidies_up)
        job = await started.call()
        await wait_all_tasks_blocked()
        assert registry.cancel_job(job.id, "not needed any more") is True
        assert registry.cancel_job(job.id) is False
        assert registry.cancel_job("job-99") is False
        assert (registry.jobs(), job.status) == ([job], JobStatus.STOPPING)
        assert [place.rpartition(" ")[2] for place in job.where] == ["tidies_up"]
        notice = await job.wait()
        assert (notice.status, notice.seconds, trio.current_time()) == (JobStatus.KILLED, 2, 2)
        assert registry.cancel_job(job.id) is False
    assert notice.text == "background job job-1 (watch) finished [status: killed]: not needed any more"


@pytest.mark.parametrize("how", ["normally", "error", "cancel"])
async def test_at_its_end_the_registry_cancels_jobs_and_waits_for_them(how: str, autojump_clock: MockClock) -> None:
    """Left normally, running calls settle before."""
    left: list[str] = []

    async def work() -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(3, shield=True):
                await trio.sleep(2)
            left.append(f"job at {trio.current_time():g}")

    @tool
    async def slow() -> None:
        try:
            await trio.sleep(10)
        finally:
            left.append(f"call at {trio.current_time():g}")

    @plugin("last", config=Nothing)
    @asynccontextmanager
    async def last(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            left.append(f"plugin at {trio.current_time():g}")

    started: Started | None = None
    with trio.CancelScope() as around:
        try:
            async with trio.open_nursery() as nursery, open_registry(plugins=[last]) as registry:
                registry.register(slow)
                started = Started(registry, work)
                await started.call()
                nursery.start_soon(lambda: registry.execute(ToolCall("slow"), scope=trio.CancelScope()))
                await wait_all_tasks_blocked()
                if how == "error":
                    raise ValueError("mine")
                if how == "cancel":
                    around.cancel()
                    await trio.lowlevel.checkpoint()
        except* ValueError:
            pass
    assert started is not None
    assert [one.status for one in started.notices] == [JobStatus.KILLED]
    normally = ["call at 10", "job at 12", "plugin at 12"]
    assert left == (normally if how == "normally" else ["call at 0", "job at 2", "plugin at 2"])


async def test_a_call_that_has_been_given_up_starts_nothing(autojump_clock: MockClock) -> None:
    """B051: its job is cancelled before it begins."""
    entered: list[str] = []

    async def work() -> None:
        entered.append("the job")

    @tool
    async def late(ctx: ToolContext) -> None:
        try:
            await trio.sleep_forever()
        finally:
            jobs.append(ctx.start_job(work))

    jobs: list[Job] = []
    async with open_registry() as registry:
        registry.register(late)
        scope = trio.CancelScope(deadline=trio.current_time() + 1)
        result = await registry.execute(ToolCall("late"), scope=scope)
        assert result.code == "ABORTED"
        assert (await jobs[0].wait()).status is JobStatus.KILLED
    assert entered == []


async def test_a_job_s_calls_and_jobs_are_children_of_the_call_that_started_it(autojump_clock: MockClock) -> None:
    """Also after that call has settled; and they end with the registry, after the calls."""
    results: list[ToolResult] = []

    async with open_registry() as registry:
        log = Log()
        registry.add_recorder(log)

        @tool
        async def nap() -> str:
            await trio.sleep(3)
            return "rested"

        async def work() -> None:
            await trio.sleep(1)
            context = started.contexts[0]
            results.append(await context.execute(ToolCall("nap", id="inner"), scope=trio.CancelScope()))
            context.start_job(for_ever, name="below")

        registry.register(nap)
        started = Started(registry, work)
        job = await started.call()
        await job.wait()
        await wait_all_tasks_blocked()
        assert [one.name for one in registry.jobs()] == ["below"]
    outer, inner = (one.ref for one in log.accepted)
    assert (inner.parent, inner.root) == (outer.root, outer.root)
    assert (inner.session, results[0].value) == (SESSION, "rested")
    assert [one.status for one in started.notices] == [JobStatus.COMPLETED, JobStatus.KILLED]


async def test_a_call_inside_a_job_does_not_hold_up_the_end_of_the_registry(autojump_clock: MockClock) -> None:
    async with open_registry() as registry:
        registry.register(tool(name="stay")(for_ever))

        async def work() -> None:
            results.append(await registry.execute(ToolCall("stay"), scope=trio.CancelScope()))

        results: list[ToolResult] = []
        await Started(registry, work).call()
        await wait_all_tasks_blocked()
        assert len(registry.pending()) == 1
    assert trio.current_time() == 0


async def test_a_plain_body_starts_jobs_too() -> None:
    finished = trio.Event()

    async def waiting() -> str:
        await finished.wait()
        return "waited"

    @tool
    def start(ctx: SyncToolContext) -> str:
        return ctx.start_job(waiting).name

    async with open_registry() as registry:
        registry.register(start)
        result = await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        (job,) = registry.jobs()
        finished.set()
        assert (await job.wait()).value == "waited"
    assert result.value == f"{test_a_plain_body_starts_jobs_too.__name__}.<locals>.waiting"
