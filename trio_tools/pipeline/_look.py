"""The last look: whether a call has been given up, right before something that cannot be taken back.

A deadline that has passed counts before Trio has processed it, be it that the loop was blocked, and behind shields.
"""

from __future__ import annotations

import contextlib
from math import inf

import trio

from trio_tools.pipeline._state import CallState


def earliest_deadline(call: CallState, *, known: float | None) -> float:
    """The earliest deadline in force, in seconds on Trio's clock; a look at all scopes around, unless the `known` one
    was seen right outside already. What a shield hides was seen when its wrapper or a claim outside it began."""
    deadline = trio.current_effective_deadline() if known is None else known
    for claim in call.claims:
        deadline = min(deadline, claim.around, claim.due)
    return min(deadline, call.seen)


async def is_over(call: CallState) -> bool:
    """Whether the call has been given up or has run out of time: certain after one pass, in which Trio processes the
    deadlines that have passed and the frame of the turn notes whose they were. What was seen may have been moved.

    **Cancellation**: not raised.
    """
    if call.cause is None:
        with contextlib.suppress(trio.Cancelled):
            await trio.lowlevel.checkpoint()
    now = trio.current_time()
    return call.given_up_by(now) <= now or await call.is_cancelled()


async def is_given_up(call: CallState) -> bool:
    """The look at an effect's door: whether the call has been given up by now, or this task is in a scope that has
    been cancelled or whose deadline has passed.

    **Cancellation**: not raised. Nothing is awaited where nothing speaks for it.
    """
    now = trio.current_time()
    # right before the body, where no shield of its own hid anything
    before = inf if call.looked is None else call.looked
    if min(call.given_up_by(now), earliest_deadline(call, known=None), before) > now:
        return False
    return await is_over(call)
