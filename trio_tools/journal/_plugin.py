"""The plugins that keep a journal of a registry's calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager

from trio_tools.journal._books import Journal
from trio_tools.journal._config import JournalConfig, MemoryJournalConfig
from trio_tools.journal._open import memory_journal, open_journal
from trio_tools.pipeline import EffectLedger
from trio_tools.registry import Registry, plugin


@plugin("journal", config=JournalConfig, provides=(Journal, EffectLedger))
@asynccontextmanager
async def journal(registry: Registry, config: JournalConfig) -> AsyncGenerator[None]:
    """Keep a journal of every call in a file: `registry.require(Journal)`. What an earlier process has left without a
    result gets one first.

    Raises `JournalError` if the file cannot be opened.

    **Cancellation**: while it opens it may have closed some of the books, and the next opening goes on from there. As
    it leaves, what was told is still written, within a bound.
    """
    opening = open_journal(
        config.path,
        durability=config.durability,
        max_age=config.max_age,
        max_bytes=config.max_bytes,
        redact=config.redact,
    )
    async with opening as kept:
        with _joined(registry, kept):
            yield


@plugin("memory-journal", config=MemoryJournalConfig, provides=(Journal, EffectLedger))
@asynccontextmanager
async def journal_in_memory(registry: Registry, config: MemoryJournalConfig) -> AsyncGenerator[None]:
    """Keep a journal of every call in memory, for as long as the registry is open: `registry.require(Journal)`.

    **Cancellation**: it waits for nothing.
    """
    async with memory_journal(redact=config.redact) as kept:
        with _joined(registry, kept):
            yield


def _joined(registry: Registry, kept: Journal) -> ExitStack:
    """Have the journal told of every call, and offered to whoever needs it."""
    with ExitStack() as joining:
        joining.enter_context(registry.add_recorder(kept.record))
        joining.enter_context(registry.provide(Journal, kept))
        joining.enter_context(registry.provide(EffectLedger, kept))  # type: ignore[type-abstract]  # a protocol
        return joining.pop_all()
