"""What each stage may see and do of a call: a policy and an observer look, a wrapper may also claim and answer."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._claim import VOUCHED, Claim
from trio_tools.pipeline._next import CallNext, Inner, within
from trio_tools.pipeline._output import completed
from trio_tools.pipeline._state import CallState
from trio_tools.tool import Tool
from trio_tools.values import (
    CallToken,
    Effect,
    ErrorCode,
    ErrorInfo,
    JSONValue,
    Session,
    ToolCall,
    ToolResult,
    check_seconds,
    freeze,
    is_own_code,
)


class CallView:
    """A read-only look at one call, as it is now."""

    __slots__ = ("_state",)

    def __init__(self, state: CallState) -> None:
        self._state = state

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.name!r}, {self.stage}>"

    @property
    def id(self) -> str | None:
        """The model's id of this call; it may repeat or be absent."""
        return self._state.call.id

    @property
    def token(self) -> CallToken:
        """Tells this call from every other; the same object at every stage."""
        return self._state.token

    @property
    def name(self) -> str:
        """The name that was called, whether there is such a tool or not."""
        return self._state.call.name

    @property
    def tool(self) -> Tool | None:
        """The tool found at intake; None if there is none by that name."""
        return self._state.tool

    @property
    def arguments(self) -> Mapping[str, JSONValue] | None:
        """The frozen arguments; None if they could not be read."""
        return self._state.arguments

    @property
    def call(self) -> ToolCall:
        """The call as it was handed over, with the snapshot of its arguments."""
        return self._state.frozen_call

    @property
    def session(self) -> Session | None:
        """On whose behalf, if anybody's."""
        return self._state.turn.session

    @property
    def parent(self) -> CallToken | None:
        """The token of the call whose body made this one, if one did."""
        parent = self._state.parent
        return None if parent is None else parent.token

    @property
    def root(self) -> CallToken:
        """The token of the outermost call that this one was made for: its own, if no other call made it."""
        return self._state.identity.root.token

    @property
    def stage(self) -> str:
        """Where it is: queued, gate, around, dispatch, post or settle."""
        return self._state.stage

    @property
    def cancel_requested(self) -> bool:
        """Whether it has been given up, from outside or because a budget ran out."""
        return self._state.cancel_requested

    @property
    def deadline(self) -> float:
        """When it runs out of time, in seconds on Trio's clock; `inf` if it does not."""
        state = self._state
        if trio.lowlevel.current_task() is state.task and state.stage not in ("post", "settle"):  # a bound of theirs
            return state.deadline_here
        return state.deadline

    @enable_ki_protection
    def defer_context(self, item: object) -> None:
        """Ask for a JSON value to be added to the conversation after the turn's results, whatever becomes of the call.

        Raises `NotJSON` for what is not JSON. After the call has settled it is dropped.
        """
        if not self._state.over:
            self._state.other_contexts += (freeze(item),)


class SettledView(CallView):
    """What an observer holds: a look at a call that has its result, with what is for logs and for no model."""

    __slots__ = ()

    @property
    def exception(self) -> BaseException | None:
        """What the body, a wrapper or a policy raised last, traceback and all; None if none did. Let go of when the
        observers have returned."""
        return self._state.exception

    @property
    def seconds(self) -> float:
        """How long it took from when it came until it had its result."""
        return self._state.since - self._state.turn.began


class Dispatch(CallView):
    """What a wrapper holds: a look at the call, the right to claim, and results of its own making."""

    __slots__ = ("_place",)

    def __init__(self, state: CallState, place: int) -> None:
        self._state = state
        self._place = place

    @property
    def tool(self) -> Tool:
        """The tool found at intake."""
        tool = self._state.tool
        assert tool is not None  # a call of an unknown tool never gets here
        return tool

    @property
    def arguments(self) -> Mapping[str, JSONValue]:
        """The frozen arguments."""
        arguments = self._state.arguments
        assert arguments is not None  # nor does one whose arguments could not be read
        return arguments

    @property
    def dispatched(self) -> bool:
        """Whether the body has been entered, in this attempt or an earlier one."""
        return self._state.attempts > 0

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects so far, of all attempts, in order of their beginning; those of calls that the body made, as these
        settled."""
        return self._state.effects

    @enable_ki_protection
    def within(
        self, seconds: float, call_next: CallNext | Inner, outcome: ErrorInfo, *, renew_on_progress: bool = False
    ) -> Awaitable[ToolResult]:
        """Await `call_next()` for at most so many seconds, and claim what it means if they run out.

        Arguments: `seconds`, positive and finite; `call_next`, or an async function around it; `outcome`, the error
        that the result then carries; `renew_on_progress`, whether each progress report starts the time anew. If the
        time had run out when the inner call came back, and nothing else had ended the call earlier, the result is a
        failure with `outcome`; what it replaced is in `superseded`. Never returns before the inner call has.

        Raises `ValueError` for seconds that are not positive and finite, and for an outcome that carries one of the
        two abort codes.

        **Cancellation**: as `call_next()`.
        """
        check_seconds("a budget", seconds)
        if outcome.code in VOUCHED:
            raise ValueError(f"a claim cannot carry {outcome.code}: whether a body ran is for the registry to say")
        claim = Claim(self._place, seconds, outcome, renew=renew_on_progress)
        return within(self._state, claim, call_next)

    @enable_ki_protection
    def success(self, value: object) -> ToolResult:
        """A success of this wrapper's own, checked and rendered as the body's would be."""
        return completed(self._state, value)

    @enable_ki_protection
    def failure(self, message: str, *, code: str | None = None) -> ToolResult:
        """A failure of this wrapper's own; `code` may be one of its own, or an `ErrorCode` but for the two aborts.

        Raises `ValueError` for a code that is neither.
        """
        code = ErrorCode.WRAPPER_FAILED if code is None else code
        if not is_own_code(code) and (code in VOUCHED or code not in ErrorCode.__members__):
            raise ValueError(f"{code!r} is not a code that a wrapper may give")
        return self._state.failed(ErrorInfo("ToolError", code, message))
