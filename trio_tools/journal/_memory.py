"""A store that keeps its entries in memory, for as long as it is held itself."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from trio_tools.journal._errors import under_way
from trio_tools.journal._fold import OPEN, turn_in
from trio_tools.journal._keys import counting
from trio_tools.journal._records import Damage, EffectResolved, Entry, JournalEvent, SessionSummary
from trio_tools.journal._store import GIVEN
from trio_tools.values import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallEvent,
    CallRef,
    CallSettled,
    Effect,
    EffectBegun,
    EffectEnded,
)


class MemoryStore:
    """Entries by turn, and those that speak of keys. It has no bound: it is for tests, and for runs that need none."""

    def __init__(self) -> None:
        self._added = 0
        self._turns: dict[str, list[Entry]] = {}  # by the first entry of each
        self._decisions: list[Entry] = []
        self._keys: dict[tuple[str, str], list[Entry]] = {}

    @property
    def damage(self) -> Sequence[Damage]:
        """Nothing: memory is not damaged."""
        return ()

    def add(self, time: float, event: JournalEvent) -> int:
        """Keep an entry of that many Unix seconds."""
        self._added += 1
        entry = Entry(seq=self._added, time=time, event=event)
        if isinstance(event, EffectResolved):
            self._decisions.append(entry)
        else:
            self._turns.setdefault(event.ref.turn, []).append(entry)
        name_and_key = _key_of(event)
        if name_and_key is not None:
            self._keys.setdefault(name_and_key, []).append(entry)
        return entry.seq

    def written(self, added: int) -> Awaitable[None]:
        """Nothing is waited for."""
        return GIVEN

    async def session(self, session: str | None) -> list[Entry]:
        """As `Store.session`.

        **Cancellation**: no checkpoint, as of all that is asked of memory.
        """
        found = [entry for turn in self._turns_of(session) for entry in turn]
        keys = {_key_of(entry.event) for entry in found} - {None}
        found += [entry for entry in self._decisions if _key_of(entry.event) in keys]
        return sorted(found, key=lambda entry: entry.seq)

    async def sessions(self) -> list[SessionSummary]:
        """As `Store.sessions`.

        **Cancellation**: no checkpoint.
        """
        ids = dict.fromkeys(_session_of(turn) for turn in self._turns.values())
        return [_summary(self._turns_of(one)) for one in ids]

    async def unsettled(self) -> list[Entry]:
        """As `Store.unsettled`.

        **Cancellation**: no checkpoint.
        """
        names: set[str] = set()
        for name, turn in self._turns.items():  # a turn comes after the call that made it
            parent = _ref(turn).parent
            if _unsettled(turn) or (parent is not None and turn_in(parent) in names):
                names.add(name)
        found = [entry for name in names for entry in self._turns[name]]
        return sorted(found, key=lambda entry: entry.seq)

    async def keyed(self, name: str, key: str) -> list[Entry]:
        """As `Store.keyed`.

        **Cancellation**: no checkpoint.
        """
        return list(self._keys.get((name, key), ()))

    async def unknown(self) -> list[Entry]:
        """As `Store.unknown`.

        **Cancellation**: no checkpoint.
        """
        counted = [counting(entries) for entries in self._keys.values()]
        return [one.entry for one in counted if one is not None and one.effect.state in OPEN]

    async def purge(self, session: str | None) -> int:
        """As `Store.purge`.

        **Cancellation**: no checkpoint.
        """
        running = sum(len(_unsettled(turn)) for turn in self._turns_of(session))
        if running:
            raise under_way(running)
        gone = {_ref(turn).turn for turn in self._turns_of(session)}
        calls = sum(isinstance(entry.event, CallAccepted) for name in gone for entry in self._turns.pop(name))
        for name_and_key, entries in list(self._keys.items()):
            counts = counting(entries)
            if counts is None or counts.effect.state not in OPEN:
                self._forget(name_and_key, gone)
        return calls

    def _forget(self, name_and_key: tuple[str, str], turns: set[str]) -> None:
        """Forget what calls of these turns did under a key, and what was decided on it if nothing else is left."""
        kept = [one for one in self._keys[name_and_key] if _turn_of(one) not in turns]
        if any(_turn_of(one) is not None for one in kept):
            self._keys[name_and_key] = kept
        else:
            del self._keys[name_and_key]
            self._decisions = [one for one in self._decisions if _key_of(one.event) != name_and_key]

    def _turns_of(self, session: str | None) -> list[list[Entry]]:
        return [turn for turn in self._turns.values() if _session_of(turn) == session]


def _ref(turn: list[Entry]) -> CallRef:
    event = turn[0].event
    assert not isinstance(event, EffectResolved)  # which are kept apart
    return event.ref


def _session_of(turn: list[Entry]) -> str | None:
    session = _ref(turn).session
    return None if session is None else session.id


def _turn_of(entry: Entry) -> str | None:
    """The turn whose entry it is; None of a decision."""
    return None if isinstance(entry.event, EffectResolved) else entry.event.ref.turn


def _key_of(event: JournalEvent) -> tuple[str, str] | None:
    """The name and key that an event speaks of, if it does."""
    match event:
        case EffectBegun(name=name, key=str() as key):
            return name, key
        case (
            EffectEnded(effect=Effect(name=name, key=str() as key))
            | EffectResolved(effect=Effect(name=name, key=str() as key))
        ):
            return name, key
        case _:
            return None


def _positions(turn: list[Entry], *kinds: type[CallEvent]) -> set[int]:
    return {entry.event.ref.position for entry in turn if isinstance(entry.event, kinds)}


def _unsettled(turn: list[Entry]) -> set[int]:
    """Whatever begins a call or goes on with it tells that it was accepted. What only ends an effect may be late."""
    return _positions(turn, CallAccepted, CallDecided, CallDispatching, EffectBegun) - _positions(turn, CallSettled)


def _summary(turns: list[list[Entry]]) -> SessionSummary:
    own = [turn for turn in turns if _ref(turn).parent is None]
    return SessionSummary(
        session=_ref(turns[0]).session,
        first=turns[0][0].time,
        last=max(turn[-1].time for turn in turns),
        turns=len(own),
        calls=sum(len(_positions(turn, CallAccepted)) for turn in own),
        unsettled=sum(len(_unsettled(turn)) for turn in turns),
    )
