"""A journal in a file: SQLite, one writer, and checksums that tell what is damaged."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import trio

from trio_tools.journal._asking import Asking
from trio_tools.journal._connect import Durability
from trio_tools.journal._disk import Disk
from trio_tools.journal._errors import BytesLeftError, JournalError
from trio_tools.journal._families import Families
from trio_tools.journal._place import absolute
from trio_tools.journal._read_only import look_into
from trio_tools.journal._reader import Beside, Reader
from trio_tools.journal._records import Damage, Entry, JournalEvent, SessionSummary
from trio_tools.journal._retention import Retention
from trio_tools.journal._rows import columns_of
from trio_tools.journal._store import Store
from trio_tools.journal._writer import Writer
from trio_tools.pipeline import Acknowledgement

# Seconds that leaving a journal may take to write what is left, and again to give the file back. Both take
# milliseconds; a disk that hangs would keep the whole program from ending. As long as recorder_grace, which those who
# wait for a record are given.
LEAVING_SECONDS = 5.0


class FileStore:
    """As `Store`, in a file that this process has locked."""

    def __init__(self, writer: Writer, asking: Asking, families: Families, balanced: int | None) -> None:
        self._writer = writer
        self._balanced = balanced
        self._asking = asking
        self._families = families

    @property
    def damage(self) -> Sequence[Damage]:
        """What could not be read when it was opened, and since."""
        return self._asking.damage

    def add(self, time: float, event: JournalEvent) -> int:
        """As `Store.add`; `time` in Unix seconds."""
        self._writer.check()
        columns = columns_of(time, event, self._families.session_of(event))
        seq = self._writer.added + 1
        self._writer.add(columns.as_entry(seq, self._families.family_of(seq, event)))
        return seq

    def written(self, added: int) -> Acknowledgement:
        """As `Store.written`."""
        return self._writer.written(added)

    async def session(self, session: str | None) -> list[Entry]:
        """As `Store.session`.

        **Cancellation**: nothing has happened.
        """
        await self._flush()
        return await self._asking.session(session)

    async def sessions(self) -> list[SessionSummary]:
        """As `Store.sessions`.

        **Cancellation**: nothing has happened.
        """
        await self._flush()
        return await self._asking.sessions()

    async def unsettled(self) -> list[Entry]:
        """As `Store.unsettled`.

        **Cancellation**: nothing has happened.
        """
        if self._writer.added == self._balanced:
            return []  # as was seen when the file was opened: a long one is not read through once more
        await self._flush()
        return await self._asking.unsettled()

    async def keyed(self, name: str, key: str) -> list[Entry]:
        """As `Store.keyed`.

        **Cancellation**: nothing has happened.
        """
        await self._flush()
        return await self._asking.keyed(name, key)

    async def unknown(self) -> list[Entry]:
        """As `Store.unknown`.

        **Cancellation**: nothing has happened.
        """
        await self._flush()
        return await self._asking.unknown()

    async def purge(self, session: str | None) -> int:
        """As `Store.purge`. Its bytes are gone from the file.

        **Cancellation**: it goes on until the session is gone, and then it is cancelled.
        """
        await self._flush()
        try:
            gone = await self._writer.purge(session)
        except BytesLeftError:
            self._families.purged(session)
            raise
        self._families.purged(session)
        return gone

    async def _flush(self) -> None:
        await self._writer.written(self._writer.added)


@asynccontextmanager
async def open_file(
    path: str | os.PathLike[str],
    *,
    durability: Durability = "full",
    max_age: float | None,
    max_bytes: int | None,
    read_only: bool = False,
) -> AsyncGenerator[Store]:
    """The journal in that file, made if there is none.

    Arguments: `durability`, "full" if what is written must survive that the power fails, "normal" if only the end of
    the process; `max_age` in seconds and `max_bytes` of the file, beyond which settled turns are removed, the oldest
    first; `read_only`, to look at it only, also while another process writes it.

    Raises `JournalError` if it cannot be opened: what stands there is no journal, is one of a newer version, or is
    being written by another process.

    Leaving raises `JournalError` if something that was added may be lost.

    **Cancellation**: what was added is still written, for as long as `LEAVING_SECONDS`.
    """
    path = absolute(path)
    if read_only:
        yield await trio.to_thread.run_sync(look_into, path)
        return
    retention = Retention(max_age=max_age, max_bytes=max_bytes)
    disk = await trio.to_thread.run_sync(Disk, path, durability, retention)
    start, beside = disk.start, (Beside(disk.path), Beside(disk.path))
    writer = Writer(disk, start.families, start.last)
    reader, keys = (Reader(disk.path, one.connected) for one in beside)
    try:
        yield FileStore(writer, Asking(reader, keys, start.damage), start.families, start.balanced)
    finally:
        await _leave(writer, beside, disk)


async def _leave(writer: Writer, beside: Sequence[Beside], disk: Disk) -> None:
    try:
        # bounded by LEAVING_SECONDS: what was added must reach the disk although all around is cancelled
        with trio.CancelScope(shield=True, relative_deadline=LEAVING_SECONDS) as writing:
            await writer.close()
        if writing.cancelled_caught:
            raise JournalError(
                f"journal {disk.path} was left while its disk gave no answer for {LEAVING_SECONDS:g} s: what was told "
                "last may be lost; check the disk, and open the journal again"
            )
    finally:
        # bounded by LEAVING_SECONDS: else nobody could open it again before this process ends
        with trio.CancelScope(shield=True, relative_deadline=LEAVING_SECONDS):
            await trio.to_thread.run_sync(_give_back, beside, disk, abandon_on_cancel=True)


def _give_back(beside: Sequence[Beside], disk: Disk) -> None:
    """Close the file and unlock it, once whoever is still at work in it has ended. A thread that is left behind at this
    ends it all the same."""
    for one in beside:
        one.close()
    disk.close()
