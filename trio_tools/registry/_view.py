"""What a program may do with tools and calls: all of it in a registry, part of it in a restricted view."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Coroutine, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline import (
    CallState,
    OnSettled,
    PendingCall,
    Reach,
    all_of,
    check_asked,
    checked,
    only,
    pending_calls,
    run_turn,
)
from trio_tools.registry._registration import Registration
from trio_tools.tool import Body, Job, Tool, place_of, tool
from trio_tools.values import Cause, Session, ToolCall, ToolResult, ToolSchema

S = TypeVar("S")


class RegistryView:
    """Tools in reach, and calls of them: what `restricted` gives for a sub-agent. What is out of view cannot be told
    from what does not exist, and calls and jobs of others are not seen either."""

    def __init__(self, reach: Reach, owner: str | None = None) -> None:
        self._reach = reach
        self._core = reach.core
        self._owner = owner  # the plugin that holds it; None for the program

    # --- tools -----------------------------------------------------------------------------------------------------

    @enable_ki_protection
    def register(self, tool_or_function: Tool | Body) -> Registration:
        """Add a tool, or a typed function as one. In a restricted view it is that view's own: no filter concerns it,
        and it hides another of its name.

        Raises `ValueError` if the name is taken and for a raw schema that is none, `ModuleNotFoundError` for a raw
        schema without the extra that checks it, and what `tool` raises for a function that cannot be declared.
        """
        added = tool_or_function if isinstance(tool_or_function, Tool) else tool(tool_or_function)
        if self._reach.has_own(added.name):
            raise ValueError(
                f'tool "{added.name}" is already registered: {_shown(self._reach[added.name])} has the name, and '
                f"{_shown(added)} cannot have it too; unregister it first, or use another name"
            )
        try:
            added.signature.prepare()
        except (ValueError, ModuleNotFoundError) as error:
            raise type(error)(f'tool "{added.name}": {error}') from None
        return Registration(self._reach.add(added, self._owner))

    @enable_ki_protection
    def unregister(self, name: str) -> None:
        """Remove a tool by name; its running calls go on. Raises `LookupError` if none of that name was registered
        here."""
        if not self._reach.remove(name):
            raise LookupError(f'no tool "{name}" is registered')

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools in reach by name: a live, read-only view."""
        return MappingProxyType(self._reach)

    def plugin_of(self, name: str) -> str | None:
        """The plugin that registered the tool of this name, None for the program itself. Raises `LookupError` if there
        is no such tool."""
        found = self._reach.registered(name)
        if found is None:
            raise LookupError(f'no tool "{name}" is registered')
        return found.owner

    def schemas(self) -> list[ToolSchema]:
        """Name, description and parameters of every tool, by name in alphabetical order; copies, free to change."""
        return [one.schema() for _, one in sorted(self._reach.items())]

    def restricted(self, *, allow: Collection[str] | None = None, deny: Collection[str] | None = None) -> RegistryView:
        """A view with fewer tools, for a sub-agent: those of `allow`, all if it is not given, without those of `deny`.

        The names are taken as they stand now; a view of a view has what both let through. Calls that its tools make
        through their context see no more than it does.

        Raises `ValueError` for a filter that is missing or empty and for a name that no tool in reach has, `TypeError`
        for one that is no collection of names.
        """
        filters = {"allow": allow, "deny": deny}
        if allow is None and deny is None:
            raise ValueError("a restricted view needs allow= or deny=, with the names of tools")
        for which, names in filters.items():
            if names is not None:
                self._check_filter(which, names)
        return RegistryView(
            Reach(
                self._core,
                self._reach,
                allow=None if allow is None else frozenset(allow),
                deny=frozenset(deny or ()),
            ),
            self._owner,
        )

    def _check_filter(self, which: str, names: Collection[object]) -> None:
        if isinstance(names, str) or not isinstance(names, Collection):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{which}= must be a collection of names, not {names!r}")
        if not names:
            raise ValueError(f"{which}= names no tool; leave it out, or name at least one")
        unknown = [name for name in names if not isinstance(name, str) or name not in self._reach]
        if unknown:
            raise ValueError(f"{which}= names {', '.join(map(repr, unknown))}, which no tool in reach is called")

    # --- calls -----------------------------------------------------------------------------------------------------

    @enable_ki_protection
    def execute(
        self, call: ToolCall, *, scope: trio.CancelScope, session: Session | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """Run one tool call to its end and return its one result: a turn of one.

        Arguments: `scope`, which the caller owns and has not entered; cancel it, or give it a deadline (seconds on
        Trio's clock), to end the call. `session`, on whose behalf.

        Raises `TypeError` without a scope, `RuntimeError` for a scope that was entered before and for a registry that
        is closed. What goes wrong with the call itself is a result.

        **Cancellation**: when `scope` is cancelled the call still settles, is published, and its result is returned.
        When a scope around it is cancelled the same happens, and then `Cancelled` is raised. Nothing is returned
        before the body has come to rest.
        """
        check_asked(self._core, scope, session)
        return run_turn(self._reach, (checked(call),), scope, session, None, only)

    @enable_ki_protection
    def execute_turn(
        self,
        calls: Iterable[ToolCall],
        *,
        scope: trio.CancelScope,
        session: Session | None = None,
        on_settled: OnSettled | None = None,
    ) -> Coroutine[Any, Any, tuple[ToolResult, ...]]:
        """Run the tool calls of one model message: one result per call, in call order.

        Arguments: as for `execute`; `on_settled(position, result)`, a plain function, is called as each call settles,
        also while the turn is being cancelled; what it raises is logged.

        Raises as `execute` does, and `TypeError` for an `on_settled` that is an async function.

        **Cancellation**: as for `execute`: calls that have started are stopped and awaited, the others settle as
        aborted before dispatch, and each is published.
        """
        check_asked(self._core, scope, session)
        if on_settled is not None and (not callable(on_settled) or inspect.iscoroutinefunction(on_settled)):
            raise TypeError(f"on_settled must be a plain function, not {on_settled!r}")
        return run_turn(self._reach, [checked(call) for call in calls], scope, session, on_settled, all_of)

    def pending(self) -> list[PendingCall]:
        """Every call that has not settled, in order of arrival, with where it is stuck."""
        return pending_calls(self._calls())

    @enable_ki_protection
    def cancel(self, call_id: str, reason: str | None = None) -> int:
        """End every unsettled call with this id, waiting ones before they start. Returns how many this has ended;
        an id that nobody has, or has any more, is no error."""
        now = trio.current_time()
        calls = [call for call in self._calls() if call.call.id == call_id]
        return sum(call.turn.give_up_one(call, Cause.OPERATOR, now, reason) for call in calls)

    def _calls(self) -> list[CallState]:
        return [call for call in self._core.unsettled if self._reach.holds(call.turn.reach)]

    # --- jobs and services -----------------------------------------------------------------------------------------

    def jobs(self) -> list[Job]:
        """Every job that has not come to rest, in order of their start."""
        return [job for job in self._core.jobs if job.notice is None and self._reach.holds(job.reach)]

    def cancel_job(self, job_id: str, reason: str | None = None) -> bool:
        """Stop a job by its id; it is listed until it has come to rest. Whether it was this that stopped it: an id that
        nobody has, or has any more, is no error."""
        return any(job.cancel(reason) for job in self.jobs() if job.id == job_id)

    def require(self, service: type[S]) -> S:
        """The service of this type. Raises `LookupError` if nobody provides it, naming who could."""
        return self._core.services.require(service, self._owner)


def _shown(one: Tool) -> str:
    """A tool in a message: where it is defined, and the name that it was declared with."""
    return f'{place_of(one.body)} (declared as "{one.declared}")'
