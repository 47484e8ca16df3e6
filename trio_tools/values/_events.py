"""What a recorder is told, in order: accepted, decided, dispatching, effects, settled."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from trio_tools.values._call import Session
from trio_tools.values._errors import Cause
from trio_tools.values._json import JSONValue
from trio_tools.values._result import Effect, ToolResult


@attrs.frozen(kw_only=True)
class CallRef:
    """Which call an event speaks of: the `position`-th of `turn` (a random name that no other turn has)."""

    turn: str
    position: int
    call_id: str | None
    tool: str
    session: Session | None = None
    parent: str | None = None  # "turn/position" of the call that made this one
    root: str | None = None  # "turn/position" of the outermost call, its own if no other made it; None in older records


@attrs.frozen(kw_only=True)
class CallAccepted:
    """The call has come. Those of a turn are told one after the other, before anything of it begins. `arguments` is the
    raw text or value as it came, cut to a bound."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    arguments: JSONValue
    metadata: JSONValue


@attrs.frozen(kw_only=True)
class CallDecided:
    """The policies have spoken: allowed, or not and why."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    allowed: bool
    reason: str | None = None


@attrs.frozen(kw_only=True)
class CallDispatching:
    """The body is about to be entered for the `attempt`-th time; it is entered only if this was recorded."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    attempt: int
    read_only: bool = False  # what its tool declares: a recorder may then let it begin before this is on disk


@attrs.frozen(kw_only=True)
class EffectBegun:
    """An effect is about to happen; it happens only if this was recorded."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    name: str
    key: str | None = None


@attrs.frozen(kw_only=True)
class EffectEnded:
    """An effect came to an end."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    effect: Effect


@attrs.frozen(kw_only=True)
class CallSettled:
    """The result, exactly once. `cancelled_at` is when the call was given up, if it was, and `cause` by whom."""

    ref: CallRef
    at: float  # seconds on Trio's clock
    result: ToolResult
    cancelled_at: float | None = None  # seconds on Trio's clock
    cause: Cause | None = None


CallEvent: TypeAlias = CallAccepted | CallDecided | CallDispatching | EffectBegun | EffectEnded | CallSettled
