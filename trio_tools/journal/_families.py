"""Which entries belong together, and which must stay: what a store knows of its turns without looking into its file.

A family is a turn with all that the calls in it made. It is written, kept, and removed as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from trio_tools.journal._fold import place_of, turn_in
from trio_tools.journal._queries import OpenCall
from trio_tools.journal._records import EffectResolved, JournalEvent
from trio_tools.values import CallAccepted, CallRef, CallSettled, EffectBegun, EffectEnded, EffectState, Session

# The family of entries that belong to no turn, or to none any more.
NO_FAMILY = 0

_OVER = (EffectState.COMMITTED, EffectState.FAILED)


@attrs.define(eq=False)
class _Family:
    first: int
    turns: set[str] = attrs.field(factory=set[str])
    unsettled: set[tuple[str, int]] = attrs.field(factory=set[tuple[str, int]])


@attrs.frozen
class Unknown:
    """An effect that a call, by its place, has begun and that is not over: the family that it is of, and whose."""

    place: str
    family: int
    session: Session | None


class Families:
    """Follows every entry as it is added. What is settled and certain is forgotten here."""

    def __init__(self) -> None:
        self._of_turn: dict[str, _Family] = {}
        self._unknown: dict[tuple[str, str], list[Unknown]] = {}

    def resume(self, unsettled: Iterable[OpenCall], unknown: Mapping[tuple[str, str], list[Unknown]]) -> None:
        """Take up what a file holds: calls without a result, and unknown effects by name and key."""
        families: dict[int, _Family] = {}
        for call in unsettled:
            family = self._of_turn[call.turn] = families.setdefault(call.family, _Family(call.family))
            family.turns.add(call.turn)
            family.unsettled.add((call.turn, call.position))
        self._unknown.update(unknown)

    def kept(self) -> frozenset[int]:
        """The families that are not to be removed for their age: a call of theirs has no result, or an effect of theirs
        is unknown."""
        unknown = {one.family for effects in self._unknown.values() for one in effects}
        return frozenset({family.first for family in self._of_turn.values()} | unknown)

    def purged(self, session: str | None) -> None:
        """The entries of a session are gone; what is unknown of it stays, and is nobody's."""
        for effects in self._unknown.values():
            effects[:] = [_nobodys(one) if _id_of(one.session) == session else one for one in effects]

    def session_of(self, event: JournalEvent) -> Session | None:
        """On whose behalf that was which an event tells of."""
        if not isinstance(event, EffectResolved):
            return event.ref.session
        unknown = self._unknown.get((event.effect.name, event.effect.key or ""))
        return unknown[-1].session if unknown else None

    def family_of(self, seq: int, event: JournalEvent) -> int:
        """Where an entry belongs that is added as this `seq`."""
        if isinstance(event, EffectResolved):
            unknown = self._unknown.pop((event.effect.name, event.effect.key or ""), None)
            return unknown[-1].family if unknown else NO_FAMILY
        ref = event.ref
        family = self._of_turn.get(ref.turn) or self._relatives(ref) or _Family(seq)
        if isinstance(event, CallAccepted):  # nothing else opens a turn: a straggler of one that is settled must not
            self._of_turn[ref.turn] = family
            family.turns.add(ref.turn)
            family.unsettled.add((ref.turn, ref.position))
        elif isinstance(event, CallSettled):
            self._settled(family, ref)
        elif isinstance(event, EffectBegun):
            if event.key is not None:
                begun = Unknown(place_of(ref), family.first, ref.session)
                self._unknown.setdefault((event.name, event.key), []).append(begun)
        elif isinstance(event, EffectEnded):
            self._ended(event)
        return family.first

    def _relatives(self, ref: CallRef) -> _Family | None:
        for place in (ref.parent, ref.root):
            family = None if place is None else self._of_turn.get(turn_in(place))
            if family is not None:
                return family
        return None

    def _settled(self, family: _Family, ref: CallRef) -> None:
        family.unsettled.discard((ref.turn, ref.position))
        if not family.unsettled:
            for turn in family.turns:
                self._of_turn.pop(turn, None)

    def _ended(self, event: EffectEnded) -> None:
        """What is over is unknown no more; what went through settles what others have begun under its key."""
        effect = event.effect
        if effect.key is None or effect.state not in _OVER:
            return
        key = (effect.name, effect.key)
        place = place_of(event.ref)
        left = [one for one in self._unknown.pop(key, []) if one.place != place]
        if left and effect.state is EffectState.FAILED:
            self._unknown[key] = left


def _id_of(session: Session | None) -> str | None:
    return None if session is None else session.id


def _nobodys(unknown: Unknown) -> Unknown:
    return attrs.evolve(unknown, family=NO_FAMILY, session=None)
