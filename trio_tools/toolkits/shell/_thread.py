"""What blocks is run in a thread, if one can be had: a command may have taken all the processes that its user may have,
and threads count among them. Stopping it must not fail of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import trio

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def in_thread(function: Callable[[*Ts], T], *arguments: *Ts, limiter: trio.CapacityLimiter) -> T:
    """Run `function`, which raises no `RuntimeError` of its own, in a thread; if none can be started, here, where it
    holds up everybody for as long as it takes.

    **Cancellation**: before it starts; what has begun is finished.
    """
    try:
        return await trio.to_thread.run_sync(function, *arguments, limiter=limiter)
    except RuntimeError:  # "can't start new thread"
        return function(*arguments)
