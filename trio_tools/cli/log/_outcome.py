"""What a call came to in a word, and in a colour, which never says more than the word."""

from __future__ import annotations

from enum import Enum

from trio_tools.cli._words import told
from trio_tools.journal import CallRecord
from trio_tools.values import Cause, EffectState

# Milliseconds of a second: what takes less is told in them.
MILLISECONDS = 1000


class Tone(Enum):
    """A colour, by its name in styles of rich."""

    GOOD = "green"
    BAD = "red"
    STOPPED = "yellow"
    OPEN = "magenta"


def word_of(call: CallRecord) -> str:
    """`ok`, its code, or `unsettled`."""
    if call.result is None:
        return "unsettled"
    return "ok" if call.result.code is None else call.result.code


def tone_of(call: CallRecord) -> Tone:
    """The colour of its outcome. What nobody knows the end of, an effect included, is open."""
    if call.result is None or any(is_open(one.effect.state) for one in call.effects):
        return Tone.OPEN
    if not call.result.is_error:
        return Tone.GOOD
    return Tone.BAD if cause_of(call) is None else Tone.STOPPED


def cause_of(call: CallRecord) -> Cause | None:
    """Who ended it; None if nobody did."""
    return call.cause if call.result is None or call.result.cause is None else call.result.cause


def waited(call: CallRecord) -> float | None:
    """Seconds until its body was entered; None if it never was."""
    return min(call.dispatched) - call.accepted if call.dispatched else None


def is_open(state: EffectState) -> bool:
    """Whether nobody knows what became of an effect in this state."""
    return state in {EffectState.BEGUN, EffectState.UNKNOWN}


def lasting(seconds: float | None) -> str:
    """Seconds as a person reads them: `12ms`, `1.5s`, `2m05s`; nothing for None."""
    if seconds is None:
        return ""
    whole = round(seconds * MILLISECONDS)  # Unix seconds are no finer than a part of one, and `told` rounds down
    return f"{max(0, whole)}ms" if whole < MILLISECONDS else told(whole / MILLISECONDS)
