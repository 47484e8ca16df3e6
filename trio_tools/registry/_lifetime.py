"""From opening to leaving: plugins in order, the block, the calls and jobs, plugins in reverse.

Each plugin's context manager lives in a task of its own, since nurseries must nest. A host is shielded from the time
its plugin is open until it is asked to leave, so that a cancel from outside takes the calls first and the plugins
after them, in order. One that crashes is held back, too: calls, jobs and later plugins stand on what it has.
A host never raises: what failed in it is kept, with its place in time. The block's own exception comes out as that very
object, never in a group.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, reschedule, wait_task_rescheduled

from trio_tools.pipeline import Core, Grace, Reach, Services, logger, run_async, run_sync, shown_type, take_apart
from trio_tools.registry._drain import end
from trio_tools.registry._options import RegistryOptions
from trio_tools.registry._plugin import AnyPlugin
from trio_tools.registry._registry import Registry
from trio_tools.values import Cause, ErrorCode, exception_error


class Host:
    """The task that one plugin lives in."""

    def __init__(self, plugin: AnyPlugin, reach: Reach, troubled: list[Host]) -> None:
        self.name = plugin.name
        self.failure: BaseException | None = None
        self._plugin = plugin
        self._core = reach.core
        self._registry = Registry(reach, plugin.name)
        self._troubled = troubled  # the hosts that something has failed in, in order of time
        self._scope = trio.CancelScope()
        self._leave = trio.Event()
        self._task: trio.lowlevel.Task | None = None
        self._opened = False
        self._gone = False
        self._waiting: trio.lowlevel.Task | None = None  # for the plugin to be open, or to have left

    @enable_ki_protection
    async def run(self) -> None:
        """Open the plugin, hold it, leave it. Never raises.

        **Cancellation**: while it opens, and once it leaves; in between it is shielded, bounded by the block.
        """
        self._task = trio.lowlevel.current_task()
        try:
            with self._scope:
                manager = run_sync(self._plugin.open, self._registry)
                async with Unprotected(manager):
                    self._check_provided()
                    await self._held()
        except BaseException as thrown:
            self._note(thrown)
        if self in self._troubled and self.failure is None:
            self.failure = self._marked(RuntimeError(f'plugin "{self.name}" ended before it was asked to'))
        self._gone = True
        self._wake()

    async def _held(self) -> None:
        """Hold the plugin until it is asked to leave. If something in it fails before, the registry ends, and the
        plugin is held all the same until it is its turn to leave."""
        if self._scope.cancel_called:
            await trio.lowlevel.checkpoint()  # it was to open no more, and did not notice
        self._scope.shield = True  # until leave(): the calls come to rest before what they stand on
        self._opened = True
        self._wake()
        try:
            await self._leave.wait()
        except BaseException:
            if not self._leave.is_set():
                self._troubled.append(self)
                self._core.crash(Cause.SHUTDOWN, f'plugin "{self.name}" crashed')
                # Shield: what calls, jobs and later plugins stand on goes after them. Bound: they have been cancelled.
                with trio.CancelScope(shield=True):
                    await self._leave.wait()
            raise

    def _note(self, thrown: BaseException) -> None:
        """Keep what failed: without the cancellations, which whoever is cancelled around us raises for himself."""
        fault = take_apart(thrown)
        failure: BaseException | None = fault.interrupt
        if failure is None and fault.failure is not None:
            failure = thrown if fault.failure is thrown or not self._opened else fault.failure
        elif failure is None and not self._is_cancelled():
            failure = RuntimeError(f'plugin "{self.name}" raised a Cancelled that no scope of its has sent')
        if failure is not None:
            self.failure = self._marked(failure)
            if self not in self._troubled:
                self._troubled.append(self)

    def _is_cancelled(self) -> bool:
        return self._scope.cancel_called or trio.current_effective_deadline() <= trio.current_time()

    def _marked(self, failure: BaseException) -> BaseException:
        """The failure with a note that says which plugin it is of."""
        note = f'in plugin "{self.name}"' + ("" if self._opened else ", while it was opened")
        if note not in getattr(failure, "__notes__", ()):
            failure.add_note(note)
        return failure

    def _check_provided(self) -> None:
        provided = self._core.services.provided_by(f'plugin "{self.name}"')
        missing = [shown_type(kind) for kind in self._plugin.provides if kind not in provided]
        if missing:
            raise RuntimeError(f'plugin "{self.name}" says that it provides {", ".join(missing)}, and does not')

    @property
    def interrupt(self) -> KeyboardInterrupt | None:
        """A Ctrl-C that reached the plugin's own code."""
        return self.failure if isinstance(self.failure, KeyboardInterrupt) else None

    # --- for the registry ------------------------------------------------------------------------------------------

    async def opened(self) -> None:
        """Wait until the plugin is open. Raises what it failed with, and a Ctrl-C that came meanwhile.

        **Cancellation**: the opening is cut, and awaited; one that is open all the same is left in its turn.
        """
        interrupt = None if self._opened or self._gone else await self._wait()
        if interrupt is not None:
            raise interrupt
        if self.failure is not None:
            raise self.failure
        await trio.lowlevel.checkpoint_if_cancelled()

    async def left(self) -> KeyboardInterrupt | None:
        """Ask the plugin to leave, and wait until it has. Returns a Ctrl-C that came meanwhile, which also cuts what
        the plugin does.

        **Cancellation**: the plugin sees it, and is still awaited.
        """
        self._scope.shield = False
        self._leave.set()
        if self._gone:
            return None
        self._core.leaving = (self.name, self._task)
        try:
            return await self._wait()
        finally:
            self._core.leaving = None

    async def _wait(self) -> KeyboardInterrupt | None:
        interrupt: KeyboardInterrupt | None = None

        def abort(raise_cancel: RaiseCancelT) -> Abort:
            nonlocal interrupt
            try:
                raise_cancel()
            except trio.Cancelled:
                if not self._opened:
                    self._scope.cancel("opening was given up")
            except KeyboardInterrupt as thrown:
                interrupt = thrown
                self._scope.cancel("Ctrl-C")
            return Abort.FAILED

        self._waiting = trio.lowlevel.current_task()
        await wait_task_rescheduled(abort)
        return interrupt

    def _wake(self) -> None:
        if self._waiting is not None:
            reschedule(self._waiting)
            self._waiting = None


