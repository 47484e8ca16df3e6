"""The seam between the books and what they are written on: a file, or memory."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Protocol

from trio_tools.journal._records import Damage, Entry, JournalEvent, SessionSummary
from trio_tools.pipeline import Acknowledgement

# Of what has been written already.
GIVEN = Acknowledgement()
GIVEN.give()


class Store(Protocol):
    """Keeps entries in the order in which they were added. For one task at a time or many, on Trio's own thread."""

    @property
    def damage(self) -> Sequence[Damage]:
        """What could not be read any more when it was opened, and since."""
        ...

    def add(self, time: float, event: JournalEvent) -> int:
        """Take an entry, of that many Unix seconds, to be written behind all that were added before; what is returned
        is for `written`. Decided at once: no wait, no I/O.

        Raises `JournalError` if nothing can be written any more.
        """
        ...

    def written(self, added: int) -> Awaitable[None]:
        """What is over when this entry, and with it every earlier one, is where it survives.

        Raises `JournalError`, here or where it is awaited, if it cannot be written.

        **Cancellation** of waiting for it: the wait ends; the entry may have been written all the same, or still be.
        """
        ...

    async def session(self, session: str | None) -> list[Entry]:
        """The entries of the calls of a session, those that were added and are not yet on disk too, in order; None: of
        the calls that were made for nobody. Includes the decisions on their effects.

        **Cancellation**: nothing has happened.
        """
        ...

    async def sessions(self) -> list[SessionSummary]:
        """What there is, by the first call of each.

        **Cancellation**: nothing has happened.
        """
        ...

    async def unsettled(self) -> list[Entry]:
        """The entries of every turn that has a call without a result, and of the turns which calls of those have made,
        in order.

        **Cancellation**: nothing has happened.
        """
        ...

    async def keyed(self, name: str, key: str) -> list[Entry]:
        """The entries that speak of the effect of this name and key, in order: begun, ended, decided on.

        **Cancellation**: nothing has happened.
        """
        ...

    async def unknown(self) -> list[Entry]:
        """For each name and key whose effect has begun and neither ended well or badly nor been decided on, its last
        `EffectBegun`.

        **Cancellation**: nothing has happened.
        """
        ...

    async def purge(self, session: str | None) -> int:
        """Remove a session with all that it holds, and return how many of its calls are gone. Its keys are forgotten,
        but for effects that are unknown.

        Raises `JournalError` while calls of it are unsettled: which are is looked up in the same step as they go.

        **Cancellation**: it may be gone or not, as a whole.
        """
        ...
