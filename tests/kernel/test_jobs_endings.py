"""How jobs end: what they fail with, who hears of it, and Ctrl-C."""

from __future__ import annotations

import logging

import pytest
import trio
from job_tools import Started, five_seconds
from trio.testing import MockClock

from trio_tools import (
    JobNotice,
    JobStatus,
    ToolCall,
    ToolContext,
    open_registry,
    tool,
)


async def test_a_job_that_fails_is_told_with_its_error_and_ends_nothing_else(autojump_clock: MockClock) -> None:
    async def fails() -> None:
        await trio.sleep(1)
        raise OSError("no such port")

    async with open_registry() as registry:
        started = Started(registry, fails)
        job = await started.call()
        await trio.sleep(2)
        assert (await job.wait()).status is JobStatus.FAILED
        await started.call()
    assert started.notices[0].text == ("background job job-1 (watch) finished [status: failed]: OSError: no such port")


async def test_a_failure_that_nobody_hears_of_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise OSError("no such port")

    @tool
    async def start(ctx: ToolContext) -> None:
        await ctx.start_job(fails).wait()

    async with open_registry() as registry:
        registry.register(start)
        await registry.execute(ToolCall("start"), scope=trio.CancelScope())
    assert [(one.levelno, "no such port" in one.message) for one in caplog.records] == [(logging.WARNING, True)]


@pytest.mark.parametrize("returned", [object(), float("nan"), "x" * 9_000_000], ids=["object", "nan", "too long"])
async def test_what_a_job_returns_must_be_json(returned: object) -> None:
    async def work() -> object:
        return returned

    async with open_registry() as registry:
        started = Started(registry, work)
        await (await started.call()).wait()
    (notice,) = started.notices
    assert notice.status is JobStatus.FAILED
    assert notice.error is not None
    assert notice.error.message.startswith("what it returned: ")


async def test_a_plain_function_is_no_job_and_says_so() -> None:
    async with open_registry() as registry:
        started = Started(registry, lambda: 3)  # type: ignore[arg-type, return-value]  # the mistake
        notice = await (await started.call()).wait()
    assert notice.status is JobStatus.FAILED
    assert notice.error is not None
    assert "int" in notice.error.message


async def test_an_observer_that_fails_or_hangs_changes_nothing(
    caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    async def hangs(notice: JobNotice) -> None:
        await trio.sleep_forever()

    def breaks(notice: JobNotice) -> None:
        raise LookupError("no such inbox")

    async with open_registry(observer_grace=2) as registry:
        registry.add_job_observer(breaks)
        started = Started(registry, five_seconds)
        registry.add_job_observer(hangs)
        await started.call()
    assert [one.status for one in started.notices] == [JobStatus.KILLED]
    assert ["no such inbox" in one.message or "was cut off" in one.message for one in caplog.records] == [True, True]


async def test_ctrl_c_in_a_job_ends_the_registry_and_comes_out_bare(autojump_clock: MockClock) -> None:
    async def interrupted() -> None:
        await trio.sleep(1)
        raise KeyboardInterrupt

    came_out: BaseException | None = None
    notices: list[JobNotice] = []
    try:
        async with open_registry() as registry:
            registry.add_job_observer(notices.append)
            await Started(registry, interrupted).call()
            await trio.sleep(1_000)
    except BaseException as raised:
        came_out = raised
    assert type(came_out) is KeyboardInterrupt
    assert (trio.current_time(), [one.status for one in notices]) == (1, [JobStatus.KILLED])
