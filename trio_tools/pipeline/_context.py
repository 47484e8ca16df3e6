"""What a running body holds: the call it is, and what it may report."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline._action import Action, PlainAction, irreversible, irreversible_in_thread
from trio_tools.pipeline._core import logger
from trio_tools.pipeline._faults import run_sync
from trio_tools.pipeline._job import JobState, Words, Work, begin_job
from trio_tools.pipeline._state import CallState
from trio_tools.pipeline._view import CallView
from trio_tools.tool import Job
from trio_tools.values import CallToken, JSONValue, Progress, Session, ToolCall, ToolResult, freeze, printable

S = TypeVar("S")


class _Context:
    """What the contexts of both kinds of body have alike."""

    __slots__ = ("_state",)

    def __init__(self, state: CallState) -> None:
        self._state = state

    @property
    def call(self) -> ToolCall:
        return self._state.frozen_call

    @property
    def token(self) -> CallToken:
        return self._state.token

    @property
    def session(self) -> Session | None:
        return self._state.turn.session

    @property
    def cancel_requested(self) -> bool:
        return self._state.cancel_requested

    @property
    def cancel_reason(self) -> str | None:
        return self._state.reason

    @property
    def deadline(self) -> float:
        return self._state.deadline_here

    @enable_ki_protection
    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        _deliver(self._state, _progress(done, total, message))

    @enable_ki_protection
    def defer_context(self, item: object) -> None:
        frozen = freeze(item)
        if not self._state.over:
            self._state.body_contexts += (frozen,)

    def conclude_turn(self) -> None:
        self._state.concludes = True

    def require(self, service: type[S]) -> S:
        return self._state.turn.core.services.require(service, None)

    def sees(self, job: Job) -> bool:
        return isinstance(job, JobState) and self._state.turn.reach.holds(job.reach)


class BodyContext(_Context):
    """The `ToolContext` of an async body."""

    __slots__ = ()

    @enable_ki_protection
    def execute(self, call: ToolCall, *, scope: trio.CancelScope) -> Coroutine[Any, Any, ToolResult]:
        return self._state.turn.nested(self._state, call, scope)

    @enable_ki_protection
    def irreversible(
        self, name: str, action: Action, *, key: str | None = None, timeout: float | None = None
    ) -> Coroutine[Any, Any, JSONValue]:
        return irreversible(self._state, name, action, key=key, timeout=timeout)

    @enable_ki_protection
    def start_job(
        self, function: Work, *, name: str | None = None, kind: str = "job", words: Words | None = None
    ) -> JobState:
        return begin_job(self._state, function, name=name, kind=kind, words=words)


class ThreadContext(_Context):
    """The `SyncToolContext` of a plain function, used from its thread."""

    __slots__ = ("_token",)

    def __init__(self, state: CallState) -> None:
        super().__init__(state)
        self._token = trio.lowlevel.current_trio_token()

    @property
    def cancel_requested(self) -> bool:
        if self._state.cause is not None:
            return True
        try:
            trio.from_thread.check_cancelled()
        except trio.Cancelled:
            return True
        except RuntimeError:
            return False  # not the body's own thread, and nobody has given the call up
        return False

    @property
    def deadline(self) -> float:
        return self._state.deadline

    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        progress = _progress(done, total, message)
        with contextlib.suppress(trio.RunFinishedError):  # late progress is dropped
            # in order, and ahead of the thread's own return
            self._token.run_sync_soon(_deliver, self._state, progress)

    def check_cancelled(self) -> None:
        trio.from_thread.check_cancelled()

    def execute(self, call: ToolCall, *, scope: trio.CancelScope) -> ToolResult:
        # in the call's own task, inside its scopes: whatever ends the call ends what it makes
        return trio.from_thread.run(self._nested, call, scope)

    @enable_ki_protection
    async def _nested(self, call: ToolCall, scope: trio.CancelScope) -> ToolResult:
        return await self._state.turn.nested(self._state, call, scope)

    def irreversible(self, name: str, action: PlainAction, *, key: str | None = None) -> JSONValue:
        return irreversible_in_thread(self._state, name, action, key)

    def start_job(
        self, function: Work, *, name: str | None = None, kind: str = "job", words: Words | None = None
    ) -> JobState:
        begin = partial(begin_job, self._state, function, name=name, kind=kind, words=words)
        return trio.from_thread.run_sync(begin)


def _progress(done: float, total: float | None, message: str | None) -> Progress:
    for number in (done, total):
        if number is not None and not math.isfinite(number):
            raise ValueError(f"progress is told in finite numbers, not {number!r}")
    if message is not None and not isinstance(message, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a progress message is a string, not {type(message).__name__}")
    return Progress(done, total, message)


@enable_ki_protection
def _deliver(call: CallState, progress: Progress) -> None:
    """Renew idle budgets and tell the observers, unless the call is over."""
    if call.over:
        return
    call.renew_idle_claims()
    for observer in call.turn.core.progress_observers.functions:
        try:
            run_sync(observer, CallView(call), progress)
        except BaseException as thrown:
            call.turn.fault_in(thrown)
            logger.warning("a progress observer failed on call %r: %s", call.name, printable(thrown))
