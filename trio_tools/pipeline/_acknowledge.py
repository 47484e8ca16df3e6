"""Waiting for what a recorder tells later, without a scope round each wait.

To make and to leave a shield with a bound costs more than all else there is to recording. So a wait here refuses to be
cut, and of all who wait in a registry one keeps the time for the others: it alone is in a scope.
"""

from __future__ import annotations

from collections.abc import Generator

import trio
from trio.lowlevel import Abort, RaiseCancelT, Task


class Acknowledgement:
    """An awaitable for a recorder to return that writes many events at once: one object for all who wait for them. A
    registry waits for it at a fraction of what another awaitable costs.

    It is over once, by `give` or `refuse`; awaiting it then raises what it was refused for.
    """

    __slots__ = ("_parked", "error", "is_over")

    def __init__(self) -> None:
        self.is_over = False
        self.error: Exception | None = None
        self._parked: dict[Task, None] = {}

    @property
    def is_awaited(self) -> bool:
        """Whether anybody waits for it now."""
        return bool(self._parked)

    def give(self) -> None:
        """What is waited for has happened."""
        self.is_over = True
        for task in self._parked:
            trio.lowlevel.reschedule(task)
        self._parked.clear()

    def refuse(self, error: Exception) -> None:
        """It has not happened, and will not: that is why."""
        self.error = error
        self.give()

    def __await__(self) -> Generator[object, None, None]:
        if not self.is_over:
            yield from self.park(trio.lowlevel.current_task(), cancellable=True).__await__()
        if self.error is not None:
            raise self.error

    async def park(self, task: Task, *, cancellable: bool) -> None:
        """Sleep until it is over, or until `unpark`.

        **Cancellation**: the wait ends, and nothing else; or it goes on, if it is not `cancellable`.
        """

        def leave(_: RaiseCancelT) -> Abort:
            del self._parked[task]
            return Abort.SUCCEEDED

        self._parked[task] = None
        await trio.lowlevel.wait_task_rescheduled(leave if cancellable else _stay)

    def unpark(self, task: Task) -> bool:
        """Wake this one, if it sleeps here."""
        if task not in self._parked:
            return False
        del self._parked[task]
        trio.lowlevel.reschedule(task)
        return True


def _stay(_: RaiseCancelT) -> Abort:
    return Abort.FAILED


class Grace:
    """The bound of these waits, the same for all, in seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._waiting: dict[Task, Acknowledgement] = {}  # in the order in which their time is up
        self._keeper: Task | None = None

    async def wait(self, acknowledgement: Acknowledgement) -> bool:
        """Wait until it is over, and say whether that was in time.

        **Cancellation**: not raised; it has its bound.
        """
        if acknowledgement.is_over:
            return True
        task = trio.lowlevel.current_task()
        deadline = trio.current_time() + self.seconds
        self._waiting[task] = acknowledgement
        while not acknowledgement.is_over and trio.current_time() < deadline:
            self._keeper = self._keeper or task
            if self._keeper is task:
                # bounded by the grace: who waits for a record waits for it whatever is cancelled around
                with trio.CancelScope(shield=True, deadline=deadline):
                    await acknowledgement.park(task, cancellable=True)
            else:
                await acknowledgement.park(task, cancellable=False)
        del self._waiting[task]
        if self._keeper is task:
            self._appoint()
        return trio.current_time() < deadline

    def _appoint(self) -> None:
        """Have the one who waits longest keep the time."""
        self._keeper = None
        for task, acknowledgement in self._waiting.items():
            if acknowledgement.unpark(task):
                self._keeper = task
                return
