"""The registry: tools and seams on one side, calls on the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import trio
from trio.lowlevel import enable_ki_protection

from trio_tools.pipeline import (
    Core,
    Observer,
    OnSettled,
    PendingCall,
    PostPolicy,
    PrePolicy,
    ProgressObserver,
    Recorder,
    Seam,
    Wrapper,
    all_of,
    current_call,
    name_of,
    only,
    pending_calls,
    run_turn,
)
from trio_tools.registry._drain import drain
from trio_tools.registry._registration import Registration
from trio_tools.tool import Body, Tool, is_generator, place_of, tool
from trio_tools.values import Cause, Session, ToolCall, ToolResult, ToolSchema

F = TypeVar("F", bound=Callable[..., object])


class Registry:
    """Runs tool calls, and lets plugins join at its seams. Made by `open_registry`, and open as long as its block."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._marks: dict[str, object] = {}

    # --- tools -----------------------------------------------------------------------------------------------------

    @enable_ki_protection
    def register(self, tool_or_function: Tool | Body) -> Registration:
        """Add a tool, or a typed function as one.

        Raises `ValueError` if the name is taken and for a raw schema that is none, `ModuleNotFoundError` for a raw
        schema without the extra that checks it, and what `tool` raises for a function that cannot be declared.
        """
        added = tool_or_function if isinstance(tool_or_function, Tool) else tool(tool_or_function)
        tools = self._core.tools
        if added.name in tools:
            raise ValueError(
                f'tool "{added.name}" is already registered: {_shown(tools[added.name])} has the name, and '
                f"{_shown(added)} cannot have it too; unregister it first, or use another name"
            )
        try:
            added.signature.prepare()
        except (ValueError, ModuleNotFoundError) as error:
            raise type(error)(f'tool "{added.name}": {error}') from None
        mark = object()  # of this very registration: the same tool may be unregistered and registered again
        tools[added.name] = added
        self._marks[added.name] = mark

        def remove() -> None:
            if self._marks.get(added.name) is mark:
                self.unregister(added.name)

        return Registration(remove)

    @enable_ki_protection
    def unregister(self, name: str) -> None:
        """Remove a tool by name; its running calls go on. Raises `LookupError` if there is none of that name."""
        if self._core.tools.pop(name, None) is None:
            raise LookupError(f'no tool "{name}" is registered')
        del self._marks[name]

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The registered tools by name: a live, read-only view."""
        return MappingProxyType(self._core.tools)

    def schemas(self) -> list[ToolSchema]:
        """Name, description and parameters of every tool, by name in alphabetical order; copies, free to change."""
        return [one.schema() for _, one in sorted(self._core.tools.items())]

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
        self._check(scope, session)
        return run_turn(self._core, (_checked(call),), scope, session, None, only)

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
        self._check(scope, session)
        if on_settled is not None and (not callable(on_settled) or inspect.iscoroutinefunction(on_settled)):
            raise TypeError(f"on_settled must be a plain function, not {on_settled!r}")
        return run_turn(self._core, [_checked(call) for call in calls], scope, session, on_settled, all_of)

    def _check(self, scope: object, session: object) -> None:
        if not isinstance(scope, trio.CancelScope):
            raise TypeError(f"scope must be a trio.CancelScope that you own, not {type(scope).__name__}")
        if scope.is_relative is None:
            raise RuntimeError("this scope was entered before; a cancel scope serves one call or turn, make a new one")
        if session is not None and not isinstance(session, Session):
            raise TypeError(f"session must be a Session, not {type(session).__name__}")
        if self._core.closed:
            raise RuntimeError("the registry is closed: calls end with the block of open_registry")

    def pending(self) -> list[PendingCall]:
        """Every call that has not settled, in order of arrival, with what it waits for and where it is stuck."""
        return pending_calls(self._core.unsettled)

    @enable_ki_protection
    def cancel(self, call_id: str, reason: str | None = None) -> int:
        """End every unsettled call with this id, waiting ones before they start. Returns how many this has ended;
        an id that nobody has, or has any more, is no error."""
        now = trio.current_time()
        calls = [call for call in self._core.unsettled if call.call.id == call_id]
        return sum(call.turn.give_up_one(call, Cause.OPERATOR, now, reason) for call in calls)

    async def drain(self) -> None:
        """Take no more calls, start none that waits, and wait until those that run have settled.

        New calls meanwhile, and ever after, get a result: aborted before dispatch, cause `shutdown`. Raises
        `RuntimeError` from inside a tool, which would wait for itself.

        **Cancellation**: what still runs is cancelled, cause `shutdown`; once it has settled, `Cancelled` is raised.
        """
        call = current_call()
        while call is not None:
            if call in self._core.unsettled:
                raise RuntimeError("a call cannot drain the registry that carries it: it would wait for itself")
            call = call.around_it
        interrupt = await drain(self._core)
        if interrupt is not None:
            raise interrupt
        await trio.lowlevel.checkpoint_if_cancelled()

    # --- seams -----------------------------------------------------------------------------------------------------

    def add_pre_policy(self, policy: PrePolicy) -> Registration:
        """Ask this before each call: `(CallView) -> Allow | Deny | Ask | None`, sync or async, in order."""
        return _joined(self._core.pre_policies, policy)

    def add_wrapper(self, wrapper: Wrapper) -> Registration:
        """Put this round each call: `async (Dispatch, CallNext) -> ToolResult`. The first added is outermost."""
        return _joined(self._core.wrappers, wrapper)

    def add_post_policy(self, policy: PostPolicy) -> Registration:
        """Review each result: `(CallView, ToolResult) -> ReplaceContent | ReplaceValue | Block | None`, sync or
        async, in order. One that fails or overruns withholds the content."""
        return _joined(self._core.post_policies, policy)

    def add_observer(self, observer: Observer) -> Registration:
        """Tell this of each result, once: `(CallView, ToolResult) -> None`, sync or async."""
        return _joined(self._core.observers, observer)

    def add_progress_observer(self, observer: ProgressObserver) -> Registration:
        """Tell this of progress: `(CallView, Progress) -> None`, sync. Raises `TypeError` for an async function."""
        if inspect.iscoroutinefunction(observer):
            raise TypeError("a progress observer must be a plain function: nobody waits for it")
        return _joined(self._core.progress_observers, observer)

    def add_recorder(self, recorder: Recorder) -> Registration:
        """Tell this of each step of each call: `async (CallEvent) -> None`. What it cannot record does not run."""
        return _joined(self._core.recorders, recorder)


def _joined(seam: Seam[F], function: F) -> Registration:
    if not callable(function):
        raise TypeError(f"a seam takes a function, not {type(function).__name__}")
    if is_generator(function):
        name = name_of(function)
        raise TypeError(
            f"{name} is a generator, whose scopes would stay in force across its yields; "
            "write a plain or an async function"
        )
    return Registration(seam.add(function))


def _shown(one: Tool) -> str:
    """A tool in a message: where it is defined, and the name that it was declared with."""
    return f'{place_of(one.body)} (declared as "{one.declared}")'


def _checked(call: object) -> ToolCall:
    if not isinstance(call, ToolCall):
        raise TypeError(f"calls must be ToolCall, not {type(call).__name__}")
    return call
