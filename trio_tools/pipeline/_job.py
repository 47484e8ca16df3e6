"""Jobs: work that a body starts and that outlives its call.

A job's task is in the registry's nursery, and inside no call: what ends the call leaves it alone. It ends by itself, by
`cancel`, or with the registry, which waits until it has come to rest. It never raises: what it came to is its notice.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._carried import ZONE, carried, enclosing, is_within
from trio_tools.pipeline._core import CLOSING, logger, name_of
from trio_tools.pipeline._faults import run_async, run_either, run_sync, take_apart
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._where import where
from trio_tools.tool import MAX_RESULT_BYTES
from trio_tools.values import (
    CallToken,
    ErrorCode,
    ErrorInfo,
    JobNotice,
    JobStatus,
    JSONValue,
    NotJSON,
    Session,
    exception_error,
    printable,
    safe,
    to_plain,
)

Work: TypeAlias = Callable[[], Awaitable[object]]
Words: TypeAlias = Callable[[JobNotice], str | None]

# What the id of a job may begin with: it stands in texts, and on command lines.
KIND = re.compile(r"[a-z][a-z0-9_-]{0,31}")


class JobState:
    """A job: what `start_job` gives, and what its task and the registry know of it. It keeps nothing of the call that
    started it but which one that was."""

    def __init__(self, starter: CallState, function: Work, name: str, *, kind: str, words: Words | None) -> None:
        core = starter.turn.core
        core.jobs_begun[kind] += 1
        self.starter = starter.identity
        self.reach = starter.turn.reach
        self._core = core
        self._session = starter.turn.session
        self._function: Work | None = function  # let go of when it begins: it may hold the context of its starter
        self._words = words
        self._scope = trio.CancelScope()
        self._began = trio.current_time()
        self._status = JobStatus.RUNNING
        self._reason: str | None = None
        self._notice: JobNotice | None = None
        self._ended = trio.Event()
        self._task: trio.lowlevel.Task | None = None
        self._id = f"{kind}-{core.jobs_begun[kind]}"
        self._name = safe(name)

    def __repr__(self) -> str:
        return f"<job {self._id} {self._name!r}, {self._status}>"

    @property
    def id(self) -> str:
        """Tells it from every other job of its registry."""
        return self._id

    @property
    def name(self) -> str:
        """For people."""
        return self._name

    @property
    def session(self) -> Session | None:
        """On whose behalf."""
        return self._session

    @property
    def call(self) -> CallToken:
        """The token of the call which started it."""
        return self.starter.token

    @property
    def status(self) -> JobStatus:
        """How far it got."""
        return self._status

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return trio.current_time() - self._began if self._notice is None else self._notice.seconds

    @property
    def notice(self) -> JobNotice | None:
        """What it came to; None until it has come to rest."""
        return self._notice

    @property
    def where(self) -> tuple[str, ...]:
        """Where it is stuck."""
        return where(self._task)

    @enable_ki_protection
    def cancel(self, reason: str | None = None) -> bool:
        """As `Job.cancel`."""
        if self._status is not JobStatus.RUNNING:
            return False
        self._status, self._reason = JobStatus.STOPPING, reason
        self._scope.cancel(reason)
        return True

    async def wait(self) -> JobNotice:
        """As `Job.wait`.

        **Cancellation**: the wait ends, the job goes on.
        """
        await self._ended.wait()
        assert self._notice is not None
        return self._notice

    @enable_ki_protection
    async def run(self) -> None:
        """The task of the job. Never raises; one that was cancelled before it began enters nothing, and nobody but who
        waits for it is told.

        **Cancellation**: its function is cut, and awaited; whoever is cancelled around it raises that for himself.
        """
        tasks = carried()
        self._task = task = trio.lowlevel.current_task()
        tasks[task] = self
        ZONE.set(None)  # a job that was started in an effect is not inside it
        function, self._function = self._function, None
        begins = self._status is JobStatus.RUNNING
        try:
            notice = await self._worked(function if begins else None)
            self._status, self._notice = notice.status, notice
            self._ended.set()
            if begins:
                await self._tell(notice)
        finally:
            self._task = None
            del tasks[task]
            del self._core.jobs[self]
            self._core.wake_watchers()

    async def _worked(self, function: Work | None) -> JobNotice:
        value: JSONValue = None
        error: ErrorInfo | None = None
        cut = False
        try:
            with self._scope:
                try:
                    if function is not None:
                        value = run_sync(_written, await run_async(function))
                    await trio.lowlevel.checkpoint_if_cancelled()
                except NotJSON as problem:
                    error = ErrorInfo("JobOutputError", ErrorCode.INVALID_TOOL_OUTPUT, f"what it returned: {problem}")
                except BaseException as thrown:
                    cut = True
                    error = self._error_in(thrown)
        except RuntimeError as misnested:  # it has left a scope of its own open
            error = exception_error(misnested, ErrorCode.TOOL_FAILED)
        status = JobStatus.FAILED if error else JobStatus.KILLED if cut else JobStatus.COMPLETED
        notice = JobNotice(
            job=self._id,
            name=self._name,
            session=self._session,
            status=status,
            seconds=trio.current_time() - self._began,
            value=value if status is JobStatus.COMPLETED else None,
            error=error,
            reason=self._reason,
        )
        words, self._words = self._words, None
        return notice if words is None else attrs.evolve(notice, text=self._worded(words, notice))

    def _worded(self, words: Words, notice: JobNotice) -> str | None:
        """What the words of who started it make of the notice; if they fail, it reads as any."""
        try:
            text = run_sync(words, notice)
            return None if text is None else safe(text)
        except BaseException as thrown:
            self._note(f"the words of job {self._id}", thrown)
            return notice.text

    def _error_in(self, thrown: BaseException) -> ErrorInfo | None:
        """What failed; None for nothing but cancellations. Ctrl-C ends the registry, as an error of its block would."""
        fault = take_apart(thrown)
        if fault.interrupt is not None:
            self._reason = self._reason or "Ctrl-C"
            self._core.interrupted(fault.interrupt)
        failure = fault.failure
        if failure is None and fault.interrupt is None and trio.current_effective_deadline() > trio.current_time():
            failure = thrown  # a Cancelled that it had kept from elsewhere
        return None if failure is None else exception_error(failure, ErrorCode.TOOL_FAILED)

    async def _tell(self, notice: JobNotice) -> None:
        core = self._core
        if not core.job_observers.functions and notice.status is JobStatus.FAILED:
            logger.warning("%s, and nobody observes jobs", notice.line)
        # bounded by observer_grace: whoever listens hears of a cancelled job as well
        with trio.CancelScope(shield=True, relative_deadline=core.observer_grace):
            for observer in core.job_observers.functions:
                try:
                    await run_either(observer, notice)
                except BaseException as thrown:
                    self._note(f"observer {name_of(observer)} of job {self._id}", thrown)

    def _note(self, listener: str, thrown: BaseException) -> None:
        """Log that a listener failed; a Ctrl-C in it ends the registry."""
        fault = take_apart(thrown)
        if fault.interrupt is not None:
            self._core.interrupted(fault.interrupt)
        what = "was cut off" if fault.failure is None else f"failed: {printable(thrown)}"
        logger.warning("%s %s", listener, what)


def _written(value: object) -> JSONValue:
    return to_plain(value, max_bytes=MAX_RESULT_BYTES)


def begin_job(starter: CallState, function: Work, *, name: str | None, kind: str, words: Words | None) -> JobState:
    """Start a job on behalf of a call. One of a call that has been given up, of a job that was cancelled, or of a
    registry that ends its jobs is cancelled before it begins, and its function is not entered.

    Raises `RuntimeError` after the call has settled, but for its own jobs; `TypeError` for what cannot be called and
    for a name that is no string, `ValueError` for a kind that is none.
    """
    given: object = function
    if inspect.iscoroutine(given):
        given.close()  # never awaited, and so it shall not warn
        raise TypeError("a job is an async function without arguments: pass it as it is, uncalled")
    if not callable(function):
        raise TypeError(f"a job is an async function without arguments, not {type(function).__name__}")
    if name is not None and not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a job's name must be a string, not {type(name).__name__}")
    if KIND.fullmatch(kind) is None:
        raise ValueError(f"a job's kind is a lower-case word of at most 32 characters, such as bash, not {kind!r}")
    if starter.over and not is_within(starter):
        raise RuntimeError("the call has settled: it can start no more jobs")
    core = starter.turn.core
    assert core.nursery is not None  # open for as long as there are calls
    job = JobState(starter, function, name_of(_bare(function)) if name is None else name, kind=kind, words=words)
    core.jobs[job] = None
    around = enclosing()
    above = around.job if isinstance(around, CallState) else around
    if core.ending:
        job.cancel(CLOSING)
    elif (not starter.over and starter.cancel_requested) or (above is not None and above.status is JobStatus.STOPPING):
        job.cancel("what starts it has been given up")
    core.nursery.start_soon(job.run, name=f"{job.id} {job.name}")
    return job


def job_tasks() -> list[trio.lowlevel.Task]:
    """The tasks that carry jobs in this run of Trio."""
    return [task for task, one in carried().items() if isinstance(one, JobState)]


def in_job() -> bool:
    """Whether this task is in a job, or in a call that a job makes."""
    around = enclosing()
    while isinstance(around, CallState):
        around = around.around_it or around.job
    return around is not None


def _bare(function: object) -> object:
    while isinstance(function, functools.partial):
        function = function.func  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return function  # pyright: ignore[reportUnknownVariableType]
