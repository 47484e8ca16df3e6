"""Who changes which file next: for each file, in the order in which they came."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import trio

from trio_tools.toolkits.files._root import Target


class Turns:
    """One queue for each file, by its path without links. `aim` walks a path, in a thread of this limiter."""

    def __init__(self, aim: Callable[[str], Target], limiter: trio.CapacityLimiter) -> None:
        self._aim = aim
        self._limiter = limiter
        self._door = trio.Lock()
        self._queues: dict[str, deque[trio.Event]] = {}

    @asynccontextmanager
    async def of(self, path: str) -> AsyncGenerator[Target, None]:
        """The file that a path leads to, when all who came for it before are done.

        Raises as `aim` does.

        **Cancellation**: the wait ends, and the next in the queue is not kept waiting.
        """
        mine = trio.Event()
        async with self._door:  # walked one after the other, so that they queue in the order in which they came
            target = await trio.to_thread.run_sync(self._aim, path, limiter=self._limiter)
            queue = self._queues.setdefault(target.path, deque())
            queue.append(mine)
        try:
            if queue[0] is not mine:
                await mine.wait()
            yield target
        finally:
            target.close()
            queue.remove(mine)
            if queue:
                queue[0].set()
            else:
                del self._queues[target.path]
