"""Questions to the file, beside the one connection that writes: reading keeps nobody from writing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias, TypeVar

import trio

from trio_tools.journal._connect import complaint, connect_to_read
from trio_tools.journal._errors import JournalError

T = TypeVar("T")
Connect: TypeAlias = Callable[[], AbstractContextManager[sqlite3.Connection]]

# Seconds between two attempts to break off what is being read, which is to be over at once. One may not do: it does
# nothing if it comes between two statements.
_INTERRUPT_SECONDS = 0.02


class Reader:
    """One question at a time, each in a worker thread, and each of the file as it is at one moment.

    Arguments: `path`, for its messages; `connect`, what gives a connection for as long as a question is asked.
    """

    def __init__(self, path: str, connect: Connect) -> None:
        self._path = path
        self._limiter = trio.CapacityLimiter(1)
        self._connect = connect

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """What a question gives. Raises `JournalError` if the file cannot be read.

        **Cancellation**: the thread is left behind; it changes nothing.
        """
        return await trio.to_thread.run_sync(self._asked, question, abandon_on_cancel=True, limiter=self._limiter)

    def _asked(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._connect() as database:
                database.execute("BEGIN")
                try:
                    return question(database)
                finally:
                    database.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise complaint(self._path, "read", error) from error


class Beside:
    """A connection that lasts, to a file which this process writes."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._busy = threading.Lock()  # a thread that was left behind may still be reading when another comes
        self._database: sqlite3.Connection | None = None
        self._closed = False

    @contextmanager
    def connected(self) -> Generator[sqlite3.Connection]:
        """The connection, made when it is first asked for. Raises `JournalError` once it is closed."""
        with self._busy:
            if self._closed:  # a new one would never be given back
                raise JournalError(f"journal {self._path} is closed: open it again to read it")
            if self._database is None:
                self._database = connect_to_read(self._path)
            yield self._database

    def close(self) -> None:
        """Give the file back. A question that is still being asked is broken off: nobody waits for it any more."""
        self._closed = True
        while not self._busy.acquire(timeout=_INTERRUPT_SECONDS):
            if self._database is not None:
                self._database.interrupt()
        try:
            database, self._database = self._database, None
            if database is not None:
                database.close()
        finally:
            self._busy.release()
