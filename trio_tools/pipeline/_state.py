"""One call on its way: what is known of it, who gave it up and when, and the scopes that stop it.

Ownership goes by time. Every cause (the caller, an operator, a shutdown, each claim) has an instant at which it fell
due; the first owns the call, and of equal deadlines the outermost. Trio's own flags cannot tell: an inner deadline and
an outer cancel leave them the same in both orders.
"""

from __future__ import annotations

from contextvars import ContextVar
from math import inf
from typing import TYPE_CHECKING

import trio

from trio_tools.tool import Tool
from trio_tools.values import (
    ABORTED,
    ABORTED_BEFORE_DISPATCH,
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
)

if TYPE_CHECKING:
    from trio_tools.pipeline._turn import Turn

current_call: ContextVar[CallState | None] = ContextVar("trio_tools.current_call", default=None)


class Claim:
    """A wrapper's word on what it means if this scope's deadline ends the call."""

    __slots__ = ("cause", "idle", "outcome", "place", "scope")

    def __init__(self, scope: trio.CancelScope, place: int, outcome: ErrorInfo, idle: float | None) -> None:
        self.scope = scope
        self.place = place  # of the wrapper, 0 outermost
        self.outcome = outcome
        self.idle = idle  # seconds that each progress report adds, or None
        self.cause = Cause.DEADLINE if idle is None else Cause.IDLE


class CallState:
    """Everything that changes about a call. Its stages share it; nobody outside the pipeline sees it."""

    __slots__ = (
        "arguments",
        "attempts",
        "body_contexts",
        "call",
        "cancelled_at",
        "cause",
        "claim",
        "claims",
        "concludes",
        "decided",
        "effects",
        "exclusive",
        "last",
        "minted",
        "other_contexts",
        "over",
        "parent",
        "position",
        "reason",
        "refused",
        "scopes",
        "since",
        "stage",
        "task",
        "thread",
        "token",
        "tool",
        "turn",
        "values",
    )

    def __init__(self, turn: Turn, position: int, call: ToolCall) -> None:
        self.turn = turn
        self.position = position
        self.call = call
        self.token = CallToken()
        self.parent: CallState | None = None
        # intake
        self.tool: Tool | None = None
        self.arguments: FrozenDict | None = None  # None: they could not be read
        self.values: dict[str, object] = {}
        self.refused: ErrorInfo | None = None
        # where it is
        self.stage = "queued"
        self.since = turn.began
        self.task: trio.lowlevel.Task | None = None
        self.thread: int | None = None
        self.exclusive = False
        self.decided = False
        self.over = False  # classified: nothing changes the result any more
        # who gave it up
        self.cause: Cause | None = None
        self.cancelled_at = inf  # seconds on Trio's clock
        self.reason: str | None = None
        self.scopes: tuple[trio.CancelScope, ...] = ()  # private ones, open now
        self.claims: tuple[Claim, ...] = ()  # open now, outermost first
        self.claim: Claim | None = None  # the one that holds, should a cancel cut the chain above it
        # what came of it
        self.attempts = 0
        self.last: Outcome | None = None  # what the body came to, the last time it ran
        self.minted: ToolResult | None = None  # the last result made here, known to be sound
        self.body_contexts: tuple[JSONValue, ...] = ()
        self.other_contexts: tuple[JSONValue, ...] = ()
        self.effects: tuple[Effect, ...] = ()
        self.concludes = False

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def dispatched(self) -> bool:
        return self.attempts > 0

    def enter(self, stage: str) -> None:
        """Note where the call is, before it may have to wait there."""
        self.stage = stage
        self.since = trio.current_time()

    # --- giving up -------------------------------------------------------------------------------------------------

    def give_up(self, cause: Cause, at: float, reason: str | None = None) -> bool:
        """Note who ends this call and when, unless somebody has already or it is over, and cancel what it runs in.

        The body is stopped through the private scopes, also where a wrapper has shielded it from the scopes around.
        """
        if self.over or self.cause is not None:
            return False
        self.cause, self.cancelled_at, self.reason = cause, at, reason
        for scope in self.scopes:
            scope.cancel(reason)
        return True

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
        """When the call was given up from outside, or its caller's time ran out; `inf` if neither.

        Only the deadline of the scope handed over is read: those around it may have been moved since."""
        if self.cause is not None:
            return self.cancelled_at
        deadline = self.turn.scope.deadline
        return deadline if deadline <= now else inf

    def given_up_by(self, now: float) -> float:
        """When the first cause fell due, from outside or by a claim; `inf` if none has."""
        claims = [claim.scope.deadline for claim in self.claims if claim.scope.deadline <= now]
        return min([self.due_outside(now), *claims])

    @property
    def cancel_requested(self) -> bool:
        """Whether any cause has fallen due. For use on Trio's own thread."""
        now = trio.current_time()
        return self.given_up_by(now) <= now

    @property
    def deadline(self) -> float:
        """The earliest deadline that is known to end this call, in seconds on Trio's clock."""
        return min([self.turn.deadline_now(), *(claim.scope.deadline for claim in self.claims)])

    def renew_idle_claims(self) -> None:
        """Progress was made: an idle budget that has not run out starts anew."""
        now = trio.current_time()
        for claim in self.claims:
            if claim.idle is not None and now < claim.scope.deadline:
                claim.scope.deadline = now + claim.idle

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

    def cut(self, superseded: Outcome | None = None) -> ToolResult:
        """The result of a chain that a cancel cut: the claim that holds, or else an abort.

        What the body came to before, if anything, stays known."""
        if superseded is None:
            superseded = self.last
        if self.claim is not None:
            return self.failed(self.claim.outcome, superseded=superseded, cause=self.claim.cause)
        cause = self.cause
        if cause is None:
            # nobody outside gave it up: a wrapper's own scope did, unless the caller's has just expired
            cause = Cause.CALLER if self.due_outside(trio.current_time()) < inf else Cause.WRAPPER
        error = ABORTED if self.attempts else ABORTED_BEFORE_DISPATCH
        return self.failed(error, superseded=superseded, cause=cause)
