"""Waiting until the calls and jobs of a registry have come to rest."""

from __future__ import annotations

from collections.abc import Callable

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, wait_task_rescheduled

from trio_tools.pipeline import Core
from trio_tools.values import Cause

CLOSING = "the registry is closing"


def _give_up(core: Core, cause: Cause, *, running: bool) -> None:
    """End every unsettled call that still waits for its turn, and with `running` those that have begun as well."""
    now = trio.current_time()
    for call in list(core.unsettled):
        if running or call.stage == "queued":
            call.turn.give_up_one(call, cause, now, None)


def _end_jobs(core: Core) -> None:
    """Cancel every job, and have those that are started from now on be cancelled at once."""
    core.ending = True
    for job in core.jobs:
        job.cancel(CLOSING)


@enable_ki_protection
async def drain(core: Core) -> KeyboardInterrupt | None:
    """Take no more calls and wait for those under way. Returns a Ctrl-C that came meanwhile, for the caller to raise.

    **Cancellation**: not raised; what runs is cancelled, and still awaited: the one unbounded wait, which `pending()`
    shows.
    """
    core.draining = True
    _give_up(core, Cause.SHUTDOWN, running=False)
    return await _rest(core, lambda: bool(core.unsettled))


@enable_ki_protection
async def end(core: Core, *, abruptly: bool) -> KeyboardInterrupt | None:
    """Take no more calls, wait for those under way, then cancel the jobs and wait for them and what they call;
    `abruptly`: cancel all of that first. Returns as `drain` does.

    **Cancellation**: as for `drain`.
    """
    core.draining = True
    _give_up(core, Cause.SHUTDOWN, running=abruptly)
    if abruptly:
        _end_jobs(core)
    interrupt = await _rest(core, lambda: any(not call.aside for call in core.unsettled))
    _end_jobs(core)
    return await _rest(core, lambda: bool(core.unsettled or core.jobs)) or interrupt


async def _rest(core: Core, busy: Callable[[], bool]) -> KeyboardInterrupt | None:
    """Wait until there is nothing to wait for; a cancel and a Ctrl-C cut what is waited for, and not the wait."""
    interrupt: KeyboardInterrupt | None = None
    task = trio.lowlevel.current_task()

    def abort(raise_cancel: RaiseCancelT) -> Abort:
        nonlocal interrupt
        cause = Cause.SHUTDOWN
        try:
            raise_cancel()
        except trio.Cancelled:
            pass
        except KeyboardInterrupt as thrown:
            interrupt, cause = thrown, Cause.INTERRUPT
        _give_up(core, cause, running=True)
        return Abort.FAILED

    while busy():
        core.watchers.add(task)
        await wait_task_rescheduled(abort)
    return interrupt
