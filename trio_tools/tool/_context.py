"""What a tool's body may do, apart from its own work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import trio

from trio_tools.values import CallToken, JobNotice, JobStatus, JSONValue, Session, ToolCall, ToolResult

S = TypeVar("S")


class Job(Protocol):
    """Work that outlives the call which started it, by `start_job`."""

    @property
    def id(self) -> str:
        """Tells it from every other job of its registry."""
        ...

    @property
    def name(self) -> str:
        """What it was called when it was started, or the name of its function."""
        ...

    @property
    def session(self) -> Session | None:
        """On whose behalf: that of the call which started it."""
        ...

    @property
    def call(self) -> CallToken:
        """The token of the call which started it."""
        ...

    @property
    def status(self) -> JobStatus:
        """How far it got."""
        ...

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        ...

    @property
    def where(self) -> tuple[str, ...]:
        """Where it is stuck: a chain of `file:line function`, outermost first, of its task and its child tasks."""
        ...

    @property
    def notice(self) -> JobNotice | None:
        """What it came to; None until it has come to rest."""
        ...

    def cancel(self, reason: str | None = None) -> bool:
        """Stop it; it is `stopping` until it has come to rest. Whether it was this that stopped it: one that has ended,
        or been cancelled before, is left alone. For use on Trio's own thread."""
        ...

    async def wait(self) -> JobNotice:
        """Wait until it has come to rest, and return what it came to.

        **Cancellation**: the wait ends, the job goes on.
        """
        ...


