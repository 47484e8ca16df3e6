"""What is left behind, and what is not: what is kept on purpose, of a job, of a plugin."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import attrs
import pytest
import trio
from bad_tools_left import NoConfig

from trio_tools import Registry, ToolCall, ToolContext, plugin, tool
from trio_tools.testing import (
    BrokenPromiseError,
    EffectRecorder,
    explore_cancellation,
)


@attrs.define(eq=False)
class Pool:
    """A connection that is opened when it is needed first, with a task that reads it, and kept for later calls."""

    nursery: trio.Nursery | None = None
    connections: list[int] = attrs.field(factory=list[int])
    most: int = 1

    async def connect(self) -> int:
        if len(self.connections) < self.most:
            await trio.sleep(1)
            self.connections.append(os.open(os.devnull, os.O_RDONLY))
            if self.nursery is not None:
                self.nursery.start_soon(trio.sleep_forever)
        return self.connections[0]

    def close(self) -> None:
        while self.connections:
            os.close(self.connections.pop())


@plugin("pool", config=NoConfig)
@asynccontextmanager
async def pool(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    async with trio.open_nursery() as nursery:
        service = Pool(nursery)
        with registry.provide(Pool, service):
            yield
        service.close()
        nursery.cancel_scope.cancel()


@contextmanager
def shared_pool(most: int) -> Generator[Pool]:
    service = Pool(most=most)
    yield service
    service.close()


async def asks(ctx: ToolContext) -> str:
    await ctx.require(Pool).connect()
    await trio.sleep(1)
    return "answer"


def test_what_a_plugin_keeps_for_later_calls_is_not_left_behind_and_is_said() -> None:
    report = explore_cancellation(asks, plugins=[pool])
    assert report.failures == ()
    (unproved,) = report.unproved
    assert unproved.startswith("the first call in a registry leaves something for later ones (the ")
    assert unproved.endswith("before each that was looked at, and no first one was ended")
    assert "the task trio.sleep_forever" in unproved


def test_what_a_shared_service_keeps_for_later_calls_is_not_left_behind() -> None:
    with shared_pool(most=1) as service:
        assert explore_cancellation(asks, services=[service]).failures == ()


def test_what_grows_with_every_call_is_left_behind() -> None:
    with shared_pool(most=100) as service, pytest.raises(BrokenPromiseError) as caught:
        explore_cancellation(asks, services=[service])
    (failure,) = caught.value.report.failures
    assert failure.case is None
    assert [finding.check for finding in failure.findings] == ["descriptors"]
    assert os.devnull in failure.findings[0].words


def test_a_temporary_file_that_is_kept_is_there_for_later_calls() -> None:
    kept: list[str] = []

    async def caches() -> str:
        if not kept:
            descriptor, name = tempfile.mkstemp()
            os.close(descriptor)
            kept.append(name)
        await trio.sleep(1)
        return str(os.stat(kept[0]).st_size)

    report = explore_cancellation(caches)
    assert report.failures == ()
    assert report.undisturbed[0].value == "0"


async def abandons_a_generator() -> int:
    """Trio closes it, in a task of its own."""

    async def numbers() -> AsyncGenerator[int]:
        for number in range(3):
            await trio.sleep(1)
            yield number

    total = 0
    async for number in numbers():
        total += number
    return total


def test_a_generator_that_is_abandoned_is_trios_to_close() -> None:
    assert explore_cancellation(abandons_a_generator).failures == ()


# --- jobs -------------------------------------------------------------------------------------------------------------


async def starts_a_job(ctx: ToolContext) -> str:
    recorder = ctx.require(EffectRecorder)

    async def mail() -> None:
        with tempfile.TemporaryFile():
            await trio.sleep(5)
        recorder.happened("mail.send")

    job = ctx.start_job(mail)
    await trio.sleep(1)
    return job.id


def test_a_job_outlives_its_call_and_so_does_what_it_does() -> None:
    report = explore_cancellation(starts_a_job)
    assert (report.failures, report.unproved) == ((), ())


async def starts_a_job_that_makes_a_call(ctx: ToolContext) -> str:
    async def call() -> None:
        await trio.sleep(5)
        await ctx.execute(ToolCall("post"), scope=trio.CancelScope())

    job = ctx.start_job(call)
    await trio.sleep(1)
    return job.id


@plugin("post_office", config=NoConfig)
@asynccontextmanager
async def post_office(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    @tool
    async def post(ctx: ToolContext) -> None:
        """Posts a letter."""

        async def send() -> None:
            await trio.sleep(1)
            ctx.require(EffectRecorder).happened("letter.post")

        await ctx.irreversible("letter.post", send)

    registry.register(post)
    yield


def test_the_calls_that_a_job_makes_outlive_its_call_too() -> None:
    assert explore_cancellation(starts_a_job_that_makes_a_call, plugins=[post_office]).failures == ()


# --- permits ----------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Heart:
    lock: trio.Lock = attrs.field(factory=trio.Lock)
    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(2))

    async def beat(self) -> None:
        while True:
            async with self.lock, self.limiter:
                await trio.sleep(0.5)
            await trio.sleep(0.5)


@plugin("heart", config=NoConfig)
@asynccontextmanager
async def heart(registry: Registry, config: NoConfig) -> AsyncGenerator[None]:
    service = Heart()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(service.beat)
        with registry.provide(Heart, service):
            yield
        nursery.cancel_scope.cancel()


async def takes_turns_with_the_heart(ctx: ToolContext) -> None:
    service = ctx.require(Heart)
    await trio.sleep(0.25)
    async with service.lock, service.limiter:
        await trio.sleep(0.4)
    await trio.sleep(0.3)


def test_what_a_task_of_a_plugin_holds_is_not_kept_by_the_call() -> None:
    assert explore_cancellation(takes_turns_with_the_heart, plugins=[heart], seeds=2).failures == ()


def test_a_lock_of_threads_that_is_kept_ends_the_exploration_before_the_next_run_waits_for_it() -> None:
    lock = threading.Lock()

    async def keeps() -> None:
        lock.acquire()
        await trio.sleep(1)
        lock.release()

    with pytest.raises(BrokenPromiseError, match="permits: a lock: 1 not given back"):
        explore_cancellation(keeps)
