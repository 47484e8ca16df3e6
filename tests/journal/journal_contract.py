"""What stores are tried with: places to open them at, again and again, and the events of made-up turns."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest

from trio_tools import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    JSONValue,
    Session,
    Text,
    ToolResult,
)
from trio_tools.journal import Entry, Journal
from trio_tools.journal._file import open_file
from trio_tools.journal._memory import MemoryStore
from trio_tools.journal._open import opened
from trio_tools.journal._store import Store

Place: TypeAlias = Callable[[], AbstractAsyncContextManager[Store]]


def in_memory(folder: Path) -> Place:
    """The same store at each opening, as if it had been written on something."""
    store = MemoryStore()

    @asynccontextmanager
    async def place() -> AsyncGenerator[Store]:
        yield store

    return place


def in_file(folder: Path) -> Place:
    """A file, opened anew each time."""
    return lambda: open_file(folder / "calls.journal", max_age=None, max_bytes=None)


every_store = pytest.mark.parametrize("make", [in_memory, in_file])


@asynccontextmanager
async def journal_at(place: Place) -> AsyncGenerator[Journal]:
    """The journal that stands there, opened anew: its books are closed."""
    async with place() as store:
        yield await opened(store)


async def keep(store: Store, *events: CallEvent) -> None:
    """Add these, each a second after the one before, and wait until they are written."""
    added = 0
    for second, event in enumerate(events):
        added = store.add(1_000.0 + second, event)
    await store.written(added)


async def recorded(journal: Journal, event: CallEvent) -> None:
    """Have an event recorded as a registry does."""
    waits = journal.record(event)
    if waits is not None:
        await waits


async def told(store: Store, session: str | None = "s") -> list[tuple[float, object]]:
    """Times and events of a session."""
    return [(entry.time, entry.event) for entry in await store.session(session)]


def seqs(entries: list[Entry]) -> list[int]:
    return [entry.seq for entry in entries]


@attrs.frozen
class Made:
    """The events of one call, made up. Two seconds lie between any two of them on Trio's clock."""

    ref: CallRef

    @property
    def place(self) -> str:
        return f"{self.ref.turn}/{self.ref.position}"

    def accepted(self, arguments: JSONValue = '{"to": "ada"}', metadata: JSONValue = None) -> CallAccepted:
        return CallAccepted(ref=self.ref, at=1, arguments=arguments, metadata=metadata)

    def decided(self, reason: str | None = None) -> CallDecided:
        return CallDecided(ref=self.ref, at=3, allowed=reason is None, reason=reason)

    def dispatching(self, attempt: int = 1) -> CallDispatching:
        return CallDispatching(ref=self.ref, at=5, attempt=attempt)

    def begun(self, name: str = "mail", key: str | None = None) -> EffectBegun:
        return EffectBegun(ref=self.ref, at=7, name=name, key=key)

    def ended(self, state: EffectState, name: str = "mail", key: str | None = None, **more: JSONValue) -> EffectEnded:
        receipt, error = more.get("receipt"), more.get("error")
        effect = Effect(name, state, receipt, None if error is None else str(error), key=key)
        return EffectEnded(ref=self.ref, at=9, effect=effect)

    def settled(self, result: ToolResult | None = None, *, effects: tuple[Effect, ...] = ()) -> CallSettled:
        made = ToolResult(self.ref.call_id, self.ref.tool, (Text("done"),), "done", dispatched=True, effects=effects)
        return CallSettled(ref=self.ref, at=11, result=made if result is None else result)


def call(place: str, *, session: str | None = "s", parent: str | None = None, tool: str = "send") -> Made:
    """The call of a turn at a position, such as `t/0`."""
    turn, _, position = place.partition("/")
    return Made(
        CallRef(
            turn=turn,
            position=int(position),
            call_id=f"id-{place}",
            tool=tool,
            session=None if session is None else Session(session, "ada"),
            parent=parent,
            root=parent or place,
        )
    )
