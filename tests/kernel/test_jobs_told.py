"""What a session is told of its jobs: ids of a kind, words of the tool's own, and which jobs a call may know of."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from job_tools import SESSION, five_seconds
from trio.testing import MockClock

from trio_tools import (
    CallToken,
    Job,
    JobNotice,
    Registry,
    SettledView,
    SyncToolContext,
    ToolCall,
    ToolContext,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.pipeline import JobObserver


async def told(words: Callable[[JobNotice], str | None], observer: JobObserver) -> Job:
    """A job with these words, when it is over."""
    jobs: list[Job] = []

    @tool
    async def start(ctx: ToolContext) -> None:
        jobs.append(ctx.start_job(five_seconds, name="watch", words=words))

    async with open_registry() as registry:
        registry.register(start)
        registry.add_job_observer(observer)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope(), session=SESSION)
        await jobs[0].wait()
    return jobs[0]


async def test_words_of_the_tool_s_own_stand_in_the_notice(autojump_clock: MockClock) -> None:
    """B054."""
    notices: list[JobNotice] = []
    await told(lambda notice: f"{notice.job} came to {notice.value}\ud800", notices.append)
    assert [notice.text for notice in notices] == ["job-1 came to {'lines': 3}?"]
    assert notices[0].line == "background job job-1 (watch) finished [status: completed]"


async def test_a_session_that_knows_already_is_told_nothing_and_observers_hear_all_the_same(
    autojump_clock: MockClock,
) -> None:
    """B054."""
    notices: list[JobNotice] = []
    job = await told(lambda notice: None, notices.append)
    assert notices == [job.notice]
    assert notices[0].text is None


async def test_words_that_fail_leave_the_usual_line(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """B046."""
    notices: list[JobNotice] = []

    def fails(notice: JobNotice) -> str:
        raise LookupError("no words")

    await told(fails, notices.append)
    assert notices[0].text == notices[0].line
    assert [one.message for one in caplog.records] == ["the words of job job-1 failed: no words"]


async def test_ctrl_c_in_words_goes_on(autojump_clock: MockClock) -> None:
    def interrupted(notice: JobNotice) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await told(interrupted, lambda notice: None)


async def test_ids_of_a_kind_run_from_one() -> None:
    """B040."""
    ids: list[str] = []

    @tool
    async def start(ctx: ToolContext) -> None:
        ids.extend(ctx.start_job(five_seconds, kind=kind).id for kind in ("bash", "job", "bash", "a-1", "a-1"))

    @tool
    def start_in_a_thread(ctx: SyncToolContext) -> None:
        ids.append(ctx.start_job(five_seconds, kind="bash", words=lambda notice: None).id)

    async with open_registry() as registry:
        for one in (start, start_in_a_thread):
            registry.register(one)
            await registry.execute(ToolCall(one.name), scope=trio.CancelScope())
        assert registry.cancel_job("bash-2")
    assert ids == ["bash-1", "job-1", "bash-2", "a-1-1", "a-1-2", "bash-3"]


@pytest.mark.parametrize("kind", ["", "Bash", "1", "a b", "x" * 33, "a\n"])
async def test_a_kind_that_is_no_word_is_refused(kind: str) -> None:
    @tool
    async def start(ctx: ToolContext) -> None:
        ctx.start_job(five_seconds, kind=kind)

    async with open_registry() as registry:
        registry.register(start)
        result = await registry.execute(ToolCall("start"), scope=trio.CancelScope())
    assert "a job's kind is a lower-case word" in result.text


async def test_a_call_sees_the_jobs_of_its_view_and_of_those_below() -> None:
    jobs: list[Job] = []

    @tool
    async def start(ctx: ToolContext) -> None:
        jobs.append(ctx.start_job(five_seconds))

    @tool
    async def look(ctx: ToolContext) -> list[bool]:
        return [ctx.sees(job) for job in jobs]

    async def looked(one: Registry) -> object:
        return (await one.execute(ToolCall("look"), scope=trio.CancelScope())).value

    async with open_registry() as registry, open_registry() as other:
        for one in (registry, other):
            one.register(start)
            one.register(look)
        inner = registry.restricted(allow=["start", "look"])
        for view in (registry, inner, other):
            await view.execute(ToolCall("start"), scope=trio.CancelScope())
        assert await looked(registry) == [True, True, False]
        assert (await inner.execute(ToolCall("look"), scope=trio.CancelScope())).value == [False, True, False]
        assert await looked(other) == [False, False, True]
        for one in (registry, other):
            for job in one.jobs():
                job.cancel()


async def test_a_body_has_the_token_that_its_observers_see() -> None:
    """R002."""
    tokens: list[CallToken] = []

    @tool
    async def look(ctx: ToolContext) -> None:
        tokens.append(ctx.token)

    def observe(call: SettledView, result: ToolResult) -> None:
        tokens.append(call.token)

    async with open_registry() as registry:
        registry.register(look)
        registry.add_observer(observe)
        for _ in range(2):
            await registry.execute(ToolCall("look"), scope=trio.CancelScope())
    assert tokens[0] is tokens[1]
    assert tokens[2] is tokens[3]
    assert tokens[0] is not tokens[2]
