"""Questions to the file, beside the one connection that writes: reading keeps nobody from writing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

import trio

from trio_tools.journal._connect import complaint, connect_to_read

T = TypeVar("T")


class Reader:
    """One question at a time, each in a worker thread, and each of the file as it is at one moment."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._limiter = trio.CapacityLimiter(1)
        self._busy = threading.Lock()  # a thread that was left behind may still be reading when another comes
        self._database: sqlite3.Connection | None = None

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """What a question gives. Raises `JournalError` if the file cannot be read.

        **Cancellation**: the thread is left behind; it changes nothing.
        """
        return await trio.to_thread.run_sync(self._asked, question, abandon_on_cancel=True, limiter=self._limiter)

    def _asked(self, question: Callable[[sqlite3.Connection], T]) -> T:
        with self._busy:
            try:
                if self._database is None:
                    self._database = connect_to_read(self._path)
                self._database.execute("BEGIN")
                try:
                    return question(self._database)
                finally:
                    self._database.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise complaint(self._path, "read", error) from error

    async def close(self) -> None:
        """Give the file back.

        **Cancellation**: a thread that still reads is left behind.
        """
        await trio.to_thread.run_sync(self._close, abandon_on_cancel=True)

    def _close(self) -> None:
        with self._busy:
            database, self._database = self._database, None
            if database is not None:
                database.close()
