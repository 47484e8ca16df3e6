"""The door between a wrapper and what it wraps: `call_next()`, and `within`, the same with a deadline and a claim.

Each time it is passed a private scope is opened, new each time, which the frame cancels when the call is given up: a
wrapper that shields cuts off neither the body nor the wrappers inside it. `call_next()` raises `Cancelled` only at its
door; past it, it returns a result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf
from typing import TypeAlias

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._state import CallState, Claim
from trio_tools.values import ErrorCode, Outcome, ToolResult

Inner: TypeAlias = Callable[[], Awaitable[ToolResult]]

# Codes that only the registry can vouch for.
VOUCHED = (ErrorCode.ABORTED, ErrorCode.ABORTED_BEFORE_DISPATCH)


class CallNext:
    """Awaiting it runs the inner wrappers and the body. It may be awaited again, one at a time, until the wrapper that
    it was given to has returned."""

    __slots__ = ("_busy", "_call", "_closed", "_entered", "_inner", "_place", "_waiter")

    def __init__(self, call: CallState, place: int, inner: Inner) -> None:
        self._call = call
        self._place = place  # of the wrapper that it is given to
        self._inner = inner
        self._busy = False
        self._closed = False
        self._entered = False
        self._waiter: trio.Event | None = None

    async def __call__(self) -> ToolResult:
        """Run the rest of the chain and return its result.

        Raises `RuntimeError` if it is awaited while it runs, or after its wrapper has returned, and whatever an inner
        wrapper raised.

        **Cancellation**: raises `Cancelled` only at its door, if the call was given up before; past it, it returns a
        result, an abort if the rest was cut, and the next checkpoint raises.
        """
        return await self.enter(trio.CancelScope(), None)

    @enable_ki_protection
    async def enter(self, private: trio.CancelScope, claim: Claim | None) -> ToolResult:
        """As `__call__`, in this private scope; a claim says what it means if the scope's deadline ends the call.

        **Cancellation**: as there.
        """
        call = self._call
        self._check()
        self._busy = True
        result: ToolResult | None = None
        around, claims = call.scopes, call.claims
        if claim is not None:
            call.claims = (*claims, claim)
        try:
            with private:
                await self._door(private)
                call.scopes = (*around, private)
                result = await self._inner()
                if claim is not None:
                    await claim.look()
        finally:
            call.scopes, call.claims = around, claims
            self._busy = False
            if self._waiter is not None:
                self._waiter.set()
        # without a result the door was cut: the time was over, or a shield hides that the call was given up
        result = result or call.cut()
        return result if claim is None else claimed(call, claim, result)

    def _check(self) -> None:
        if self._closed:
            raise RuntimeError("call_next() was awaited after its wrapper had returned")
        if self._busy:
            raise RuntimeError("call_next() was awaited while it still runs; await it again when it has returned")
        claim = self._call.claim
        if claim is not None and claim.place >= self._place:
            self._call.claim = None  # that was another attempt

    async def _door(self, private: trio.CancelScope) -> None:
        if self._call.cause is not None:
            private.cancel()
        if self._entered:
            # a whole pass: a retry loop that never waits still sees its deadlines, and lets others run
            await trio.lowlevel.checkpoint()
        else:
            await trio.lowlevel.checkpoint_if_cancelled()
        self._entered = True

    def closes_busy(self) -> bool:
        """The wrapper has returned. Whether it left this running in another task."""
        self._closed = True
        return self._busy

    async def at_rest(self) -> None:
        """Wait until what a wrapper left running has ended: nothing is abandoned.

        **Cancellation**: not raised; what runs inside is cancelled by its own scopes.
        """
        while self._busy:
            self._waiter = trio.Event()
            # bounded by the body, as every wait for quiescence is: it shows in pending() while it lasts
            with trio.CancelScope(shield=True):
                await self._waiter.wait()


def within(call: CallState, claim: Claim, call_next: CallNext | Inner) -> Awaitable[ToolResult]:
    """Await the inner call with a deadline, and claim what its expiry means. See `Dispatch.within`.

    **Cancellation**: as `call_next()`.
    """
    return call_next.enter(claim.scope, claim) if isinstance(call_next, CallNext) else _around(call, claim, call_next)


@enable_ki_protection
async def _around(call: CallState, claim: Claim, inner: Inner) -> ToolResult:
    result: ToolResult | None = None
    claims, call.claims = call.claims, (*call.claims, claim)
    try:
        with claim.scope:
            result = await inner()
            await claim.look()
    finally:
        call.claims = claims
    return claimed(call, claim, result or call.cut())


def claimed(call: CallState, claim: Claim, result: ToolResult) -> ToolResult:
    """The outcome that was claimed, if the claim's time was the first cause to fall due; else the result as it is."""
    if not claim.expired or not _owns(call, claim, claim.scope.deadline):
        return result
    call.claim = claim
    return call.failed(claim.outcome, superseded=_superseded(result), cause=claim.cause)


def _owns(call: CallState, claim: Claim, due: float) -> bool:
    """Whether a claim that fell due then was the first cause; of equal deadlines the outermost is."""
    if call.claim is not None and call.claim.scope.deadline < due:
        return False  # one further in was earlier
    if call.cause is not None:
        # a blocked loop is told of all deadlines at once: the one that was earlier is what counts
        return due < min(call.cancelled_at, call.around)
    if not claim.by_deadline:
        return False  # a wrapper further out had cancelled by hand
    around = trio.current_effective_deadline()
    # -inf: a wrapper further out has run out of time too; what counts is the deadline that it had when we entered
    return due < (around if around > -inf else min(claim.around, call.around))


def _superseded(result: ToolResult) -> Outcome | None:
    """What a claim replaces: what the tool came to, not what was made of it on the way out."""
    if result.error is None:
        return Outcome(result.content, result.value)
    if result.superseded is not None or result.code in VOUCHED or result.cause is not None:
        return result.superseded
    return Outcome(result.content, error=result.error)
