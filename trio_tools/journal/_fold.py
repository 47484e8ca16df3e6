"""What the entries of calls come to: one record for each call, whatever is missing of it."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from trio_tools.journal._records import CallRecord, EffectRecord, EffectResolved, Entry
from trio_tools.values import (
    CallAccepted,
    CallDecided,
    CallDispatching,
    CallRef,
    CallSettled,
    Cause,
    Effect,
    EffectBegun,
    EffectEnded,
    EffectState,
    JSONValue,
    ToolResult,
)

OPEN = frozenset((EffectState.BEGUN, EffectState.UNKNOWN))  # nobody knows what became of it
ENDED_INSIDE = "the process that did it ended in the middle of it"  # what recovery says of an effect


def place_of(ref: CallRef) -> str:
    """What events call a call whose ref this is."""
    return f"{ref.turn}/{ref.position}"


def turn_in(place: str) -> str:
    """The turn of the call that events call so."""
    return place.rpartition("/")[0]


@attrs.define(eq=False)
class Draft:
    """A call, as far as its entries have been read: a `CallRecord` in the making. `named` are the effects that its
    result will name if it has none: its own, and those of the calls that it made, in the order in which the kernel
    learns of them."""

    ref: CallRef
    accepted: float  # Unix seconds, as all times here
    first: int  # the number of the first entry that is there of it
    arguments: JSONValue = None
    metadata: JSONValue = None
    decided: tuple[float | None, bool | None, str | None] = (None, None, None)  # when, whether allowed, and why not
    dispatched: list[float] = attrs.field(factory=list[float])
    effects: list[EffectRecord] = attrs.field(factory=list[EffectRecord])
    settled: tuple[float, CallSettled] | None = None
    named: list[Effect] = attrs.field(factory=list[Effect])
    _own: list[int] = attrs.field(factory=list[int])  # the place of each of `effects` among the named

    @property
    def result(self) -> ToolResult | None:
        """What it came to."""
        return None if self.settled is None else self.settled[1].result

    def finished(self) -> CallRecord:
        """All that is known of it."""
        at, event = (None, None) if self.settled is None else self.settled
        cancelled = None
        if at is not None and event is not None and event.cancelled_at is not None:
            cancelled = at - (event.at - event.cancelled_at)  # on Trio's clock only the span between two means anything
        decided, allowed, reason = self.decided
        return CallRecord(
            ref=self.ref,
            accepted=self.accepted,
            arguments=self.arguments,
            metadata=self.metadata,
            decided=decided,
            allowed=allowed,
            reason=reason,
            dispatched=tuple(self.dispatched),
            effects=tuple(self.effects),
            cancelled=cancelled,
            cause=None if event is None else event.cause,
            settled=at,
            result=self.result,
        )

    def begin(self, begun: float, effect: Effect) -> None:
        """An effect of its own, begun at that many Unix seconds."""
        self._own.append(len(self.named))
        self.named.append(effect)
        self.effects.append(EffectRecord(effect=effect, begun=begun))

    def change(self, index: int, effect: EffectRecord) -> None:
        """Something more is known of an effect of its own."""
        self.effects[index] = effect
        self.named[self._own[index]] = effect.effect


class Fold:
    """Calls by place, in the order of their first entries. Give it entries in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.drafts: dict[str, Draft] = {}
        for entry in entries:
            self.take(entry)

    def take(self, entry: Entry) -> None:
        """Read one more entry."""
        event = entry.event
        if isinstance(event, EffectResolved):
            for one in self.drafts.values():
                _resolve(one, entry.time, event.effect)
            return
        draft = self._of(event.ref, entry)
        match event:
            case CallAccepted():
                draft.arguments, draft.metadata = event.arguments, event.metadata
            case CallDecided():
                draft.decided = (entry.time, event.allowed, event.reason)
            case CallDispatching():
                draft.dispatched.append(entry.time)
            case EffectBegun(name=name, key=key):
                draft.begin(entry.time, Effect(name, EffectState.BEGUN, key=key))
            case EffectEnded(effect=effect):
                _end(draft, entry.time, effect)
            case CallSettled():
                self._settle(draft, entry.time, event)

    def records(self) -> list[CallRecord]:
        """What all of it comes to."""
        return [draft.finished() for draft in self.drafts.values()]

    def _of(self, ref: CallRef, entry: Entry) -> Draft:
        place = place_of(ref)
        if place not in self.drafts:
            # if it is not its acceptance, that was damaged: what is left of the call is better than nothing of it
            self.drafts[place] = Draft(ref, entry.time, entry.seq)
        return self.drafts[place]

    def _settle(self, draft: Draft, time: float, event: CallSettled) -> None:
        draft.settled = (time, event)
        for index, known in enumerate(draft.effects):
            if known.effect.state is EffectState.BEGUN:
                draft.change(index, attrs.evolve(known, effect=_let_go(known.effect, event.result.effects)))
            elif known.effect.error == ENDED_INSIDE and event.cause is Cause.CRASH:
                draft.change(index, attrs.evolve(known, ended=None))  # that was when the books were closed
        maker = None if event.ref.parent is None else self.drafts.get(event.ref.parent)
        if maker is not None and maker.result is None:
            place = place_of(event.ref)
            maker.named += [attrs.evolve(one, call=one.call or place) for one in event.result.effects]


def _end(draft: Draft, time: float, effect: Effect) -> None:
    for index, known in enumerate(draft.effects):
        if known.ended is None and (known.effect.name, known.effect.key) == (effect.name, effect.key):
            draft.change(index, attrs.evolve(known, effect=effect, ended=time))
            return
    draft.begin(time, effect)  # how it began was damaged
    draft.change(len(draft.effects) - 1, EffectRecord(effect=effect, begun=time, ended=time))


def _let_go(effect: Effect, told: tuple[Effect, ...]) -> Effect:
    """An effect whose end is not told before that of its call: as the result has it, whether its tool let go of it or
    the record of its end is damaged."""
    for one in told:
        if (one.name, one.key, one.call) == (effect.name, effect.key, None) and one.state is not EffectState.BEGUN:
            return one
    return attrs.evolve(effect, state=EffectState.UNKNOWN)


def _resolve(draft: Draft, time: float, effect: Effect) -> None:
    for index, known in enumerate(draft.effects):
        of_this = (known.effect.name, known.effect.key) == (effect.name, effect.key)
        if of_this and known.effect.state in OPEN:
            draft.change(index, attrs.evolve(known, effect=effect, resolved=time))


def in_call_order(fold: Fold) -> list[CallRecord]:
    """Turns by their first entry, their calls by position, and behind each call those that it made, likewise."""
    turns: dict[str | None, dict[str, list[CallRecord]]] = {}
    for record in fold.records():
        maker = record.ref.parent if record.ref.parent in fold.drafts else None
        turns.setdefault(maker, {}).setdefault(record.ref.turn, []).append(record)

    def made_by(maker: str | None) -> list[CallRecord]:
        made = turns.get(maker, {}).values()
        return [record for turn in made for record in sorted(turn, key=lambda one: one.ref.position)]

    ordered: list[CallRecord] = []
    waiting = made_by(None)[::-1]
    while waiting:
        record = waiting.pop()
        ordered.append(record)
        waiting += made_by(place_of(record.ref))[::-1]
    return ordered
