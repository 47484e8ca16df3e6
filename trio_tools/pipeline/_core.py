"""What all calls of one registry share: its tools, its seams, its bounds, and which calls are unsettled."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import attrs
import trio

from trio_tools.pipeline._acknowledge import Grace
from trio_tools.pipeline._keys import Keys
from trio_tools.pipeline._services import Services
from trio_tools.values import CallEvent, Cause, Decision, ErrorInfo, JobNotice, Progress, Review, ToolResult

if TYPE_CHECKING:
    from trio_tools.pipeline._job import JobState
    from trio_tools.pipeline._next import CallNext
    from trio_tools.pipeline._state import CallState
    from trio_tools.pipeline._view import CallView, Dispatch, SettledView

logger = logging.getLogger("trio_tools")
effects_logger = logging.getLogger("trio_tools.effects")  # for authors of tools, who may want it apart

# Why a job was cancelled that nobody cancelled by name.
CLOSING = "the registry is closing"

PrePolicy: TypeAlias = "Callable[[CallView], Decision | Awaitable[Decision]]"
Wrapper: TypeAlias = "Callable[[Dispatch, CallNext], Awaitable[ToolResult]]"
PostPolicy: TypeAlias = "Callable[[CallView, ToolResult], Review | Awaitable[Review]]"
Observer: TypeAlias = "Callable[[SettledView, ToolResult], Awaitable[None] | None]"
ProgressObserver: TypeAlias = "Callable[[CallView, Progress], None]"
Recorder: TypeAlias = "Callable[[CallEvent], Awaitable[None] | None]"
JobObserver: TypeAlias = "Callable[[JobNotice], Awaitable[None] | None]"

F = TypeVar("F")


def name_of(function: object) -> str:
    """What a message calls a function of a seam, or an object that stands for one."""
    return getattr(function, "__qualname__", type(function).__qualname__)


@attrs.frozen(eq=False)
class Entry(Generic[F]):
    """A function at a seam, and the plugin that added it; None for the program itself. Each is equal to itself only."""

    function: F
    owner: str | None


class Seam(Generic[F]):
    """Functions in registration order. A call takes the tuple as it stands, so a change concerns later calls only."""

    __slots__ = ("_entries", "functions")

    def __init__(self) -> None:
        self._entries: dict[Entry[F], None] = {}
        self.functions: tuple[F, ...] = ()

    @property
    def entries(self) -> tuple[Entry[F], ...]:
        """The functions in order, each with who added it."""
        return tuple(self._entries)

    def add(self, function: F, owner: str | None = None) -> Callable[[], None]:
        """Put the function last, on behalf of a plugin or (None) of the program; what is returned takes this very entry
        out again, and no equal one (R028)."""
        entry = Entry(function, owner)
        self._entries[entry] = None
        self._changed()

        def remove() -> None:
            del self._entries[entry]
            self._changed()

        return remove

    def _changed(self) -> None:
        self.functions = tuple(entry.function for entry in self._entries)

    def live(self) -> Iterator[F]:
        """The functions in order, with those that are added while they are gone through (R028)."""
        done: set[Entry[F]] = set()
        while left := self._entries.keys() - done:
            entry = next(entry for entry in self._entries if entry in left)
            done.add(entry)
            yield entry.function


@attrs.define(eq=False, kw_only=True)
class Core:
    """The state of one registry that its calls read, and the sets of calls and jobs that have not come to an end."""

    max_parallel_calls: int
    policy_grace: float  # seconds that all post-policies of a call may take
    observer_grace: float  # seconds that all observers of a call may take
    recording: Grace  # the seconds that recording one event may take, and who waits in them
    services: Services
    pre_policies: Seam[PrePolicy] = attrs.field(factory=Seam["PrePolicy"])
    wrappers: Seam[Wrapper] = attrs.field(factory=Seam["Wrapper"])
    post_policies: Seam[PostPolicy] = attrs.field(factory=Seam["PostPolicy"])
    observers: Seam[Observer] = attrs.field(factory=Seam["Observer"])
    progress_observers: Seam[ProgressObserver] = attrs.field(factory=Seam["ProgressObserver"])
    recorders: Seam[Recorder] = attrs.field(factory=Seam["Recorder"])
    job_observers: Seam[JobObserver] = attrs.field(factory=Seam["JobObserver"])
    # each has lost the end of a call, and why
    failed_recorders: list[tuple[Recorder, ErrorInfo]] = attrs.field(factory=list["tuple[Recorder, ErrorInfo]"])
    unsettled: dict[CallState, None] = attrs.field(factory=dict["CallState", None])  # in order of arrival
    jobs: dict[JobState, None] = attrs.field(factory=dict["JobState", None])  # not ended, in order of their start
    jobs_begun: Counter[str] = attrs.field(factory=Counter[str])  # of each kind
    keys: Keys = attrs.field(factory=Keys)  # idempotency keys of effects
    unnamed: set[str] = attrs.field(factory=set[str])  # destructive tools that were warned about: they name no effect
    nursery: trio.Nursery | None = None  # where jobs live, for as long as the registry is open
    block: trio.CancelScope | None = None  # round the block of open_registry
    interrupt: KeyboardInterrupt | None = None  # a Ctrl-C that reached a job: it goes on, bare, when all has ended
    leaving: tuple[str, trio.lowlevel.Task | None] | None = None  # the plugin that is waited for, and its task
    draining: bool = False
    ending: bool = False  # its jobs are being cancelled, and so is whatever is started now
    closed: bool = False  # the block of open_registry has ended
    watchers: set[trio.lowlevel.Task] = attrs.field(factory=set[trio.lowlevel.Task])  # parked until something has ended

    @property
    def refusal(self) -> str | None:
        """Why new calls are refused: a recorder that is still registered has lost an event."""
        for recorder in self.recorders.functions:
            for failed, error in self.failed_recorders:
                if recorder is failed:
                    lost = f"recorder {name_of(recorder)} has lost the end of a call"
                    return f"{lost}, and new calls are refused until it is removed: {error.message}"
        return None

    def left(self, call: CallState) -> None:
        """A call has settled and is published, or a fault of ours has ended its turn."""
        self.unsettled.pop(call, None)
        if self.watchers:
            self.wake_watchers()

    def give_up(self, cause: Cause, whom: Callable[[CallState], bool]) -> None:
        """End every unsettled call that is one of those, waiting ones before they start."""
        now = trio.current_time()
        for call in list(self.unsettled):
            if whom(call):
                call.turn.give_up_one(call, cause, now, None)

    def end_jobs(self) -> None:
        """Cancel every job with the calls that it makes, and have those that are started from now on be cancelled at
        once."""
        self.ending = True
        self.give_up(Cause.SHUTDOWN, lambda call: call.job is not None)
        for job in self.jobs:
            job.cancel(CLOSING)

    def crash(self, cause: Cause, reason: str) -> None:
        """Something that the registry stands on has failed: it ends as by an error of its block."""
        self.draining = True
        self.give_up(cause, lambda call: True)
        if self.block is not None:
            self.block.cancel(reason)

    def interrupted(self, interrupt: KeyboardInterrupt) -> None:
        """Ctrl-C reached a job: the registry ends, and the interrupt goes on."""
        self.interrupt = self.interrupt or interrupt
        self.crash(Cause.INTERRUPT, "Ctrl-C")

    def wake_watchers(self) -> None:
        """Have those who wait for calls and jobs to end look again."""
        for task in self.watchers:
            trio.lowlevel.reschedule(task)
        self.watchers.clear()
