"""Where a context can be used, and what a crash or Ctrl-C elsewhere says of the calls that it ends."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from trio_tools import (
    Cause,
    Job,
    JobNotice,
    JobStatus,
    Registry,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    plugin,
    tool,
)


@attrs.frozen
class Nothing:
    """No config."""


@tool
async def stay() -> None:
    await trio.sleep_forever()


async def test_a_context_makes_calls_in_its_own_call_only() -> None:
    """Made from a nursery of somebody else's, nothing would wait for them, and nothing would stop them."""
    told: list[str] = []

    async def elsewhere(ctx: ToolContext, done: trio.Event) -> None:
        try:
            await ctx.execute(ToolCall("stay"), scope=trio.CancelScope())
        except RuntimeError as error:
            told.append(str(error))
        done.set()

    async with trio.open_nursery() as nursery, open_registry() as registry:

        @tool
        async def body(ctx: ToolContext) -> None:
            done = trio.Event()
            nursery.start_soon(elsewhere, ctx, done)
            await done.wait()

        registry.register(stay)
        registry.register(body)
        await registry.execute(ToolCall("body"), scope=trio.CancelScope())
    assert told == ["a context makes calls inside of its own call, and this task is in a nursery from elsewhere"]


async def test_a_call_that_was_asked_for_in_time_and_is_awaited_too_late_is_refused() -> None:
    kept: list[object] = []

    @tool
    async def body(ctx: ToolContext) -> None:
        kept.append(ctx.execute(ToolCall("stay"), scope=trio.CancelScope()))

    async with open_registry() as registry:
        registry.register(stay)
        registry.register(body)
        await registry.execute(ToolCall("body"), scope=trio.CancelScope())
        late = registry.execute(ToolCall("stay"), scope=trio.CancelScope())
        with pytest.raises(RuntimeError, match="inside of its own call, and it has settled"):
            await kept[0]  # type: ignore[misc]  # an awaitable, as the test above shows
    with pytest.raises(RuntimeError, match="the registry is closed"):
        await late


@pytest.mark.parametrize("through", ["context", "registry"])
async def test_a_job_s_starter_makes_calls_at_any_depth_in_it(through: str) -> None:
    async with open_registry() as registry:

        @tool
        async def start(ctx: ToolContext) -> None:
            async def work() -> str | None:
                call = ToolCall("relay")
                if through == "context":
                    return (await ctx.execute(call, scope=trio.CancelScope())).text
                return (await registry.execute(call, scope=trio.CancelScope())).text

            contexts.append(ctx)
            jobs.append(ctx.start_job(work))

        @tool
        async def relay() -> str:
            return (await contexts[0].execute(ToolCall("leaf"), scope=trio.CancelScope())).text

        @tool
        async def leaf() -> str:
            return "leaf"

        contexts: list[ToolContext] = []
        jobs: list[Job] = []
        for one in (start, relay, leaf):
            registry.register(one)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        assert (await jobs[0].wait()).value == "leaf"


@pytest.mark.parametrize("what", ["plugin", "job"])
async def test_who_ended_a_call_is_told_when_something_else_failed(what: str, autojump_clock: MockClock) -> None:
    """A plugin that crashes shuts the registry down; a Ctrl-C that reached a job interrupts it."""

    async def fail() -> None:
        await trio.sleep(1)
        raise OSError("no such port") if what == "plugin" else KeyboardInterrupt

    @plugin("failing", config=Nothing)
    @asynccontextmanager
    async def failing(registry: Registry, config: Nothing) -> AsyncGenerator[None]:
        async with trio.open_nursery() as nursery:
            if what == "plugin":
                nursery.start_soon(fail)
            yield

    @tool
    async def start(ctx: ToolContext) -> None:
        ctx.start_job(fail)

    results: list[ToolResult] = []
    notices: list[JobNotice] = []
    came_out: BaseException | None = None
    try:
        async with open_registry(plugins=[failing]) as registry:
            registry.register(stay)
            registry.register(start)
            registry.add_observer(lambda view, result: results.append(result))
            registry.add_job_observer(notices.append)
            if what == "job":
                await registry.execute(ToolCall("start"), scope=trio.CancelScope())
            await registry.execute(ToolCall("stay"), scope=trio.CancelScope())
    except BaseException as raised:
        came_out = raised
    assert isinstance(came_out, ExceptionGroup if what == "plugin" else KeyboardInterrupt)
    expected = Cause.SHUTDOWN if what == "plugin" else Cause.INTERRUPT
    assert (results[-1].code, results[-1].cause) == ("ABORTED", expected)
    assert [notice.reason for notice in notices] == ([] if what == "plugin" else ["Ctrl-C"])


async def test_draining_leaves_jobs_and_their_calls_alone(autojump_clock: MockClock) -> None:
    async with open_registry() as registry:

        @tool
        async def start(ctx: ToolContext) -> None:
            async def work() -> str | None:
                return (await ctx.execute(ToolCall("nap"), scope=trio.CancelScope())).code

            jobs.append(ctx.start_job(work))

        @tool
        async def nap() -> None:
            await trio.sleep(5)

        jobs: list[Job] = []
        registry.register(start)
        registry.register(nap)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        await wait_all_tasks_blocked()
        with trio.CancelScope() as impatient:
            impatient.cancel()
            await registry.drain()
        assert (trio.current_time(), len(registry.pending())) == (0, 1)
        notice = await jobs[0].wait()
        assert (notice.status, notice.value) == (JobStatus.COMPLETED, None)


async def test_a_job_that_starts_others_when_it_is_told_of_their_end_cannot_keep_the_registry_open() -> None:
    """A supervisor, which restarts what has ended."""
    restarted: list[str] = []
    async with open_registry() as registry:

        @tool
        async def start(ctx: ToolContext) -> None:
            contexts.append(ctx)

            async def supervised() -> None:
                registry.add_job_observer(restart)
                ctx.start_job(trio.sleep_forever)
                await trio.sleep_forever()

            ctx.start_job(supervised)

        def restart(notice: JobNotice) -> None:
            restarted.append(notice.job)
            contexts[0].start_job(trio.sleep_forever)

        contexts: list[ToolContext] = []
        registry.register(start)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        await wait_all_tasks_blocked()
    assert len(restarted) <= 2


async def test_a_job_that_leaves_a_scope_open_is_a_failure_of_its_own() -> None:
    async def leaks() -> None:
        trio.CancelScope().__enter__()

    async with open_registry() as registry:

        @tool
        async def start(ctx: ToolContext) -> None:
            jobs.append(ctx.start_job(leaks))

        jobs: list[Job] = []
        registry.register(start)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
        notice = await jobs[0].wait()
    assert notice.status is JobStatus.FAILED
    assert notice.error is not None
    assert "Cancel scope stack corrupted" in notice.error.message


async def test_jobs_that_follow_on_one_another_hold_no_call_that_is_over() -> None:
    """A tool that polls: its job calls the tool again, which starts the next job."""
    left = 50
    done = trio.Event()
    async with open_registry() as registry:

        @tool
        async def poll(ctx: ToolContext) -> None:
            nonlocal left
            left -= 1

            async def again() -> None:
                if left:
                    await registry.execute(ToolCall("poll"), scope=trio.CancelScope())
                else:
                    done.set()

            ctx.start_job(again)

        registry.register(poll)
        states = _calls_alive()
        await registry.execute(ToolCall("poll"), scope=trio.CancelScope())
        await done.wait()
        await wait_all_tasks_blocked()
        assert _calls_alive() - states < 5


def _calls_alive() -> int:
    gc.collect()
    return sum(type(one).__name__ == "CallState" for one in gc.get_objects())
