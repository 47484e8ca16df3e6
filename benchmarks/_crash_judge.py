"""What has to hold of a journal after its process was killed, whenever that was.

The judge knows what happened from elsewhere: from lines that the agent wrote to the world and lines for the results
that it was given.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import attrs

from trio_tools import EffectState, to_json
from trio_tools.journal import CallRecord, Journal, open_journal

# Effects of these states have, or may have, happened.
_KNOWN = {EffectState.COMMITTED, EffectState.UNKNOWN}


@attrs.frozen
class Books:
    """All that a journal says, in call order."""

    calls: tuple[CallRecord, ...]

    @property
    def by_id(self) -> dict[str | None, CallRecord]:
        """Made anew each time."""
        return {one.ref.call_id: one for one in self.calls}


@attrs.frozen
class Happened:
    """What is known from elsewhere: lines of the world and acknowledged results, of all agents so far."""

    entered: tuple[str, ...]
    effects: tuple[tuple[str, str, str | None], ...]  # call, name, key
    acknowledged: tuple[tuple[str, object], ...]  # call, result as JSON


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def happened(world: Path, acks: Path) -> Happened:
    """What the files of the agents say."""
    lines = lines_of(world)
    return Happened(
        tuple(str(line["entered"]) for line in lines if "entered" in line),
        tuple((str(line["call"]), str(line["effect"]), _key(line["key"])) for line in lines if "effect" in line),
        tuple((str(line["call"]), line["result"]) for line in lines_of(acks)),
    )


def _key(found: object) -> str | None:
    return None if found is None else str(found)


async def opened_twice(path: Path, world: Happened) -> tuple[Books, Books]:
    """Open the journal once and once more, as `opened_once`."""
    return await opened_once(path, world), await opened_once(path, world)


async def opened_once(path: Path, world: Happened) -> Books:
    """Open the journal, which recovers it, read it whole, and decide on what is unknown by what the world says."""
    async with open_journal(path) as journal:
        books = await _read(journal)
        assert not journal.damage, journal.damage
        done = {(name, key) for _, name, key in world.effects if key is not None}
        for one in await journal.unknown():
            committed = (one.name, one.key) in done
            await journal.resolve(one.name, one.key, committed=committed, receipt="seen" if committed else None)
        return books


async def _read(journal: Journal) -> Books:
    calls: list[CallRecord] = []
    for summary in await journal.sessions():
        calls += await journal.calls(summary.session)
    return Books(tuple(calls))


def is_sound(path: Path) -> bool:
    """SQLite's own word on the file."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def broken(world: Happened, books: Books) -> list[str]:
    """What is wrong, one line each."""
    return [
        *(f"{one.ref.call_id}: a call without a result" for one in books.calls if one.result is None),
        *_acknowledged(world, books),
        *_effects(world, books),
        *_entered(world, books),
        *(
            f"key {key}: done {count} times"
            for key, count in Counter((name, key) for _, name, key in world.effects if key is not None).items()
            if count > 1
        ),
    ]


def _acknowledged(world: Happened, books: Books) -> list[str]:
    found: list[str] = []
    by_id = books.by_id
    for call, result in world.acknowledged:
        record = by_id.get(call)
        if record is None or record.result is None:
            found.append(f"{call}: its result was acknowledged and is lost")
        elif json.loads(json.dumps(to_json(record.result))) != result:
            found.append(f"{call}: its result is not the one that was acknowledged")
    return found


def _effects(world: Happened, books: Books) -> list[str]:
    did = Counter((call, name) for call, name, _ in world.effects)
    begun: Counter[tuple[str | None, str]] = Counter()
    committed: Counter[tuple[str | None, str]] = Counter()
    named: Counter[tuple[str | None, str]] = Counter()
    for record in books.calls:
        begun.update((record.ref.call_id, one.effect.name) for one in record.effects)
        committed.update(
            (record.ref.call_id, one.effect.name)
            for one in record.effects
            if one.effect.state is EffectState.COMMITTED and one.resolved is None
        )
        if record.result is not None:
            own = [one for one in record.result.effects if one.call is None and not one.earlier]
            named.update((record.ref.call_id, one.name) for one in own if one.state in _KNOWN)
    return [
        *(
            f"{call}: {name} happened {count} times and begun is {begun[call, name]}"
            for (call, name), count in did.items()
            if count > begun[call, name]
        ),
        *(
            f"{call}: {name} happened {count} times and its result names {named[call, name]}"
            for (call, name), count in did.items()
            if count > named[call, name]
        ),
        *(
            f"{call}: {name} is committed and did not happen"
            for (call, name), count in committed.items()
            if count > did[call or "", name]
        ),
    ]


def _entered(world: Happened, books: Books) -> list[str]:
    by_id = books.by_id
    return [
        f"{call}: its body was entered, and the books say it never was"
        for call in world.entered
        if (record := by_id.get(call)) is None or record.result is None or not record.result.dispatched
    ]
