"""`deadline`: a time limit of a capability's own (a command, a fetch), told apart from everybody else's."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from types import TracebackType

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._carried import current_call
from trio_tools.pipeline._claim import earliest
from trio_tools.values import check_seconds


class Deadline:
    """A time limit in force. Made by `deadline`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._scope = trio.CancelScope()
        self._around = inf  # the deadline that was in force when this one was entered
        self._expired = False

    @property
    def expired(self) -> bool:
        """Whether its own time ran out first: before the call was given up, before any deadline around it, and before
        the block was left. Settled when the block is left; False before."""
        return self._expired

    def renew(self) -> None:
        """Start the time anew, unless it has run out already."""
        now = trio.current_time()
        if now < self._scope.deadline:
            self._scope.deadline = now + self._seconds

    @enable_ki_protection
    def __enter__(self) -> Deadline:
        self._around = trio.current_effective_deadline()
        self._scope.deadline = trio.current_time() + self._seconds
        self._scope.__enter__()
        return self

    @enable_ki_protection
    def __exit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        due, now = self._scope.deadline, trio.current_time()
        swallowed = self._scope.__exit__(kind, thrown, traceback)
        self._expired = due <= now and self._was_first(due, thrown)
        return swallowed

    def _was_first(self, due: float, thrown: BaseException | None) -> bool:
        call = current_call()
        if call is not None and earliest(call.claims) <= due:
            return False  # the call's own budget was
        around = trio.current_effective_deadline()
        if around > -inf:
            return due < around  # nothing around has been cancelled; its deadline may have passed unnoticed
        if call is not None and call.cause is not None:
            return due < call.cancelled_at
        # what cancelled the block first is told to whoever is cancelled in it: by hand is not by this limit
        by_hand = any(cut.source != "deadline" for cut in _cancellations(thrown))
        return due < self._around and not by_hand


def _cancellations(thrown: BaseException | None) -> Iterator[trio.Cancelled]:
    if isinstance(thrown, trio.Cancelled):
        yield thrown
    elif isinstance(thrown, BaseExceptionGroup):
        group: BaseExceptionGroup[BaseException] = thrown  # pyright: ignore[reportUnknownVariableType]
        for one in group.exceptions:
            yield from _cancellations(one)


def deadline(seconds: float) -> Deadline:
    """A context manager that cancels its block after so many seconds, and then says so in `.expired`.

    Arguments: `seconds`, positive and finite. The block ends without an exception when its time has run out; the
    caller's cancellation goes on as ever. Raises `ValueError` for seconds that are not positive and finite.

    **Cancellation**: `.expired` is true only if this very limit was the first thing that ended the block; a limit that
    runs out while the block already cleans up after another cancel does not count. One case cannot be told apart:
    outside a tool call, a scope cancelled by hand around a block that swallows `Cancelled` and outlives the limit.
    """
    return Deadline(check_seconds("seconds", seconds))
