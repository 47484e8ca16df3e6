"""Claims: a wrapper's word on what it means if its time is what ends the call, and who owns an expiry.

Ownership goes by time: of all causes (the caller, an operator, every claim, a wrapper's own scope) the first that fell
due owns the call, and of equal deadlines the outermost. Trio's flags cannot tell: an inner deadline and an outer cancel
leave them the same in both orders. What it does tell is what cancelled a scope first, to whoever is cancelled in it.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import attrs
import trio

from trio_tools.values import Cause, ErrorCode, ErrorInfo, Outcome, ToolResult

if TYPE_CHECKING:
    from trio_tools.pipeline._state import CallState

# Codes that only the registry can vouch for.
VOUCHED = (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH)


class Claim:
    """One budget in force: when it is `due` (seconds on Trio's clock), and the `outcome` if that ends the call."""

    __slots__ = ("around", "before_caller", "by_deadline", "cause", "due", "expired", "idle", "outcome", "place")

    def __init__(self, place: int, seconds: float, outcome: ErrorInfo, *, renew: bool) -> None:
        self.place = place  # of the wrapper, 0 outermost
        self.due = trio.current_time() + seconds
        self.outcome = outcome
        self.idle = seconds if renew else None  # seconds that each progress report gives anew
        self.cause = Cause.IDLE if renew else Cause.DEADLINE
        self.around = trio.current_effective_deadline()  # of what is around it, as it was when it began
        self.before_caller = False  # whether Trio had processed it before the deadline that ended the call from outside
        self.expired = False  # whether it was due when the inner call was back
        self.by_deadline = True  # whether what first cancelled the inner call, if anything did, was a deadline

    async def look(self) -> None:
        """Note, inside the claim's scope, that it is due, and what cancelled the scope first.

        **Cancellation**: not raised. One pass lets Trio process what fell due while a body blocked the loop.
        """
        self.expired = True
        try:
            await trio.lowlevel.checkpoint()
        except trio.Cancelled as cancelled:
            self.by_deadline = cancelled.source == "deadline"


def earliest(claims: tuple[Claim, ...]) -> float:
    """When the first of these claims is due, in seconds on Trio's clock; `inf` if there is none."""
    if len(claims) == 1:
        return claims[0].due
    return min([claim.due for claim in claims]) if claims else inf


def note_order(claims: tuple[Claim, ...], now: float) -> None:
    """A deadline outside has just been processed: note which claims Trio had processed before it.

    It takes those that have passed in order, so a claim that it has taken already was earlier. One that it has not is
    still among its next deadlines. That holds for a loop that was blocked over several, and for deadlines that were
    moved since anybody looked.
    """
    next_deadline = now + trio.lowlevel.current_statistics().seconds_to_next_deadline
    for claim in claims:
        # equal deadlines are taken in any order, and the outermost is to own
        claim.before_caller = claim.due <= now and claim.due < next_deadline and claim.due != claim.around


def claimed(call: CallState, claim: Claim, result: ToolResult) -> ToolResult:
    """What the wrapper has claimed, if its time was the first cause to fall due; else the result as it is."""
    if not claim.expired:
        return result
    if not _owns(call, claim):
        return _credited(call, claim, result)
    superseded = _superseded(result)
    call.claim, call.due = claim, claim.due
    return call.failed(claim.outcome, superseded=superseded, cause=claim.cause)


def _credited(call: CallState, claim: Claim, result: ToolResult) -> ToolResult:
    """The result of a call that its time has cut, and that somebody outside had given up by then: it is theirs. When it
    was cut they may not have been noted, and a wrapper's scope was all there was."""
    if result.cause is not Cause.WRAPPER or call.cause is None or call.cancelled_at > claim.due:
        return result
    return call.mint(attrs.evolve(result, cause=call.cause))


def _owns(call: CallState, claim: Claim) -> bool:
    due = claim.due
    if call.claim is not None and call.claim.due < due:
        return False  # one further in was earlier
    if earliest(call.claims) <= due or call.due_outside(due) <= due:
        return False  # one further out was, or the caller's deadline
    if claim.place > 0 and not claim.by_deadline:
        return False  # a wrapper further out had cancelled by hand
    if call.cause is not None:
        first = claim.before_caller if call.ended_by_deadline else due < call.cancelled_at
        # a wrapper's own deadline is not told us: what counts is the one that was in force round the claim
        return first and (claim.place == 0 or due < claim.around)
    around = trio.current_effective_deadline()
    # -inf: a wrapper further out has run out of time too
    return due < (around if around > -inf else claim.around)


def _superseded(result: ToolResult) -> Outcome | None:
    """What a claim replaces: what the tool came to, not what was made of it on the way out."""
    if result.error is None:
        return result.outcome
    if result.superseded is not None or result.code in VOUCHED or result.cause is not None:
        return result.superseded
    return result.outcome