class _AnyContext(Protocol):
    """What the bodies of both kinds may do."""

    @property
    def call(self) -> ToolCall:
        """The call that is being run."""
        ...

    @property
    def token(self) -> CallToken:
        """Tells it from every other: what policies and observers see as the token of this call."""
        ...

    @property
    def session(self) -> Session | None:
        """On whose behalf, if anybody's."""
        ...

    @property
    def cancel_requested(self) -> bool:
        """Whether the call has been given up: by its caller, an operator, or because a budget ran out."""
        ...

    @property
    def cancel_reason(self) -> str | None:
        """What was said when the call was given up, if anything was."""
        ...

    @property
    def deadline(self) -> float:
        """When the call runs out of time, in seconds on Trio's clock; `inf` if it does not."""
        ...

    def report_progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, and keep an idle budget from running out.

        Arguments: `done` of `total`, in a unit of the tool's own; `message` for a person. Raises `ValueError` for
        numbers that are not finite and `TypeError` for a message that is not a string. Late progress is dropped.
        """
        ...

    def defer_context(self, item: object) -> None:
        """Ask for a JSON value to be added to the conversation after the turn's results.

        Raises `NotJSON` for what is not JSON. Kept whatever becomes of the call.
        """
        ...

    def conclude_turn(self) -> None:
        """Ask the agent to stop after this turn. Holds only if this call succeeds."""
        ...

    def require(self, service: type[S]) -> S:
        """The service of this type that a plugin provides. Raises `LookupError` if none does, naming who could."""
        ...

    def sees(self, job: Job) -> bool:
        """Whether a job was started through the view that this call came by, or through one made from that. One that is
        not seen is to be answered for like one that does not exist."""
        ...

    def start_job(
        self,
        function: Callable[[], Awaitable[object]],
        *,
        name: str | None = None,
        kind: str = "job",
        words: Callable[[JobNotice], str | None] | None = None,
    ) -> Job:
        """Start work that outlives this call, in the registry's own nursery.

        Arguments: `function`, an async function without arguments; what it returns is to be a JSON value. `name`, for
        people; by default the function's. `kind`, a lower-case word that its id begins with, such as `bash` for
        `bash-1`. `words`, a plain function that is given the notice of its end before anybody else, and returns what
        the session's model is to be told in place of the usual line; None, if the model knows already.

        A job ends by itself, by `cancel`, or with the registry, which cancels it and waits until it has come to rest;
        then its session's notice goes to those who observe jobs. One that is started by a call which has been given up
        is cancelled before it begins, and nobody is told of it.

        Raises `RuntimeError` once the call has settled, but for what its jobs start in their turn; `TypeError` for what
        cannot be called and for a name that is no string, `ValueError` for a kind that is no such word.
        """
        ...


class ToolContext(_AnyContext, Protocol):
    """Given to an `async def` body that has a parameter annotated with it; never part of the schema."""

    def execute(self, call: ToolCall, *, scope: trio.CancelScope) -> Awaitable[ToolResult]:
        """Run another tool call inside this one, through all stages, and return its one result.

        Arguments: `scope`, a new one that the body owns: cancel it, or give it a deadline, to end that call alone. It
        has this call's session and tools in reach, and this call as its parent. It waits for no pool's token that calls
        around it hold.

        Raises `TypeError` without a scope, and `RuntimeError` for one that was entered before and in a task that is
        inside of neither this call, as long as it runs, nor one of its jobs: nothing would wait there for what is made.
        What goes wrong with the call itself is a result.

        **Cancellation**: when `scope` is cancelled, the call settles and its result is returned. When this call is
        given up the other one is stopped, settles, is published, and then `Cancelled` is raised.
        """
        ...

    async def irreversible(
        self,
        name: str,
        action: Callable[[], Awaitable[object]],
        *,
        key: str | None = None,
        timeout: float | None = None,
    ) -> JSONValue:
        """Do what cannot be undone: await `action`, past one last look, where no cancel cuts it, and return its
        receipt.

        Arguments: `name`, what a model reads of it, such as `mail.send`; `action`, an async function without arguments,
        which returns its receipt, a JSON value (`None` is one). It raises `EffectUnknownError` if it has lost sight of
        what it began, and anything else only if nothing went through. Do reads and preparations before it. `timeout`,
        seconds that the action may take; by default as long as it does.

        `key`, not empty, says what makes two effects of this name the same one: it is done once. Was it done before
        under this key, `action` is not called and the earlier receipt comes back; is it being done, this one waits
        until that has ended. An `EffectLedger` says what was done before; without one the registry knows its own, for
        as long as it is open.

        Recorders are told before it begins and after it ended. `effects` of the result names it whatever the call comes
        to: committed with its receipt, failed, or unknown, if nobody saw its end; and the text of a failure tells a
        model what not to repeat. Several may run side by side, in tasks of the body.

        Raises what the action raised. `EffectUnknownError` (the call's code is `EFFECT_UNKNOWN`) if its time was up
        before it had returned, and for a key whose effect was begun before and never seen to end. The action has run
        all the same where it is `NotJSON`, for a receipt that is no JSON or too large, or `TypeError`, for one that is
        still to be awaited. It was not run where it is another `ToolError`: it could not be recorded, which ends the
        call as `RECORD_FAILED`, the ledger could not say, or the call had been given up behind a shield of the body's
        own. `TypeError` and `ValueError` for an action, a name, a key or a timeout that is none; `RuntimeError` inside
        of another effect (where no calls are made either), in a job, and in a task that is not inside this call, or no
        more.

        **Cancellation**: raised before the action is run, if by then the call has been given up or a scope around has
        been cancelled or is past its deadline. Nothing but `timeout` cuts the action, and nothing is raised after it:
        the receipt comes back although the call was given up meanwhile, and the next checkpoint raises.
        """
        ...


class SyncToolContext(_AnyContext, Protocol):
    """The same for a plain `def` body, from its worker thread. Its jobs run in Trio's own, where it cannot be used."""

    def execute(self, call: ToolCall, *, scope: trio.CancelScope) -> ToolResult:
        """Run another tool call inside this one, as `ToolContext.execute` does, while this thread waits.

        Raises as that does, `trio.Cancelled` if this call was given up meanwhile, and `RuntimeError` in any other
        thread than the body's own.
        """
        ...

    def irreversible(self, name: str, action: Callable[[], object], *, key: str | None = None) -> JSONValue:
        """Do what cannot be undone, as `ToolContext.irreversible` does: call `action`, a plain function, in this
        thread, and return its receipt.

        It has no `timeout`: nothing can cut a thread. A bound is the action's own, such as that of its socket; if it is
        up and nobody can say what happened, let it raise `EffectUnknownError`.

        Raises as that does, `TypeError` for an async action, and `RuntimeError` in any other thread than the body's
        own.

        **Cancellation**: `trio.Cancelled` is raised before the action is run, as there. While it runs,
        `check_cancelled` raises nothing; after it, it does.
        """
        ...

    def check_cancelled(self) -> None:
        """Raise `trio.Cancelled` if the call has been given up, but for the action of an effect. Call it between steps
        of long work.

        Raises `RuntimeError` in any other thread than the body's own.
        """
        ...
