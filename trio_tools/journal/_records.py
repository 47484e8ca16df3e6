"""What a journal keeps, and what is read back from it. Times are Unix seconds: Trio's clock means nothing tomorrow."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from trio_tools.values import CallEvent, CallRef, Cause, Effect, JSONValue, Session, ToolResult


@attrs.frozen(kw_only=True)
class EffectResolved:
    """Somebody has decided what became of an effect that was unknown: `effect` is what holds from now on, committed
    with its receipt, or failed, and its name and key say which it was."""

    effect: Effect


JournalEvent: TypeAlias = CallEvent | EffectResolved


@attrs.frozen(kw_only=True)
class Entry:
    """One entry of the journal: `seq` counts them in the order in which they were written, from 1."""

    seq: int
    time: float  # Unix seconds
    event: JournalEvent


@attrs.frozen(kw_only=True)
class Damage:
    """An entry that cannot be read any more: where it stands in the file, and what is wrong with it. It was set aside;
    the entries behind it were read."""

    place: str
    problem: str

    @property
    def entry(self) -> int | None:
        """The number of the entry, as `Entry.seq` counts them; None where more was damaged than one."""
        what, _, number = self.place.partition(" ")
        return int(number) if what == "entry" and number.isdecimal() else None


@attrs.frozen(kw_only=True)
class SessionSummary:
    """What the journal holds of one session. `session` is None for the calls that were made for nobody."""

    session: Session | None
    first: float  # Unix seconds at which its first call came
    last: float  # Unix seconds of its last entry
    turns: int
    calls: int  # those of turns, not what those made in their turn
    unsettled: int  # without a result: under way, or cut off by a crash that nobody has closed the books on


@attrs.frozen(kw_only=True)
class EffectRecord:
    """An effect of a call, and when. `effect` is what is known now: as it ended, or as somebody decided since."""

    effect: Effect
    begun: float  # Unix seconds
    ended: float | None = None  # Unix seconds; None: nobody saw its end
    resolved: float | None = None  # Unix seconds at which somebody decided, if anybody has


@attrs.frozen(kw_only=True)
class CallRecord:
    """All that the journal knows of one call. Times are Unix seconds; None is what has not happened."""

    ref: CallRef
    accepted: float
    arguments: JSONValue  # the raw text or value as it came, redacted, cut to a bound; None: no JSON, or damaged
    metadata: JSONValue = None
    decided: float | None = None
    allowed: bool | None = None
    reason: str | None = None  # why it was denied
    dispatched: tuple[
        float, ...
    ] = ()  # each time its body was about to be entered, though a cancel may have come first
    effects: tuple[EffectRecord, ...] = ()  # its own, in order of their beginning
    cancelled: float | None = None  # when it was given up
    cause: Cause | None = None  # by whom
    settled: float | None = None
    result: ToolResult | None = None


@attrs.frozen(kw_only=True)
class UnknownEffect:
    """An effect that waits for somebody's decision: until then nothing is done again under its key."""

    name: str
    key: str
    ref: CallRef  # of the call that began it
    begun: float  # Unix seconds
    error: str | None = None  # why it is unknown, if that is known
