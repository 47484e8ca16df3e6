"""Recorders that keep every promise but one, each with a mistake that people make."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager

import trio

from trio_tools import CallAccepted, CallDecided, CallDispatching, CallEvent, CallSettled, EffectEnded
from trio_tools.pipeline import Recorder
from trio_tools.values import to_json


def line(event: CallEvent) -> bytes:
    return json.dumps(to_json(event), ensure_ascii=False).encode()


class Keeps:
    """Writes each event as a line of JSON, one after the other."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.lock = trio.Lock()

    async def __call__(self, event: CallEvent) -> None:
        async with self.lock:
            await self.write(event)

    async def write(self, event: CallEvent) -> None:
        self.lines.append(line(event))
        await trio.lowlevel.checkpoint()


def keeps_at_once() -> Recorder:
    """In memory, and a plain function, which waits for nothing but the record of an end."""
    lines: list[bytes] = []

    async def written() -> None:
        await trio.lowlevel.checkpoint()

    def record(event: CallEvent) -> Awaitable[None] | None:
        lines.append(line(event))
        return written() if isinstance(event, CallSettled) else None

    return record


@asynccontextmanager
async def writes_to_a_file() -> AsyncGenerator[Recorder]:
    """A journal with a lifetime."""
    file = os.open(os.devnull, os.O_WRONLY)

    async def record(event: CallEvent) -> None:
        os.write(file, line(event))
        await trio.lowlevel.checkpoint()

    try:
        yield record
    finally:
        os.close(file)


# --- bad ones ------------------------------------------------------------------------------------------------------


class KnowsNotAllCodes(Keeps):
    async def write(self, event: CallEvent) -> None:
        await super().write(event)
        if isinstance(event, CallSettled) and event.result.error is not None:
            assert event.result.error.code != "EFFECT_UNKNOWN", "no such code"


class WritesAscii(Keeps):
    async def write(self, event: CallEvent) -> None:
        event.ref.tool.encode("ascii")
        await super().write(event)


class CountsTime(Keeps):
    """How long bodies ran."""

    def __init__(self) -> None:
        super().__init__()
        self.dispatched: dict[str, float] = {}

    async def write(self, event: CallEvent) -> None:
        await super().write(event)
        place = f"{event.ref.turn}/{event.ref.position}"
        if isinstance(event, CallDispatching):
            self.dispatched[place] = event.at
        elif isinstance(event, CallSettled) and event.result.code != "ABORTED_BEFORE_DISPATCH":
            self.lines.append(str(event.at - self.dispatched.pop(place)).encode())


class OneAtATime(Keeps):
    """Knows of the call under way, and of no other."""

    current: object = None

    async def write(self, event: CallEvent) -> None:
        place = (event.ref.turn, event.ref.position)
        if isinstance(event, CallAccepted):
            self.current = place
        assert place == self.current, "that is another call"
        await super().write(event)


class Dawdles(Keeps):
    async def write(self, event: CallEvent) -> None:
        await super().write(event)
        if isinstance(event, EffectEnded):
            await trio.sleep(10)


class FinishesAtAnyPrice(Keeps):
    async def write(self, event: CallEvent) -> None:
        try:
            await super().write(event)
        finally:
            if trio.current_effective_deadline() <= trio.current_time():
                with trio.CancelScope(shield=True):
                    await trio.sleep(60)


class KeepsTheLock(Keeps):
    async def __call__(self, event: CallEvent) -> None:
        await self.lock.acquire()
        await self.write(event)
        self.lock.release()


@asynccontextmanager
async def leaves_its_task() -> AsyncGenerator[Recorder]:
    """Writes in the background, and is not ended."""
    keeps = Keeps()
    trio.lowlevel.spawn_system_task(trio.sleep_forever)
    yield keeps


class HoldsAPermit(Keeps):
    """Counts calls between two of their events."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = trio.Semaphore(1_000)

    async def write(self, event: CallEvent) -> None:
        await super().write(event)
        if isinstance(event, CallDecided):
            await self.under_way.acquire()
        elif isinstance(event, CallDispatching):
            self.under_way.release()


class TakesItsTime(Keeps):
    async def write(self, event: CallEvent) -> None:
        await super().write(event)
        if isinstance(event, CallDispatching):
            await trio.sleep(4)
