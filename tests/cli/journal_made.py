"""A journal in a file, as a run that used it would have left it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from journal_records import HOSTILE

from trio_tools import Session, ToolResult
from trio_tools.journal import open_journal
from trio_tools.values import (
    CallAccepted,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    as_content,
)

NAME = "agent.db"


def make(file: Path, *sessions: Sequence[CallEvent]) -> None:
    """Have these events recorded in a new journal, or one that there is."""

    async def recorded() -> None:
        async with open_journal(file) as journal:
            for events in sessions:
                for event in events:
                    if (waits := journal.record(event)) is not None:
                        await waits

    trio.run(recorded)


def call(
    place: str,
    tool: str = "mail",
    *,
    session: Session | None,
    effects: Sequence[Effect] = (),
    settles: bool = True,
    text: str = "done",
) -> list[CallEvent]:
    """The events of a call at this "turn/position" whose effects came out like this; one that has begun did no more."""
    turn, _, position = place.partition("/")
    ref = CallRef(turn=turn, position=int(position), call_id=place, tool=tool, session=session, root=place)
    events: list[CallEvent] = [
        CallAccepted(ref=ref, at=0.0, arguments={"to": text}, metadata={}),
        CallDispatching(ref=ref, at=0.1, attempt=1),
    ]
    for one in effects:
        events.append(EffectBegun(ref=ref, at=0.2, name=one.name, key=one.key))
        if one.state is not EffectState.BEGUN:
            events.append(EffectEnded(ref=ref, at=0.3, effect=one))
    if settles:
        result = ToolResult(place, tool, as_content(text), dispatched=True, effects=tuple(effects))
        events.append(CallSettled(ref=ref, at=0.4, result=result))
    return events


S1, EVIL = Session("s1", "ann"), Session(HOSTILE)
SENT = Effect("mail.send", EffectState.COMMITTED, {"id": "<1@example.org>"}, key="m-1")
CUT = Effect("pay", EffectState.BEGUN, key="17")
LOST = Effect("mail.send", EffectState.UNKNOWN, error="its time ran out", key="m-2")
EVIL_EFFECT = Effect(HOSTILE, EffectState.UNKNOWN, error=HOSTILE, key=HOSTILE)


@cache
def content(*, for_nobody: bool = True) -> bytes:
    """A journal with a session of a mail that was sent and one that may have been, one of hostile words, and a call for
    no session unless it is not to be there."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / NAME
        make(
            file,
            call("t1/0", session=S1, effects=[SENT]),
            call("t2/0", session=S1, effects=[LOST]),
            call("t3/0", HOSTILE, session=EVIL, effects=[EVIL_EFFECT], text=HOSTILE),
            call("t4/0", "read", session=None) if for_nobody else (),
        )
        assert [one.name for one in Path(folder).iterdir() if one.stat().st_size and one.suffix != ".lock"] == [NAME]
        return file.read_bytes()


@cache
def damaged() -> bytes:
    """The same, but that the result of the second call of `S1`, entry 10, is not what was written."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / NAME
        file.write_bytes(content())
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE entries SET body = '{}' WHERE seq = 10")
        return file.read_bytes()


@cache
def cut_off() -> bytes:
    """A journal of a process that was killed in the middle of its one call."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / NAME
        make(file, call("t1/0", session=S1, effects=[CUT], settles=False))
        return file.read_bytes()
