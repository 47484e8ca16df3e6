"""The way of one call through its stages, in a task of its own."""

from __future__ import annotations

from contextlib import nullcontext
from types import TracebackType

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._around import around
from trio_tools.pipeline._gate import gate
from trio_tools.pipeline._post import review
from trio_tools.pipeline._record import record_accepted
from trio_tools.pipeline._settle import settle
from trio_tools.pipeline._state import CallState
from trio_tools.values import ErrorCode, exception_error

_IN_THE_NURSERYS = nullcontext()


@enable_ki_protection
async def carry(call: CallState, skipped: bool) -> None:
    """The task of one call, from launch to publication. Never raises: a fault of ours is kept by the turn, and goes on
    when the others have settled (L015).

    One coroutine on purpose: it is what every call in flight holds.

    **Cancellation**: the waits of user code are cut, nothing else is; the call always comes to be published.
    """
    turn = call.turn
    core = turn.core
    call.task = task = trio.lowlevel.current_task()
    turn.carried[task] = call
    try:
        if turn.accepting is call:
            await record_accepted(call)
            turn.accepted()
        call.refused = call.refused or call.unrecorded
        if call.refused is not None:
            result = call.failed(call.refused)
        elif call.cause is not None:
            result = call.cut()
        else:
            # a scope that is this call's alone: the nursery's, where no other call is in it
            alone = len(turn.calls) == 1
            call.scope = turn.nursery.cancel_scope if alone else trio.CancelScope()
            with _IN_THE_NURSERYS if alone else OwnScope(call, call.scope):
                gated = core.pre_policies.functions or call.heard
                result = (await gate(call) if gated else None) or await around(call, core.wrappers.functions)
                call.claim = None  # the chain is whole; a later cancel is the caller's own
                if not call.final:
                    result = await review(call, result) if core.post_policies.functions else call.recheck(result)
            if call.misnested is not None:
                error = exception_error(call.misnested, ErrorCode.TOOL_FAILED)
                result = call.failed(error, superseded=call.without_secrets(result))
        await settle(call, result)
    except BaseException as fault:
        turn.fault = turn.fault or fault
    finally:
        call.task = None
        del turn.carried[task]
        turn.ended(call, skipped)


class OwnScope:
    """The scope of one call among several. A body that leaves a scope of its own open is told of when this one is
    left, and that is then its call's failure, nobody else's."""

    __slots__ = ("_call", "_scope")

    def __init__(self, call: CallState, scope: trio.CancelScope) -> None:
        self._call = call
        self._scope = scope

    def __enter__(self) -> None:
        self._scope.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        try:
            return self._scope.__exit__(kind, thrown, traceback)
        except RuntimeError as misnested:
            self._call.misnested = misnested
            return thrown is None
