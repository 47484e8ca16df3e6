"""Waiting until the calls and jobs of a registry have come to rest.

What comes while it drains is refused, and is not waited for: or there would be no end to it under steady traffic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, wait_task_rescheduled

from trio_tools.pipeline import CallState, Core, JobState
from trio_tools.values import Cause


@enable_ki_protection
async def drain(core: Core) -> KeyboardInterrupt | None:
    """Take no more calls and wait for those under way, but for those of jobs, which go on. Returns a Ctrl-C that came
    meanwhile, for the caller to raise.

    **Cancellation**: not raised; what is waited for is cancelled, and still awaited: the one unbounded wait, which
    `pending()` shows.
    """
    core.draining = True
    core.give_up(Cause.SHUTDOWN, _is_queued)
    return await _rest(core, _is_awaited)


@enable_ki_protection
async def end(core: Core, *, abruptly: bool) -> KeyboardInterrupt | None:
    """Take no more calls, wait for those under way, then cancel the jobs and wait for them and what they call;
    `abruptly`: cancel all of that first. Returns as `drain` does.

    **Cancellation**: as for `drain`.
    """
    core.draining = True
    core.give_up(Cause.SHUTDOWN, _is_any if abruptly else _is_queued)
    if abruptly:
        core.end_jobs()
    interrupt = await _rest(core, _is_awaited)
    core.end_jobs()
    interrupt = await _rest(core, lambda call: not call.late, jobs=core.jobs) or interrupt
    late = set(core.unsettled)  # refused, and about to be published
    return await _rest(core, late.__contains__) or interrupt


def _is_any(_: CallState) -> bool:
    return True


def _is_queued(call: CallState) -> bool:
    return call.stage == "queued"


def _is_awaited(call: CallState) -> bool:
    return call.job is None and not call.late


async def _rest(
    core: Core, awaited: Callable[[CallState], bool], *, jobs: Collection[JobState] = ()
) -> KeyboardInterrupt | None:
    """Wait until no such call is left, and none of these jobs; a cancel and a Ctrl-C cut what is waited for, and not
    the wait."""
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
        core.give_up(cause, awaited)
        return Abort.FAILED

    while jobs or any(map(awaited, core.unsettled)):
        core.watchers.add(task)
        await wait_task_rescheduled(abort)
    return interrupt
