"""What a call came to in a word, and in a colour, which never says more than the word."""

from __future__ import annotations

from enum import Enum

from trio_tools.cli._words import told
from trio_tools.journal import CallRecord
from trio_tools.values import EffectState

# Milliseconds of a second: what takes less is told in them.
MILLISECONDS = 1000


class Tone(Enum):
    """A colour, by its name in styles of rich."""

    GOOD = "green"
    BAD = "red"
    STOPPED = "yellow"
    OPEN = "magenta"


def word(call: CallRecord) -> str:
    """`ok`, its code, or `unsettled`."""
    if call.result is None:
        return "unsettled"
    return "ok" if call.result.code is None else call.result.code


def tone(call: CallRecord) -> Tone:
    """The colour of its outcome. What nobody knows the end of, an effect included, is open."""
    if call.result is None or any(is_open(one.effect.state) for one in call.effects):
        return Tone.OPEN
    if not call.result.is_error:
        return Tone.GOOD
    return Tone.BAD if call.result.cause is None else Tone.STOPPED


def is_open(state: EffectState) -> bool:
    """Whether nobody knows what became of an effect in this state."""
    return state in {EffectState.BEGUN, EffectState.UNKNOWN}


def lasting(seconds: float | None) -> str:
    """Seconds as a person reads them: `12ms`, `1.5s`, `2m05s`; nothing for None."""
    if seconds is None:
        return ""
    return f"{max(0.0, seconds) * MILLISECONDS:.0f}ms" if seconds < 1 else told(seconds)
