"""The questions of a `Store`, asked of a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from trio_tools.journal import _queries
from trio_tools.journal._reader import Reader
from trio_tools.journal._reading import is_unknown, read
from trio_tools.journal._records import Damage, Entry, SessionSummary
from trio_tools.journal._rows import Row
from trio_tools.journal._schema import COLUMNS

_KIND = COLUMNS.index("kind")


class Asking:
    """What a file says, as entries. An entry that turns out to be damaged is told in `damage`, and left out.

    Keys have a reader of their own: an effect waits for its key to be looked up, and not for the questions of others,
    which may take longer than a recorder is given.
    """

    def __init__(self, reader: Reader, keys: Reader, damage: Iterable[Damage]) -> None:
        self._reader = reader
        self._keys = keys
        self._damage = dict.fromkeys(damage)

    @property
    def damage(self) -> Sequence[Damage]:
        """What could not be read when it was opened, and since."""
        return tuple(self._damage)

    async def session(self, session: str | None) -> list[Entry]:
        """As `Store.session`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(partial(_queries.session_rows, session=session), self._reader)

    async def sessions(self) -> list[SessionSummary]:
        """As `Store.sessions`.

        **Cancellation**: nothing has happened.
        """
        return await self._reader.ask(_queries.session_summaries)

    async def unsettled(self) -> list[Entry]:
        """As `Store.unsettled`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(_queries.unsettled_rows, self._reader)

    async def keyed(self, name: str, key: str) -> list[Entry]:
        """As `Store.keyed`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(partial(_queries.keyed_rows, name=name, key=key), self._keys)

    async def unknown(self) -> list[Entry]:
        """As `Store.unknown`.

        **Cancellation**: nothing has happened.
        """
        return await self._entries(_unknown_rows, self._reader)

    async def _entries(self, question: Callable[[sqlite3.Connection], list[Row]], reader: Reader) -> list[Entry]:
        def answered(database: sqlite3.Connection) -> tuple[list[Entry], list[Damage]]:
            return read(question(database))

        entries, damage = await reader.ask(answered)
        self._damage.update(dict.fromkeys(damage))
        return entries


def _unknown_rows(database: sqlite3.Connection) -> list[Row]:
    effects = [rows for rows in _queries.perhaps_unknown(database) if is_unknown(rows)]
    return _queries.in_order([row for row in rows if row[_KIND] == "effectbegun"][-1] for rows in effects)
