"""Group commit: whatever has been added while a group was being written is the next group.

Nobody waits for a timer: who comes first is written at once, and all that come meanwhile share what follows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import trio

from trio_tools.journal._disk import Disk
from trio_tools.journal._errors import JournalError
from trio_tools.journal._families import Families
from trio_tools.journal._retention import STEP
from trio_tools.journal._rows import Row
from trio_tools.journal._store import GIVEN
from trio_tools.pipeline import Acknowledgement

P = TypeVar("P")
R = TypeVar("R")

# Entries after which age and size are looked at again. A look takes a fraction of a millisecond.
RETENTION_ENTRIES = 1_000


class Writer:
    """Writes rows in the order in which they are added. What has failed once stays failed, until it is opened anew.

    Its task is one of the system's and not of whoever opens the journal: it has to write what happens while everything
    around that is cancelled, until `close`.
    """

    def __init__(self, disk: Disk, families: Families, written: int) -> None:
        self._disk = disk
        self._families = families
        self._since = 0
        self._limiter = trio.CapacityLimiter(1)
        self._pending: list[Row] = []
        self._arrived = trio.lowlevel.ParkingLot()
        self._gathering, self._in_flight = Acknowledgement(), GIVEN
        self._added = self._taken = self._written = written
        self._failure: str | None = None
        self._told = False  # whether anybody has heard of the failure
        self._scope = trio.CancelScope()
        self._over = trio.Event()
        trio.lowlevel.spawn_system_task(self._run, name=f"journal {disk.path}")

    @property
    def added(self) -> int:
        """The `seq` of what was added last."""
        return self._added

    def check(self) -> None:
        """Raises `JournalError` if nothing can be written any more."""
        if self._failure is not None:
            self._told = True
            raise JournalError(self._failure)

    def add(self, row: Row) -> None:
        """Take the row that is next, of `added` and one."""
        self._added += 1
        self._pending.append(row)
        if len(self._pending) == 1:
            self._arrived.unpark()

    def written(self, added: int) -> Acknowledgement:
        """As `Store.written`."""
        if added <= self._written:
            return GIVEN
        self.check()
        return self._in_flight if added <= self._taken else self._gathering

    async def _run(self) -> None:
        try:
            with self._scope:
                while True:
                    while not self._pending:
                        await self._arrived.park()
                    await self._retain(await self._write())
        except Exception as error:  # a system task's own failure would end the whole program
            self._fail(f"{error}" if isinstance(error, JournalError) else f"journal {self._disk.path}: {error!r}")
        finally:
            self._over.set()

    async def _write(self) -> int:
        """Write what is pending, and return how much that was."""
        rows, self._pending = self._pending, []
        self._in_flight, self._gathering = self._gathering, Acknowledgement()
        self._taken = self._added
        await self._in_thread(self._disk.write, rows)
        self._written = self._taken
        self._in_flight.give()
        return len(rows)

    async def _retain(self, written: int) -> None:
        """Now and then, remove a little of what is to be kept no longer, but no less than was written; if that was not
        all, go on after the next."""
        if self._taken - self._since < RETENTION_ENTRIES:
            return
        for _ in range(1 + written // STEP):
            if not await self._in_thread(self._disk.retain, self._families.kept()):
                self._since = self._taken
                return

    async def _in_thread(self, work: Callable[[P], R], argument: P) -> R:
        return await trio.to_thread.run_sync(work, argument, abandon_on_cancel=True, limiter=self._limiter)

    def _fail(self, problem: str) -> None:
        self._failure = problem
        for group in (self._in_flight, self._gathering):
            self._told = self._told or group.is_awaited
            if not group.is_over:
                group.refuse(JournalError(problem))

    async def purge(self, session: str | None) -> int:
        """As `Store.purge`, of all that is written.

        **Cancellation**: it goes on until the session is gone, and then it is cancelled.
        """
        return await trio.to_thread.run_sync(self._disk.purge, session, limiter=self._limiter)

    async def close(self) -> None:
        """Take no more, and wait until all that was added is written.

        Raises `JournalError` if some of it is not, and nobody has heard of that yet: who has is not to lose what came
        of his calls to hearing it again.

        **Cancellation**: the thread that writes is left behind; what it has not taken yet is not written.
        """
        told, lost = self._told, None
        try:
            await self.written(self._added)
        except JournalError as error:
            lost = error
        finally:
            self._fail(self._failure or f"journal {self._disk.path} is closed")
            self._scope.cancel()
        await self._over.wait()
        if lost is not None and not told:
            raise lost
