"""The journal of a command, open for as long as its block; what is wrong with it is told in a line."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from trio_tools.cli._printable import complain, named
from trio_tools.cli._status import FAILED, OK, Refused
from trio_tools.journal import Journal, JournalError, open_journal
from trio_tools.values import Session

# Status: the answer was given, from what could be read; something in the file could not.
DAMAGED = FAILED


def with_journal(file: Path, work: Callable[[Journal], Awaitable[None]], *, decides: bool = False) -> int:
    """Open a journal that there is, do the work on it, and return the exit status: `DAMAGED` if something in the file
    could not be read, which is told on stderr. Only work that `decides` needs to be the one that writes it.

    Raises `Refused` where the journal says no, and as the work does.
    """
    if not os.path.lexists(file):
        raise Refused(f'there is no journal "{named(str(file))}"; a run makes one: trio-tools run --journal FILE')
    return trio.run(_done, file, work, decides)


async def _done(file: Path, work: Callable[[Journal], Awaitable[None]], decides: bool) -> int:
    async with _opened(file, decides=decides) as journal:
        await work(journal)
        for one in journal.damage:
            complain(f"{named(str(file))}: {one.place} is damaged: {one.problem}")
        return DAMAGED if journal.damage else OK


@asynccontextmanager
async def _opened(file: Path, *, decides: bool) -> AsyncGenerator[Journal]:
    try:
        async with open_journal(file, read_only=not decides) as journal:
            yield journal
    except JournalError as error:
        raise Refused(str(error)) from None


async def found(journal: Journal, session: str | None) -> Session | None:
    """The session of this id as the journal knows it; None for the calls that were made for none.

    Raises `Refused` for one that it does not have.

    **Cancellation**: nothing has happened.
    """
    there = [one.session for one in await journal.sessions()]
    for one in there:
        if session == (None if one is None else one.id):
            return one
    if session is None:
        raise Refused("there is no call without a session in this journal; `trio-tools log` lists its sessions")
    raise Refused(f'there is no session "{named(session)}" in this journal; `trio-tools log` lists its sessions')
