"""The plugins that keep a journal of a registry's calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import ExitStack, asynccontextmanager

import attrs

from trio_tools.journal._books import Journal
from trio_tools.journal._open import memory_journal
from trio_tools.registry import Registry, plugin


def _names(redact: Iterable[str]) -> tuple[str, ...]:
    if isinstance(redact, str):
        raise TypeError(f'redact must be a list of names, such as ["{redact}"], not the string "{redact}"')
    return tuple(redact)


@attrs.frozen(kw_only=True)
class MemoryJournalConfig:
    """What a journal in memory keeps. Raises `TypeError` for names that are no list.

    Attributes:
        redact: Names of arguments whose values are not kept, at any depth.
    """

    redact: tuple[str, ...] = attrs.field(default=(), converter=_names)


@plugin("memory-journal", config=MemoryJournalConfig, provides=(Journal,))
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
        return joining.pop_all()
