"""What is known of an idempotency key: which of its effects counts, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from trio_tools.journal._fold import OPEN, place_of
from trio_tools.journal._records import EffectResolved, Entry
from trio_tools.values import CallRef, Effect, EffectBegun, EffectEnded, EffectState


@attrs.define
class Attempt:
    """One time that an effect was begun under its key: by which call, when (Unix seconds), and what became of it."""

    ref: CallRef
    begun: float  # Unix seconds
    effect: Effect
    entry: Entry
    has_ended: bool = False


def attempts(entries: Iterable[Entry]) -> list[Attempt]:
    """The attempts that entries speak of, all of one name and key."""
    made: list[Attempt] = []
    for entry in entries:
        match entry.event:
            case EffectBegun(ref=ref, name=name, key=key):
                made.append(Attempt(ref, entry.time, Effect(name, EffectState.BEGUN, key=key), entry))
            case EffectEnded(ref=ref, effect=effect):
                own = [one for one in made if not one.has_ended and place_of(one.ref) == place_of(ref)]
                if not own:  # how it began was damaged
                    own = [Attempt(ref, entry.time, effect, entry)]
                    made += own
                own[-1].effect, own[-1].has_ended = effect, True
            case EffectResolved(effect=effect):
                for one in made:
                    if one.effect.state in OPEN:
                        one.effect = effect
            case _:
                pass
    return made


def counting(entries: Iterable[Entry]) -> Attempt | None:
    """The attempt that counts for who asks for the effect again: the last that went through, or else the last of which
    nobody knows. None: it may be done."""
    made = attempts(entries)
    through = [one for one in made if one.effect.state is EffectState.COMMITTED]
    unknown = [one for one in made if one.effect.state in OPEN]
    return through[-1] if through else unknown[-1] if unknown else None


def last(entries: Iterable[Entry]) -> Attempt | None:
    """The attempt that was begun last, whatever became of it."""
    made = attempts(entries)
    return made[-1] if made else None
