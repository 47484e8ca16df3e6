"""Permits that a call may hold: tokens of limiters, semaphores and locks."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import attrs
import trio

_LOCK = type(threading.Lock())
_KINDS = (trio.CapacityLimiter, trio.Semaphore, trio.Lock, trio.StrictFIFOLock, trio.Condition, _LOCK)


@attrs.frozen
class Permits:
    """Limiters, semaphores and locks, each with how many permits of it were taken."""

    taken: tuple[tuple[object, int], ...]

    def kept(self) -> list[str]:
        """Those of which more are taken now, in words."""
        now = ((permit, before, _taken(permit)) for permit, before in self.taken)
        return [f"{_shown(permit)}: {taken - before} not given back" for permit, before, taken in now if taken > before]


def gives_permits(one: object) -> bool:
    """Whether it is a limiter, a semaphore or a lock."""
    return isinstance(one, _KINDS)


def permits(objects: Iterable[object]) -> Permits:
    """The state of those of these objects that give permits."""
    return Permits(tuple((one, _taken(one)) for one in objects if gives_permits(one)))


def _taken(permit: object) -> int:
    """How many permits are taken by what is not there any more; of a semaphore, which does not know by whom, how many
    are missing, which may be below 0."""
    match permit:
        case trio.CapacityLimiter():
            return sum(not _is_alive(borrower) for borrower in permit.statistics().borrowers)
        case trio.Semaphore():
            return -permit.value
        case trio.Lock() | trio.StrictFIFOLock():
            return _held(permit.statistics())
        case trio.Condition():
            return _held(permit.statistics().lock_statistics)
        case _:
            return int(permit.locked()) if isinstance(permit, _LOCK) else 0


def _held(lock: trio.LockStatistics) -> int:
    return int(lock.locked and not _is_alive(lock.owner))


def _is_alive(holder: object) -> bool:
    """Whether it is a task that goes on, and so of a plugin or a job: those of the call have ended."""
    return isinstance(holder, trio.lowlevel.Task) and holder.coro.cr_frame is not None


def _shown(permit: object) -> str:
    match permit:
        case trio.CapacityLimiter():
            return f"a limiter of {permit.total_tokens:g}"
        case trio.Semaphore():
            return "a semaphore"
        case _:
            return f"a {type(permit).__name__}"
