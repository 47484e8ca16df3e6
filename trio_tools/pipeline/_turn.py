"""A turn: the calls of one model message, carried together and each on its own.

The caller's task is the frame of the turn. It launches the calls in order, parks outside all wrappers, and is the one
that notices the caller's cancellation: its abort function runs inside `scope.cancel()` or the deadline's expiry, notes
the time, and stops the calls through their private scopes. It never lets go before the last call has come to rest.

`launch` decides synchronously what starts; the only wait is `park`. Call tasks never raise, and each wakes the frame
as its last act, so that the nursery has nothing left to wait for when the frame leaves it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeAlias, TypeVar

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, reschedule, wait_task_rescheduled

from trio_tools.pipeline._asked import check_asked, check_still, checked, only
from trio_tools.pipeline._carried import Carried, carried, enclosing
from trio_tools.pipeline._carry import carry
from trio_tools.pipeline._faults import Fault, take_apart
from trio_tools.pipeline._intake import admit, is_parallel, receive
from trio_tools.pipeline._reach import Reach
from trio_tools.pipeline._state import CallState
from trio_tools.values import Cause, ErrorCode, Session, ToolCall, ToolResult

R = TypeVar("R")
OnSettled: TypeAlias = Callable[[int, ToolResult], object]


class Turn:
    """The state of one turn. Synchronous throughout; `run_turn` holds the waits."""

    _name: str | None = None
    _next = 0  # the first call that has not been launched
    accepting: CallState | None = None  # launched first; its task has the whole turn recorded, before any of it begins
    deciding: CallState | None = None  # launched, and its policies have not spoken: the others wait for that
    _skipping: CallState | None = None  # given up before it started, and about to settle
    parked = False
    parked_deadline: float  # seconds: that of the scope handed over, when the frame last parked
    waited = False  # whether the frame has parked, so that tools may have changed since
    given_up = False  # whether a waiting call was
    exclusive = False  # whether the one active call tolerates no other
    active = 0  # calls that count against the cap
    unfinished = 0  # call tasks that are alive
    fault: BaseException | None = None  # of ours
    interrupt: KeyboardInterrupt | None = None
    nursery: trio.Nursery
    carried: Carried

    def __init__(
        self,
        reach: Reach,
        calls: Iterable[ToolCall],
        scope: trio.CancelScope,
        session: Session | None,
        on_settled: OnSettled | None,
    ) -> None:
        self.reach = reach
        self.core = reach.core
        self.scope = scope
        self.session = session
        self.on_settled = on_settled
        self.began = trio.current_time()
        self.task = trio.lowlevel.current_task()
        self.calls = [CallState(self, position, call) for position, call in enumerate(calls)]

    @property
    def name(self) -> str:
        """A random name that no other turn has, for events. Made when first asked for."""
        if self._name is None:
            self._name = os.urandom(8).hex()
        return self._name

    # --- beginning -------------------------------------------------------------------------------------------------

    def open(self, maker: CallState | None) -> None:
        """Take in all calls. `maker` is the call whose context makes them, if one does. If the caller has given up
        already, the frame will hear of it when it first parks."""
        self.carried = carried()
        around = enclosing() if self.carried else None
        inside = around if isinstance(around, CallState) else None
        job = around.job if isinstance(around, CallState) else around
        if maker is None and inside is not None and inside.turn.core is self.core and not inside.over:
            maker = inside
        for call in self.calls:
            if around is not None or maker is not None:
                call.around_it, call.job = inside, job
                call.parent = None if maker is None else maker.identity
            self.core.unsettled[call] = None
            receive(call)
        if self.core.draining:
            for call in self.calls:
                call.late = True
            self.give_up(Cause.SHUTDOWN, self.began)

    def nested(self, maker: CallState, call: ToolCall, scope: trio.CancelScope) -> Coroutine[Any, Any, ToolResult]:
        """A call that the body of `maker`, one of this turn, makes: a turn of one, for the same session and with the
        same tools in reach. Raises as `Registry.execute` does, and when it is awaited `RuntimeError` outside of the
        maker and its jobs.

        **Cancellation**: as for `ToolContext.execute`."""
        check_asked(self.core, scope, None)
        return run_turn(self.reach, (checked(call),), scope, self.session, None, only, maker)

    def give_up(self, cause: Cause, at: float, *, by_deadline: bool = False) -> None:
        """Nothing more starts, and what runs is stopped, as of that many seconds on Trio's clock."""
        for call in self.calls:
            call.give_up(cause, at, by_deadline=by_deadline)
        self.given_up = True

    def give_up_one(self, call: CallState, cause: Cause, at: float, reason: str | None) -> bool:
        """Stop one call as of that many seconds on Trio's clock, or keep it from starting; its siblings go on. Whether
        it was this that stopped it."""
        if not call.give_up(cause, at, reason):
            return False
        if call.stage == "queued":
            self.given_up = True
            self.wake()
        return True

    def interrupted(self, interrupt: KeyboardInterrupt) -> None:
        """Ctrl-C reached one of our tasks: it goes on, bare, when all calls have settled."""
        self.interrupt = self.interrupt or interrupt
        self.give_up(Cause.INTERRUPT, trio.current_time())
        self.nursery.cancel_scope.cancel("Ctrl-C")
        self.wake()

    def fault_in(self, thrown: BaseException) -> Fault:
        """What user code threw, taken apart; a Ctrl-C in it ends the turn."""
        fault = take_apart(thrown)
        if fault.interrupt is not None:
            self.interrupted(fault.interrupt)
        return fault

    # --- launching -------------------------------------------------------------------------------------------------

    def launch(self) -> None:
        """Start, in order, every call that may start now."""
        if self.given_up and self.accepting is None:
            self._launch_given_up()
        while self.accepting is None and self.deciding is None and (call := self.waiting()) is not None:
            admitted = call.cause is None
            if not admitted:
                if self._skipping is not None:
                    return
            else:
                if self.exclusive or self.active >= self.core.max_parallel_calls:
                    return
                admit(call, anew=self.waited)
                if len(self.calls) > 1:
                    call.exclusive = not is_parallel(call)
                    if call.exclusive and self.active:
                        return
            self._next += 1
            self._start(call, admitted=admitted)

    def launched(self) -> bool:
        """Launch what may start, and say whether anything is to be waited for.

        A fault of ours stops the launching, and goes on when what has started has settled (L015)."""
        if self.fault is None and self._next < len(self.calls):
            try:
                self.launch()
            except BaseException as fault:
                self.fault = fault
        return self.unfinished > 0

    def waiting(self) -> CallState | None:
        """The first call that has not been launched."""
        while self._next < len(self.calls):
            call = self.calls[self._next]
            if call.stage == "queued":
                return call
            self._next += 1
        return None

    def _launch_given_up(self) -> None:
        # a waiting call that was given up settles at once, ahead of those that wait for a place (B35)
        if self._skipping is None:
            for call in self.calls[self._next :]:
                if call.cause is not None and call.stage == "queued":
                    self._start(call)
                    return
            self.given_up = False

    def _start(self, call: CallState, *, admitted: bool = False) -> None:
        skipped = call.cause is not None
        if skipped:
            if not admitted:
                admit(call, anew=self.waited)
            call.exclusive = False
        else:
            self.active += 1
            self.exclusive = call.exclusive
        self.unfinished += 1
        if skipped:
            self._skipping = call  # one after the other, so that they are recorded in order
        elif self.core.pre_policies.functions or self.core.recorders.functions:
            self.deciding = call  # with nothing to wait for at the gate, the order of launches is enough
        call.stage = "gate"
        refused = call.refused is not None and call.refused.code == ErrorCode.RECORD_FAILED
        if self.core.recorders.functions and not call.accepted and not refused:
            self.accepting = call
        self.nursery.start_soon(carry, call, skipped, name=call.name)

    def accepted(self) -> None:
        """All calls have been recorded so, or are refused: the others may start."""
        self.accepting = None
        if self.given_up or self.deciding is None:
            self.wake()

    def decided(self, call: CallState) -> None:
        """The policies of this call have spoken, or never will: the next one may start."""
        if self.deciding is call:
            self.deciding = None
            self.wake()
        elif self._skipping is call:
            self._skipping = None
            self.wake()

    def ended(self, call: CallState, skipped: bool) -> None:
        """A call's task is about to end."""
        self.unfinished -= 1
        if not skipped:
            self.active -= 1
            if call.exclusive:
                self.exclusive = False
        self.decided(call)
        if not self.unfinished or self.waiting() is not None:
            self.wake()

    # --- parking ---------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Have the frame look again."""
        if self.parked:
            self.parked = False
            reschedule(self.task)

    def abort(self, raise_cancel: RaiseCancelT) -> Abort:
        """Trio wants the frame to stop waiting: note who and when, pass it on, and go on waiting."""
        now = trio.current_time()
        try:
            raise_cancel()
        except trio.Cancelled as cancelled:
            cause = Cause.INTERRUPT if cancelled.source == "KeyboardInterrupt" else Cause.CALLER
            # a blocked loop notices a deadline late, so it counts from itself, unless it was moved back only since
            deadline = self.scope.deadline if self.scope.deadline >= self.parked_deadline else now
            self.give_up(cause, min(now, deadline), by_deadline=cancelled.source == "deadline")
        except KeyboardInterrupt as interrupt:
            self.interrupted(interrupt)
        if self.accepting is None and self._skipping is None and self.waiting() is not None:
            self.wake()
        return Abort.FAILED

    def settled(self) -> tuple[ToolResult, ...]:
        """All results, in call order. Raises what must go on instead: a fault of ours, or Ctrl-C, bare.

        The turn lets go of its calls, so that what held them together is no cycle for the collector to find."""
        calls, self.calls = self.calls, []
        if self.fault is not None:
            for call in calls:
                self.core.left(call)
            raise self.fault
        if self.interrupt is not None:
            raise self.interrupt
        return tuple([call.result for call in calls if call.result is not None])


@enable_ki_protection
async def run_turn(  # noqa: PLR0917 - the argument list of three public methods, whose order nobody else sees
    reach: Reach,
    calls: Iterable[ToolCall],
    scope: trio.CancelScope,
    session: Session | None,
    on_settled: OnSettled | None,
    take: Callable[[tuple[ToolResult, ...]], R],
    maker: CallState | None = None,
) -> R:
    """Carry a turn to its end, and return what `take` makes of its results: one per call, in call order.

    **Cancellation**: when the scope handed over is cancelled, every call still settles and is published, and the
    results are returned. When a scope around it is cancelled, the same happens and then `Cancelled` is raised.
    """
    check_still(reach.core, maker)
    turn = Turn(reach, calls, scope, session, on_settled)
    with scope:
        async with trio.open_nursery() as turn.nursery:
            turn.open(maker)
            while turn.launched():
                turn.parked = turn.waited = True
                turn.parked_deadline = scope.deadline
                await wait_task_rescheduled(turn.abort)
    results = turn.settled()
    await trio.lowlevel.checkpoint_if_cancelled()
    return take(results)
