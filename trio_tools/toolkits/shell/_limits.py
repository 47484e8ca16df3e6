"""The limits of a command's own: how long it may take, and how long it may say nothing."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import attrs
import trio

from trio_tools.pipeline import deadline

# Seconds that stand for no limit: some thirty years. A deadline wants a finite number.
FOREVER = 1e9
# Seconds of a wait whose time is up already: a deadline wants a positive number.
AT_ONCE = 1e-9


@attrs.frozen(kw_only=True)
class Limits:
    """Seconds: all that a command may take (`timeout`), and may write nothing (`idle`). None: no limit."""

    timeout: float | None = None
    idle: float | None = None


class Limit(Enum):
    """Which limit has ended a command."""

    TIMEOUT = "timeout"
    IDLE = "idle"


class Waited(Protocol):
    """A command that was started."""

    def is_running(self) -> bool:
        """Whether it has not exited."""
        ...

    async def wait_exit(self) -> None:
        """Wait until it has exited, or nobody can say any more whether it has. **Cancellation**: at once."""
        ...


class Output(Protocol):
    """What a command writes."""

    @property
    def wrote(self) -> float:
        """When it last wrote, or began, in seconds on Trio's clock."""
        ...

    def is_waiting(self) -> bool:
        """Whether something has been written, and not been read yet."""
        ...


async def wait_within(limits: Limits, child: Waited, output: Output) -> Limit | None:
    """Wait until `child` has exited or cannot be waited for any more, or is past one of its limits. Returns the limit
    if that was what came first: a command that exits by itself has kept it, also if a blocked loop shows that only
    later.

    **Cancellation**: raised, unless a limit came first: then that is returned, and the next checkpoint raises.
    """
    end = trio.current_time() + (FOREVER if limits.timeout is None else limits.timeout)
    quiet = FOREVER if limits.idle is None else limits.idle
    seen = output.wrote  # when it last wrote, or was seen to have written
    while True:
        idle = max(seen, output.wrote) + quiet
        limit = deadline(max(min(end, idle) - trio.current_time(), AT_ONCE))
        over, given_up = False, None
        try:
            with limit:
                await child.wait_exit()
                over = True
        except trio.Cancelled as cancelled:
            given_up = cancelled
        if limit.expired and not over and child.is_running():
            if end <= idle:
                return Limit.TIMEOUT
            if output.is_waiting():
                seen = trio.current_time()  # written in time, maybe, and a blocked loop or a slow disk kept it from us
            elif output.wrote + quiet <= idle:
                return Limit.IDLE
        if given_up is not None:
            raise given_up
        if over or not child.is_running():
            return None