class Unprotected:
    """A context manager of a plugin, entered and left where Ctrl-C may interrupt it."""

    def __init__(self, manager: AbstractAsyncContextManager[None]) -> None:
        self._manager = manager

    async def __aenter__(self) -> None:
        await run_async(self._manager.__aenter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, thrown: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await run_async(self._manager.__aexit__, kind, thrown, traceback)


def opened(
    options: RegistryOptions,
    plugins: Iterable[AnyPlugin],
    could_provide: Callable[[type[object], str | None], Iterable[str]],
) -> AbstractAsyncContextManager[Registry]:
    """A registry with these options and plugins, which are in order of need already; `could_provide` names who could
    bring a service that is missing.

    **Cancellation**: as `hold`.
    """
    core = Core(
        services=Services(could_provide),
        max_parallel_calls=options.max_parallel_calls,
        policy_grace=options.policy_grace,
        observer_grace=options.observer_grace,
        recording=Grace(options.recorder_grace),
    )
    return hold(core, plugins)


@asynccontextmanager
@enable_ki_protection
async def hold(core: Core, plugins: Iterable[AnyPlugin]) -> AsyncGenerator[Registry]:
    """A registry with these plugins, open for as long as the block.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; jobs are cancelled and awaited;
    plugins leave in reverse order; then it goes on.
    """
    reach = Reach(core)
    hosts: list[Host] = []
    troubled: list[Host] = []
    thrown: BaseException | None = None
    async with trio.open_nursery() as core.nursery:
        core.block = block = trio.CancelScope()
        try:
            with block:
                for plugin in plugins:
                    hosts.append(Host(plugin, reach, troubled))
                    core.nursery.start_soon(hosts[-1].run, name=f"plugin {plugin.name}")
                    await hosts[-1].opened()
                if not block.cancel_called:  # nothing has failed while others were opened
                    yield Registry(reach)
        except BaseException as raised:
            thrown = raised
        abruptly = block.cancel_called or thrown is not None
        thrown = await end(core, abruptly=abruptly) or core.interrupt or thrown
        for host in reversed(hosts):
            thrown = await host.left() or host.interrupt or thrown
        core.closed = True
    failures = [host for host in troubled if host.failure is not None and host.failure is not thrown]
    for host in failures[0 if thrown is not None else 1 :]:
        assert host.failure is not None
        logger.error('plugin "%s" failed: %s', host.name, exception_error(host.failure, ErrorCode.TOOL_FAILED).message)
    if thrown is not None:
        raise thrown
    if failures and failures[0].failure is not None:
        raise failures[0].failure
    await trio.lowlevel.checkpoint_if_cancelled()  # what came while plugins left has cut them, and goes on
