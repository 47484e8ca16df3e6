"""Waiting until every call of a registry has settled."""

from __future__ import annotations

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, wait_task_rescheduled

from trio_tools.pipeline import Core
from trio_tools.values import Cause


def _give_up(core: Core, cause: Cause, *, running: bool) -> None:
    """End every unsettled call that still waits for its turn, and with `running` those that have begun as well."""
    now = trio.current_time()
    for call in list(core.unsettled):
        if running or call.stage == "queued":
            call.turn.give_up_one(call, cause, now, None)


@enable_ki_protection
async def drain(core: Core, *, abruptly: bool = False) -> KeyboardInterrupt | None:
    """Take no more calls and wait for those under way; `abruptly`: cancel them first. Returns a Ctrl-C that came
    meanwhile, for the caller to raise.

    **Cancellation**: not raised; what runs is cancelled, and still awaited: the one unbounded wait, which `pending()`
    shows.
    """
    core.draining = True
    _give_up(core, Cause.SHUTDOWN, running=abruptly)
    interrupt: KeyboardInterrupt | None = None
    task = trio.lowlevel.current_task()

    def abort(raise_cancel: RaiseCancelT) -> Abort:
        nonlocal interrupt
        try:
            raise_cancel()
        except trio.Cancelled:
            _give_up(core, Cause.SHUTDOWN, running=True)
        except KeyboardInterrupt as thrown:
            interrupt = thrown
            _give_up(core, Cause.INTERRUPT, running=True)
        return Abort.FAILED

    while core.unsettled:
        core.drainers.add(task)
        await wait_task_rescheduled(abort)
    return interrupt
