"""Why a cancelled run does not end: what a second Ctrl-C prints (D19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trio_tools import Job, LeavingPlugin, PendingCall

# Calls, and jobs, that are told of. The registry runs far fewer at once; the rest waits, and has nowhere to be stuck.
MAX_CALLS = 20


def stuck(
    calls: Iterable[PendingCall], jobs: Sequence[Job] = (), leaving: LeavingPlugin | None = None, *, unwritten: int
) -> Iterator[str]:
    """Lines that say where each pending call and job is stuck, and the plugin that is leaving, and how many results
    wait for whoever reads them.

    They hold names as they came: to be made printable.
    """
    pending = list(calls)
    if not pending and not jobs and leaving is None and not unwritten:
        yield "no call is pending"
    if unwritten:
        yield f"lines that nobody has read from standard output yet: {unwritten}"
    for call in pending[:MAX_CALLS]:
        since = call.seconds_since_cancel
        ago = "not cancelled" if since is None else f"cancelled {since:.1f} s ago"
        name = call.tool if call.id is None else f"{call.tool} {call.id}"
        yield f"pending: {name}, in {call.stage} for {call.seconds_in_stage:.1f} s, {ago}"
        yield from (f"  {place}" for place in call.where)
    if len(pending) > MAX_CALLS:
        yield f"and {len(pending) - MAX_CALLS} more"
    for job in jobs[:MAX_CALLS]:
        yield f"job: {job.name} ({job.id}), {job.status}, started {job.seconds:.1f} s ago"
        yield from (f"  {place}" for place in job.where)
    if len(jobs) > MAX_CALLS:
        yield f"and {len(jobs) - MAX_CALLS} more jobs"
    if leaving is not None:
        yield f'plugin "{leaving.name}" has not left yet'
        yield from (f"  {place}" for place in leaving.where)
    yield "press Ctrl-C again to leave at once, without cleaning up"
