"""How a journal is opened: on what it is written, and that its books are closed first."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from trio_tools.journal._books import Journal
from trio_tools.journal._config import JournalConfig
from trio_tools.journal._connect import Durability
from trio_tools.journal._file import open_file
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
async def open_journal(
    path: str | os.PathLike[str],
    *,
    durability: Durability = "full",
    max_age: float | None = None,
    max_bytes: int | None = None,
    redact: Iterable[str] = (),
    read_only: bool = False,
) -> AsyncGenerator[Journal]:
    """The journal in that file, made if there is none, for as long as the block; its books are closed first.

    Arguments: `durability`, "full" if what was waited for must survive that the power fails, "normal" if only the end
    of the process; `max_age` in seconds and `max_bytes` of the file, beyond which settled turns are removed, the oldest
    first (None: never); `redact`, names of arguments whose values are never written; `read_only`, to read what there is
    beside a process that writes, without closing any books.

    Raises `JournalError` if it cannot be opened, saying why and what to do: what stands there is no journal, is one of
    a newer version, or is being written by another process. Raises what `JournalConfig` raises for the arguments.

    **Cancellation**: while it opens it may have closed some of the books, and the next opening goes on from there. As
    it leaves, what was told is still written, within a bound.
    """
    told = JournalConfig(path=Path(path), durability=durability, max_age=max_age, max_bytes=max_bytes, redact=redact)
    file = open_file(
        told.path,
        durability=told.durability,
        max_age=told.max_age,
        max_bytes=told.max_bytes,
        read_only=read_only,
    )
    async with file as store:
        yield Journal(store, redact=told.redact) if read_only else await opened(store, redact=told.redact)


@asynccontextmanager
async def memory_journal(*, redact: Iterable[str] = ()) -> AsyncGenerator[Journal]:
    """A journal in memory: for tests, and where keys and history need to last only as long as the block. It has no
    bound.

    Argument: `redact`, names of arguments whose values are not kept.

    **Cancellation**: it waits for nothing.
    """
    yield await opened(MemoryStore(), redact=redact)
