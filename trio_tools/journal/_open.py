"""How a journal is opened: on what it is written, and that its books are closed first."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from trio_tools.journal._books import Journal
from trio_tools.journal._memory import MemoryStore
from trio_tools.journal._recover import recover
from trio_tools.journal._store import Store


async def opened(store: Store, *, redact: Iterable[str] = ()) -> Journal:
    """A journal over this store, with the books closed on what an earlier process has left. Raises `JournalError` if
    they cannot be.

    **Cancellation**: some of it may be written; the next opening goes on from there.
    """
    journal = Journal(store, redact=redact)
    await recover(store, journal.now())
    return journal


@asynccontextmanager
async def memory_journal(*, redact: Iterable[str] = ()) -> AsyncGenerator[Journal]:
    """A journal in memory: for tests, and where keys and history need to last only as long as the block. It has no
    bound.

    Argument: `redact`, names of arguments whose values are not kept.

    **Cancellation**: it waits for nothing.
    """
    yield await opened(MemoryStore(), redact=redact)
