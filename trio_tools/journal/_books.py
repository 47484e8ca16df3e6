"""The books: what is told of calls goes into a store, and is read out of it as what it comes to."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterable, Sequence

import trio

from trio_tools.formats import history
from trio_tools.journal._errors import JournalError
from trio_tools.journal._fold import OPEN, Fold, in_call_order, place_of
from trio_tools.journal._history import turns_of
from trio_tools.journal._keys import Attempt, counting, last
from trio_tools.journal._records import CallRecord, Damage, EffectResolved, Entry, SessionSummary, UnknownEffect
from trio_tools.journal._redact import Redaction
from trio_tools.journal._store import Store
from trio_tools.tool import MAX_RESULT_BYTES
from trio_tools.values import (
    CallDispatching,
    CallEvent,
    CallSettled,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    JSONValue,
    NotJSON,
    Session,
    check_text,
    to_plain,
)


class Journal:
    """A durable record of calls: a recorder, the ledger of idempotency keys, and what can be read of both.

    Made by `open_journal` and `memory_journal`, and of use as long as their block. Where a session is asked for, give
    its id, a `Session`, or None for the calls that were made for nobody.
    """

    def __init__(self, store: Store, *, redact: Iterable[str] = ()) -> None:
        self._store = store
        self._redaction = Redaction(redact)
        # From Trio's clock to Unix seconds, once: a wall clock that is set anew meanwhile puts no entry before another.
        self._offset = time.time() - trio.current_time()
        self._deciding = trio.Lock()
        self._beginning: set[tuple[str, str]] = set()  # names and keys of effects that are being looked up to begin
        self._added = 0  # the last entry that was given to the store

    @property
    def damage(self) -> Sequence[Damage]:
        """What could not be read any more, and was set aside."""
        return self._store.damage

    def now(self) -> float:
        """The Unix seconds that an entry of now has."""
        return trio.current_time() + self._offset

    def record(self, event: CallEvent) -> Awaitable[None] | None:
        """Take in one event of a call: the recorder that a registry is given.

        What is returned is to be awaited: it waits until the event survives a crash, where something hangs on it:
        before a body runs (unless its tool is `read_only`) and before an effect begins, after an effect has ended and
        once a call has settled. Other events are written with those, and nothing is returned.

        Raises `JournalError`, here or where it is awaited, if the event cannot be written, and for the beginning of an
        effect whose key says that it is not to be done.

        **Cancellation**: the wait ends; the event may have been written all the same, or still be.
        """
        if isinstance(event, EffectBegun) and event.key is not None:
            return self._begun(event, (event.name, event.key))
        added = self._add(event)
        if isinstance(event, CallDispatching):
            must_last = not event.read_only
        else:
            must_last = isinstance(event, (CallSettled, EffectBegun, EffectEnded))
        return self._store.written(added) if must_last else None

    async def flushed(self) -> None:
        """Wait until all events that were recorded so far survive a crash, those too that nothing has waited for.

        Raises `JournalError` if they cannot be written.

        **Cancellation**: the wait ends; they may have been written all the same, or still be.
        """
        await self._store.written(self._added)

    def _add(self, event: CallEvent) -> int:
        self._added = self._store.add(event.at + self._offset, self._redaction(event))
        return self._added

    async def _begun(self, event: EffectBegun, name_and_key: tuple[str, str]) -> None:
        """Look once more, now that it begins: another registry on this journal may have asked and begun meanwhile."""
        if name_and_key in self._beginning:
            raise JournalError(f"{_called(*name_and_key)} is begun by another call in this moment")
        self._beginning.add(name_and_key)
        try:
            found = counting(await self._keyed(*name_and_key))
            if found is not None:
                state = found.effect.state.value
                raise JournalError(f"{_called(*name_and_key)} is not begun again: another call has, and it is {state}")
            added = self._add(event)
        finally:
            self._beginning.discard(name_and_key)
        await self._store.written(added)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def sessions(self) -> tuple[SessionSummary, ...]:
        """What there is, by the first call of each session. Raises `JournalError` if it cannot be read.

        **Cancellation**: nothing has happened, as of all that only reads.
        """
        return tuple(await self._store.sessions())

    async def calls(self, session: str | Session | None) -> tuple[CallRecord, ...]:
        """All that is known of the calls of a session: turns by their first entry, their calls in call order, and
        behind each call those that it made in its turn. Raises `JournalError` if it cannot be read.

        **Cancellation**: nothing has happened.
        """
        return tuple(in_call_order(await self._fold(session)))

    async def history(self, session: str | Session | None, *, form: str = "plain") -> list[JSONValue]:
        """The messages of a session that a provider can be sent: every call of a model with its one result, turns by
        their first entry, and the same each time.

        Argument: `form`, one of `plain`, `openai` and `anthropic`. Left out are turns of which a call has not settled,
        and those that calls of this session have made in their turn: no model has asked for them.

        Raises `ValueError` for another form, and `JournalError` if it cannot be read.

        **Cancellation**: nothing has happened.
        """
        return history(turns_of(await self._fold(session)), form)

    async def _fold(self, session: str | Session | None) -> Fold:
        return Fold(await self._store.session(_id_of(session)))

    # --- effects ---------------------------------------------------------------------------------------------------

    async def effect(self, name: str, key: str) -> Effect | None:
        """What is known of the effect of this name and key: `committed`, or else `begun` or `unknown` if nobody saw its
        end and nobody has decided. None if it was never begun, or has failed: then it may be done.

        Raises `JournalError` if it cannot be read.

        **Cancellation**: nothing has happened.
        """
        found = counting(await self._keyed(name, key))
        return None if found is None else found.effect

    async def _keyed(self, name: str, key: str) -> list[Entry]:
        try:
            check_text(name)
            check_text(key)
        except NotJSON:  # what cannot be written has not been
            return []
        return await self._store.keyed(name, key)

    async def unknown(self) -> tuple[UnknownEffect, ...]:
        """The effects with a key that wait for a decision: begun, and neither seen to end nor decided on. Those that
        are under way are not among them. Raises `JournalError` if it cannot be read.

        **Cancellation**: nothing has happened.
        """
        found: list[UnknownEffect] = []
        for entry in await self._store.unknown():
            begun = entry.event
            if not isinstance(begun, EffectBegun) or begun.key is None:
                continue
            one = counting(await self._store.keyed(begun.name, begun.key))
            if one is not None and one.effect.state in OPEN and not await self._is_under_way(one):
                error = one.effect.error
                found.append(UnknownEffect(name=begun.name, key=begun.key, ref=one.ref, begun=one.begun, error=error))
        return tuple(found)

    async def resolve(self, name: str, key: str, *, committed: bool, receipt: object = None) -> Effect:
        """Say what became of an effect that is unknown, and return it as it is known from now on.

        Arguments: `name` and `key` of the effect; `committed`, whether it went through; `receipt`, what `irreversible`
        is to give whoever asks for it again, JSON by the rules for results. One that did not go through may be done
        again.

        Raises `JournalError` if it is not unknown, saying what it is, and if that cannot be written; `ValueError` for a
        receipt of what did not go through, and `NotJSON` for one that is not JSON.

        **Cancellation**: it may have been decided or not; `effect` tells.
        """
        if not committed and receipt is not None:
            raise ValueError("an effect that did not go through has no receipt: leave it out, or say committed=True")
        kept = to_plain(receipt, max_bytes=MAX_RESULT_BYTES)
        async with self._deciding:
            await self._check_unknown(name, key)
            effect = Effect(name, EffectState.COMMITTED, kept, key=key)
            if not committed:
                effect = Effect(name, EffectState.FAILED, error="it was decided that it did not go through", key=key)
            await self._store.written(self._store.add(self.now(), EffectResolved(effect=effect)))
        return effect

    async def _check_unknown(self, name: str, key: str) -> None:
        entries = await self._keyed(name, key)
        counts, begun_last = counting(entries), last(entries)
        what = _called(name, key)
        if begun_last is None:
            raise JournalError(f"{what} is not in this journal: nothing was begun under it")
        if counts is None:
            raise JournalError(
                f"{what} is not unknown: it has failed ({begun_last.effect.error}), and may be done again"
            )
        if counts.effect.state is EffectState.COMMITTED:
            raise JournalError(f"{what} is not unknown: it went through")
        if await self._is_under_way(counts):
            raise JournalError(f"{what} is not unknown: it is under way; wait until its call has settled")

    async def _is_under_way(self, one: Attempt) -> bool:
        """Whether its call may still see its end."""
        if one.has_ended:
            return False
        draft = (await self._fold(one.ref.session)).drafts.get(place_of(one.ref))
        return draft is not None and draft.result is None

    # --- keeping house ---------------------------------------------------------------------------------------------

    async def purge(self, session: str | Session | None) -> int:
        """Remove a session with all that it holds, for good, and return how many calls that were. Its keys are
        forgotten, but for effects that are unknown.

        Raises `JournalError` while calls of it are under way, and if it cannot be written.

        **Cancellation**: it may be gone or not, as a whole.
        """
        return await self._store.purge(_id_of(session))


def _id_of(session: str | Session | None) -> str | None:
    if session is None:
        return None
    return session.id if isinstance(session, Session) else Session(session).id


def _called(name: str, key: str) -> str:
    return f"the effect {name!r} with key {key!r}"
