"""The door between a wrapper and what it wraps: `call_next()`, and `within`, the same with a deadline and a claim.

Each time it is passed a private scope is opened, new each time, which the frame cancels when the call is given up: a
wrapper that shields cuts off neither the body nor the wrappers inside it. `call_next()` raises `Cancelled` only at its
door; past it, it returns a result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeGuard

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._claim import Claim, claimed
from trio_tools.pipeline._faults import run_async
from trio_tools.pipeline._state import CallState
from trio_tools.values import ToolResult

Inner: TypeAlias = Callable[[], Awaitable[ToolResult]]


class CallNext:
    """Awaiting what it returns runs the inner wrappers and the body. It may be called again, one at a time, until the
    wrapper that it was given to has returned."""

    __slots__ = ("_door",)

    def __init__(self, door: Door) -> None:
        self._door = door

    @enable_ki_protection
    def __call__(self) -> Awaitable[ToolResult]:
        """Run the rest of the chain; await it for the result.

        Raises `RuntimeError` if it is awaited while it runs, or after its wrapper has returned, and whatever an inner
        wrapper raised.

        **Cancellation**: raises `Cancelled` only at its door, if the call was given up before; past it, it returns a
        result, an abort if the rest was cut, and the next checkpoint raises.
        """
        return self._door.make(None)


class Door:
    """What is behind one wrapper's `call_next()`: the state of that door, which the wrapper does not see."""

    __slots__ = (
        "_busy",
        "_call",
        "_claim",
        "_closed",
        "_cut",
        "_entered",
        "_inner",
        "_innermost",
        "_made",
        "_place",
        "_waiter",
        "watched",
    )

    def __init__(self, call: CallState, place: int, inner: Inner, *, innermost: bool) -> None:
        self._call = call
        self._innermost = innermost  # whether the body is what is inside
        self._place = place  # of the wrapper that it is given to
        self._inner = inner
        self._busy = False
        self._closed = False
        self._entered = False
        self._waiter: trio.Event | None = None
        self._cut: trio.Cancelled | None = None  # what shut the door
        self._claim: Claim | None = None
        self._made: Coroutine[Any, Any, ToolResult] | None = None  # what the wrapper was given last
        self.watched = False  # whether code of the wrapper's own runs again once it is passed back

    def make(self, claim: Claim | None) -> Awaitable[ToolResult]:
        """What a wrapper is given to await: the rest of the chain, with this claim on it.

        **Cancellation**: as `CallNext.__call__`.
        """
        self._claim = claim
        self._made = made = self.enter(claim)
        return made

    def is_own(self, answer: object) -> TypeGuard[Awaitable[ToolResult]]:
        """Whether a wrapper has returned what it was given last, and so has returned: nothing of it stands round it."""
        return answer is self._made and not self._entered and not self._busy

    def is_passed_on(self, answer: object) -> bool:
        """Whether it has done so without a claim on it, and the chain can go on without it."""
        if self._claim is not None or self._made is None or not self.is_own(answer):
            return False
        self._made.close()
        self._closed = True
        return True

    @enable_ki_protection
    async def enter(self, claim: Claim | None) -> ToolResult:
        """The rest of the chain; a claim says what it means if its time is what ends the call.

        **Cancellation**: as `CallNext.__call__`.
        """
        call = self._call
        self._check()
        result: ToolResult | None = None
        private = call.opened(claim)
        try:
            self._busy = True
            with private:
                await self._door(private)
                call.looked = claim.around if claim is not None and self._innermost else None
                result = await self._inner()
                if claim is not None and trio.current_time() >= claim.due:
                    await claim.look()
        finally:
            call.closed(private, claim)
            self._busy = False
            if self.watched:
                call.enter("around")
            if self._waiter is not None:
                self._waiter.set()
        if result is None:
            result = self._refused(claim)
        return claimed(call, claim, result) if claim is not None and claim.expired else result

    def _refused(self, claim: Claim | None) -> ToolResult:
        """What the door says when it is shut: `Cancelled` if the call was given up, also where a shield hides it; an
        expired claim's wrapper gets a result."""
        if self._cut is not None and self._call.cause is not None:
            raise self._cut
        if claim is not None:
            claim.expired = True
        return self._call.cut()

    def _check(self) -> None:
        if self._closed:
            raise RuntimeError("call_next() was awaited after its wrapper had returned")
        if self._busy:
            raise RuntimeError("call_next() was awaited while it still runs; await it again when it has returned")

    async def _door(self, private: trio.CancelScope) -> None:
        if self._call.cause is not None:
            private.cancel()
        try:
            if self._entered:
                # a whole pass: a retry loop that never waits still sees its deadlines, and lets others run
                await trio.lowlevel.checkpoint()
            else:
                await trio.lowlevel.checkpoint_if_cancelled()
        except trio.Cancelled as cancelled:
            self._cut = cancelled
            raise
        self._entered = True
        claim = self._call.claim
        if claim is not None and claim.place >= self._place:
            self._call.claim = self._call.due = None  # that was another attempt

    def closes_busy(self) -> bool:
        """The wrapper has returned. Whether it left this running in another task."""
        self._closed = True
        if self._made is not None and not self._busy:
            self._made.close()  # it may have been made and, by an exception, never awaited
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
    return call_next._door.make(claim) if isinstance(call_next, CallNext) else _within(call, claim, call_next)


@enable_ki_protection
async def _within(call: CallState, claim: Claim, inner: Inner) -> ToolResult:
    private = call.opened(claim)
    result: ToolResult | None = None
    try:
        with private:
            result = await run_async(inner)
            if trio.current_time() >= claim.due:
                await claim.look()
    finally:
        call.closed(private, claim)
    if result is None:
        claim.expired = True  # the scope was cut before there was a result
        result = call.cut()
    return claimed(call, claim, result)
