"""One call on its way: what is known of it, who gave it up and when, and the scopes that stop it.

Whoever gives a call up first is noted with the time, and the body is stopped through the private scopes that are open
then. `_claim.py` says who owns the outcome.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import attrs
import trio

from trio_tools.pipeline._claim import Claim, earliest, note_order
from trio_tools.pipeline._identity import Identity
from trio_tools.tool import Tool
from trio_tools.values import (
    ABORTED,
    ABORTED_BEFORE_DISPATCH,
    EMPTY,
    CallToken,
    Cause,
    Content,
    Effect,
    ErrorInfo,
    FrozenDict,
    JSONValue,
    Outcome,
    ToolCall,
    ToolResult,
    failure_content,
    safe,
)

if TYPE_CHECKING:
    from trio_tools.pipeline._core import Recorder
    from trio_tools.pipeline._job import JobState
    from trio_tools.pipeline._turn import Turn


class CallState:
    """Everything that changes about a call. Its stages share it; nobody outside the pipeline sees it.

    What most calls never touch stays at its class's default, which makes a call cheap to begin and small in flight.
    """

    _token: CallToken | None = None
    _identity: Identity | None = None
    # intake
    around_it: CallState | None = None  # the call whose body made this one, in whichever registry
    parent: Identity | None = None  # of the call of this registry that made it, if one did
    job: JobState | None = None  # that makes it, or a call around it
    late = False  # it came when the registry was draining, and is refused
    tool: Tool | None = None
    arguments: FrozenDict | None = None  # None: they could not be read
    values: dict[str, object]
    refused: ErrorInfo | None = None
    # where it is
    stage = "queued"
    since: float  # seconds on Trio's clock at which it entered this stage
    task: trio.lowlevel.Task | None = None
    thread: int | None = None
    exclusive = False
    over = False  # classified: nothing changes the result any more
    # who gave it up
    cause: Cause | None = None
    cancelled_at = inf  # seconds on Trio's clock
    reason: str | None = None
    ended_by_deadline = False  # whether it was a deadline that gave it up
    scope: trio.CancelScope | None = None  # its own, round all of its stages
    scopes: tuple[tuple[trio.CancelScope, tuple[Claim, ...]], ...] = ()  # private, open now; and the claims they obey
    claims: tuple[Claim, ...] = ()  # open now, outermost first
    looked: float | None = None  # seconds: the deadline in force right before dispatch, where it is known already
    seen = inf  # the earliest deadline that was in force round a wrapper when it began
    claim: Claim | None = None  # the one that holds, should a cancel cut the chain above it
    # what came of it
    attempts = 0  # how often the body was entered
    last: ToolResult | None = None  # what the body came to, the last time it ran
    exception: BaseException | None = None  # what the body, a wrapper or a policy raised last
    minted: ToolResult | None = None  # the last result made here, known to be sound
    body_contexts: tuple[JSONValue, ...] = ()
    other_contexts: tuple[JSONValue, ...] = ()
    effects: tuple[Effect, ...] = ()  # of all attempts, as they began; those of nested calls as these settled
    concludes = False
    heard: tuple[Recorder, ...] = ()  # who were told that it was accepted, and so hear of the rest
    unrecorded: ErrorInfo | None = None  # why a recorder could not note a step before it: the call is refused
    claimed_at: float | None = None  # seconds: when the budget that ended it ran out
    holds: trio.CapacityLimiter | None = None  # the pool whose token it holds
    lending: trio.CapacityLimiter | None = None  # that token, for calls that its body makes
    awaits: trio.CapacityLimiter | None = None  # where it waits for a token now
    lender: CallState | None = None  # that may lend it one meanwhile
    final = False  # a policy or a wrapper has failed: nobody reviews the result
    misnested: RuntimeError | None = None  # Trio's, if the body left a scope of its own open
    redacted = False  # a post-policy has replaced the content
    reviewed = False  # a post-policy has replaced or withheld the content or the value, of it or of a nested call
    result: ToolResult | None = None  # published

    def __init__(self, turn: Turn, position: int, call: ToolCall) -> None:
        self.turn = turn
        self.position = position
        self.call = call
        self.name = safe(call.name)  # the name that was called, in a form that UTF-8 can carry
        self.since = turn.began

    @property
    def token(self) -> CallToken:
        """Made when somebody first asks for it."""
        if self._token is None:
            self._token = CallToken()
        return self._token

    @property
    def identity(self) -> Identity:
        """Made when somebody first asks for it."""
        if self._identity is None:
            made_for = None if self.parent is None else self.parent.root
            self._identity = Identity(self.turn.name, self.position, self.token, made_for)
        return self._identity

    @property
    def frozen_call(self) -> ToolCall:
        """The call as its stages may see it: with the snapshot of its arguments, not with its caller's object."""
        if isinstance(self.call.arguments, str):
            return self.call
        return attrs.evolve(self.call, arguments=EMPTY if self.arguments is None else self.arguments)

    def enter(self, stage: str) -> None:
        """Note where the call is, before it may have to wait there."""
        self.stage = stage
        self.since = trio.current_time()

    # --- giving up -------------------------------------------------------------------------------------------------

    def give_up(self, cause: Cause, at: float, reason: str | None = None, *, by_deadline: bool = False) -> bool:
        """Note who ends this call and when (seconds on Trio's clock), unless somebody has already or it is over, and
        cancel what it runs in.

        The body is stopped through the private scopes, also where a wrapper has shielded it from the scopes around.
        """
        if self.over or self.cause is not None:
            return False
        self.cause, self.cancelled_at, self.reason = cause, at, reason
        self.ended_by_deadline = by_deadline
        if by_deadline and self.claims:
            note_order(self.claims, trio.current_time())
        if self.scope is not None:
            self.scope.cancel(reason)
        for scope, _ in self.scopes:
            scope.cancel(reason)
        return True

    def opened(self, claim: Claim | None) -> trio.CancelScope:
        """A door is passed. Its private scope, returned, stops what is inside when the call is given up, and obeys
        every claim that is open, also where a wrapper in between has shielded it from their scopes."""
        claims = self.claims
        if claim is not None:
            self.claims = claims = (*claims, claim)
        private = trio.CancelScope(deadline=earliest(claims)) if claims else trio.CancelScope()
        self.scopes = (*self.scopes, (private, claims))
        return private

    def closed(self, private: trio.CancelScope, claim: Claim | None) -> None:
        """It is passed back. Doors of one wrapper may overlap, so each takes out its own."""
        scopes, claims = self.scopes, self.claims
        self.scopes = scopes[:-1] if scopes[-1][0] is private else tuple([it for it in scopes if it[0] is not private])
        if claim is not None:
            self.claims = claims[:-1] if claims[-1] is claim else tuple([it for it in claims if it is not claim])

    async def is_cancelled(self) -> bool:
        """Whether this call, or a scope that its task is in, has been cancelled. The predicate is never an exception's
        type.

        **Cancellation**: not raised. If a scope was cancelled just now, one pass of the scheduler lets the turn's frame
        note it first.
        """
        if self.cause is not None:
            return True
        try:
            await trio.lowlevel.checkpoint_if_cancelled()
        except trio.Cancelled:
            return True
        return False

    def due_outside(self, now: float) -> float:
        """When the call was given up from outside, or its caller's time ran out by now; `inf` if neither. In seconds on
        Trio's clock.

        Only the deadline of the scope handed over is read: those around it may have been moved since."""
        if self.cause is not None:
            return self.cancelled_at
        turn = self.turn
        if not turn.parked and turn.scope.cancel_called:
            return now  # in this very pass: the frame is on its way to note it
        return turn.scope.deadline if turn.scope.deadline <= now else inf

    def recheck(self, result: ToolResult) -> ToolResult:
        """A success of a call that its caller has given up meanwhile is an abort that finished late."""
        turn = self.turn
        if result.error is not None or (self.cause is None and turn.parked and turn.scope.deadline == inf):
            return result
        now = trio.current_time()
        return self.cut(result) if self.due_outside(now) <= now else result

    def given_up_by(self, now: float) -> float:
        """When the first cause fell due, from outside or by a claim; `inf` if none has by now. In seconds."""
        claimed = earliest(self.claims)
        return min(self.due_outside(now), claimed if claimed <= now else inf)

    @property
    def cancel_requested(self) -> bool:
        """Whether any cause has fallen due. For use on Trio's own thread."""
        now = trio.current_time()
        return self.given_up_by(now) <= now

    @property
    def deadline(self) -> float:
        """The earliest deadline that is known to end this call, in seconds on Trio's clock. For use where the scopes
        around cannot be looked at; what was seen of them may have been moved since."""
        return min(self.turn.scope.deadline, self.seen, earliest(self.claims))

    @property
    def deadline_here(self) -> float:
        """The same in a task inside the call, which can look. In seconds."""
        here = trio.current_effective_deadline()
        return min(self.turn.scope.deadline, here, earliest(self.claims))

    def renew_idle_claims(self) -> None:
        """Progress was made: an idle budget that has not run out starts anew."""
        now = trio.current_time()
        for claim in self.claims:
            if claim.idle is not None and now < claim.due:
                self.move(claim, now + claim.idle)

    def move(self, claim: Claim, due: float) -> None:
        """Have a claim that is open be due at another time, in seconds on Trio's clock."""
        claim.due = due
        for scope, claims in self.scopes:
            if claim in claims:
                scope.deadline = earliest(claims)

    # --- results ---------------------------------------------------------------------------------------------------

    def mint(self, result: ToolResult) -> ToolResult:
        """Remember a result made here, so that it is not checked again."""
        self.minted = result
        return result

    def failed(
        self,
        error: ErrorInfo,
        *,
        content: Content | None = None,
        superseded: Outcome | None = None,
        cause: Cause | None = None,
    ) -> ToolResult:
        """A failure of this call, with what it replaced; it reads as its error says unless content is given."""
        if not error.message.isascii() or not error.name.isascii():
            error = attrs.evolve(error, name=safe(error.name), message=safe(error.message))
        return self.mint(
            ToolResult(
                self.call.id,
                self.name,
                failure_content(error, superseded) if content is None else content,
                error=error,
                dispatched=self.attempts > 0,
                cause=cause,
                superseded=superseded,
            )
        )

    def without_secrets(self, result: ToolResult) -> Outcome:
        """A result as what another one supersedes. Where a policy has replaced the content, the value goes."""
        outcome = result.outcome
        return attrs.evolve(outcome, value=None) if self.redacted else outcome

    def cut(self, replaced: ToolResult | None = None) -> ToolResult:
        """The result of a chain that a cancel cut: the claim that holds, or the failure that the body came to, or else
        an abort.

        What it replaces, or what the body came to before, stays known."""
        last = replaced or self.last
        superseded = None if last is None else self.without_secrets(last)
        if self.claim is not None:
            return self.failed(self.claim.outcome, superseded=superseded, cause=self.claim.cause)
        if last is not None and last.error is not None:
            return self.failed(last.error, content=last.content, superseded=last.superseded)
        cause = self.cause
        if cause is None:
            # nobody outside gave it up: a wrapper's own scope did, unless the caller's has just expired
            cause = Cause.CALLER if self.due_outside(trio.current_time()) < inf else Cause.WRAPPER
        error = ABORTED if self.attempts else ABORTED_BEFORE_DISPATCH
        return self.failed(error, superseded=superseded, cause=cause)
