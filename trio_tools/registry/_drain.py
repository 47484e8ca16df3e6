"""Waiting until every call of a registry has settled."""

from __future__ import annotations

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, wait_task_rescheduled

from trio_tools.pipeline import Core
from trio_tools.values import Cause


def give_up_all(core: Core, cause: Cause) -> None:
    """End every unsettled call, running or waiting."""
    now = trio.current_time()
    for call in list(core.unsettled):
        call.turn.give_up_one(call, cause, now, None)


def _give_up_waiting(core: Core) -> None:
    now = trio.current_time()
    for call in list(core.unsettled):
        if call.stage == "queued":
            call.turn.give_up_one(call, Cause.SHUTDOWN, now, None)


@enable_ki_protection
async def drain(core: Core, *, abruptly: bool = False) -> KeyboardInterrupt | None:
    """Take no more calls and wait for those under way; `abruptly`: cancel them first. Returns a Ctrl-C that came
    meanwhile, for the caller to raise.

    **Cancellation**: not raised; what runs is cancelled, and still awaited: the one unbounded wait, which `pending()`
    shows.
    """
    core.draining = True
    if abruptly:
        give_up_all(core, Cause.SHUTDOWN)
    else:
        _give_up_waiting(core)
    interrupt: KeyboardInterrupt | None = None
    task = trio.lowlevel.current_task()

    def abort(raise_cancel: RaiseCancelT) -> Abort:
        nonlocal interrupt
        try:
            raise_cancel()
        except trio.Cancelled:
            give_up_all(core, Cause.SHUTDOWN)
        except KeyboardInterrupt as thrown:
            interrupt = thrown
            give_up_all(core, Cause.INTERRUPT)
        return Abort.FAILED

    while core.unsettled:
        core.drainers.add(task)
        await wait_task_rescheduled(abort)
    return interrupt
