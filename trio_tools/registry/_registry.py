"""The registry: a view of all tools, with the seams and services that plugins join."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

import attrs
import trio

from trio_tools.pipeline import (
    JobObserver,
    Observer,
    PostPolicy,
    PrePolicy,
    ProgressObserver,
    Recorder,
    Seam,
    Wrapper,
    current_call,
    name_of,
    where,
)
from trio_tools.registry._drain import drain
from trio_tools.registry._registration import Registration
from trio_tools.registry._view import RegistryView
from trio_tools.tool import is_generator

F = TypeVar("F", bound=Callable[..., object])
S = TypeVar("S")


@attrs.frozen
class Joined:
    """A function at a seam: the seam's name, such as `wrapper`, the function's, and the plugin that added it; None for
    the program itself."""

    seam: str
    function: str
    plugin: str | None


@attrs.frozen
class LeavingPlugin:
    """A plugin that the end of the registry waits for: its name, and a chain of `file:line function`, outermost first,
    that says where it is."""

    name: str
    where: tuple[str, ...]


class Registry(RegistryView):
    """Runs tool calls, and lets plugins join at its seams. Made by `open_registry`, and open as long as its block."""

    async def drain(self) -> None:
        """Take no more calls, start none that waits, and wait until those that run have settled. Jobs go on.

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

    @property
    def leaving(self) -> LeavingPlugin | None:
        """The plugin that is leaving now, while the registry comes to its end."""
        if self._core.leaving is None:
            return None
        name, task = self._core.leaving
        return LeavingPlugin(name, where(task))

    def provide(self, kind: type[S], service: S) -> Registration:
        """Offer a service by its type, for tools and other plugins to `require`.

        Raises `ValueError` if somebody provides one already, naming who, and `TypeError` for a service that is none of
        that type.
        """
        owner = "the program" if self._owner is None else f'plugin "{self._owner}"'
        return Registration(self._core.services.provide(kind, service, owner))

    # --- seams -----------------------------------------------------------------------------------------------------

    def joined(self) -> list[Joined]:
        """Every function at a seam, in the order in which a call meets them."""
        core = self._core
        return [
            *_joined("pre_policy", core.pre_policies),
            *_joined("wrapper", core.wrappers),
            *_joined("post_policy", core.post_policies),
            *_joined("recorder", core.recorders),
            *_joined("observer", core.observers),
            *_joined("progress_observer", core.progress_observers),
            *_joined("job_observer", core.job_observers),
        ]

    def add_pre_policy(self, policy: PrePolicy) -> Registration:
        """Ask this before each call: `(CallView) -> Allow | Deny | Ask | None`, sync or async, in order."""
        return self._join(self._core.pre_policies, policy)

    def add_wrapper(self, wrapper: Wrapper) -> Registration:
        """Put this round each call: `async (Dispatch, CallNext) -> ToolResult`. The first added is outermost."""
        return self._join(self._core.wrappers, wrapper)

    def add_post_policy(self, policy: PostPolicy) -> Registration:
        """Review each result: `(CallView, ToolResult) -> ReplaceContent | ReplaceValue | Block | None`, sync or
        async, in order. One that fails or overruns withholds the content."""
        return self._join(self._core.post_policies, policy)

    def add_observer(self, observer: Observer) -> Registration:
        """Tell this of each result, once: `(SettledView, ToolResult) -> None`, sync or async. A `SettledView` is a
        `CallView` that also knows what the body raised."""
        return self._join(self._core.observers, observer)

    def add_progress_observer(self, observer: ProgressObserver) -> Registration:
        """Tell this of progress: `(CallView, Progress) -> None`, sync. Raises `TypeError` for an async function."""
        if inspect.iscoroutinefunction(observer):
            raise TypeError("a progress observer must be a plain function: nobody waits for it")
        return self._join(self._core.progress_observers, observer)

    def add_recorder(self, recorder: Recorder) -> Registration:
        """Tell this of each step of each call: `(CallEvent) -> None`, sync or async. What it cannot record does not
        run. Whatever it has to wait for it returns as an awaitable, as an async function does, which is bounded; what a
        plain function returns None from has been recorded, and costs the call least."""
        return self._join(self._core.recorders, recorder)

    def add_job_observer(self, observer: JobObserver) -> Registration:
        """Tell this of each job that has come to rest, once: `(JobNotice) -> None`, sync or async. The notice names the
        session whose job it was."""
        return self._join(self._core.job_observers, observer)

    def _join(self, seam: Seam[F], function: F) -> Registration:
        if not callable(function):
            raise TypeError(f"a seam takes a function, not {type(function).__name__}")
        if is_generator(function):
            name = name_of(function)
            raise TypeError(
                f"{name} is a generator, whose scopes would stay in force across its yields; "
                "write a plain or an async function"
            )
        return Registration(seam.add(function, self._owner))


def _joined(seam: str, functions: Seam[F]) -> list[Joined]:
    return [Joined(seam, name_of(entry.function), entry.owner) for entry in functions.entries]
