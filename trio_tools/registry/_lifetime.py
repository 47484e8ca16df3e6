"""From opening to leaving: plugins in order, the block, the calls and jobs, plugins in reverse.

Each plugin's context manager lives in a task of its own, since nurseries must nest. A host is shielded from the time
its plugin is open until it is asked to leave, so that a cancel from outside takes the calls first and the plugins
after them, in order. One that crashes is held back, too: calls, jobs and later plugins stand on what it has.
The block's own exception comes out as that very object, never in a group.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

import trio
from trio.lowlevel import Abort, RaiseCancelT, enable_ki_protection, reschedule, wait_task_rescheduled

from trio_tools.pipeline import Core, Reach, logger, shown_type, take_apart
from trio_tools.registry._drain import end
from trio_tools.registry._plugin import AnyPlugin
from trio_tools.registry._registry import Registry
from trio_tools.values import printable


class Host:
    """The task that one plugin lives in."""

    def __init__(self, plugin: AnyPlugin, reach: Reach, block: trio.CancelScope) -> None:
        self.name = plugin.name
        self.failure: BaseException | None = None
        self._plugin = plugin
        self._services = reach.core.services
        self._registry = Registry(reach, plugin.name)
        self._block = block
        self._scope = trio.CancelScope()
        self._leave = trio.Event()
        self._crashed = False
        self._gone = False
        self._waiting: trio.lowlevel.Task | None = None

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Open the plugin, hold it, leave it.

        **Cancellation**: while it opens, and once it leaves; in between it is shielded, bounded by the block.
        """
        opened = False
        try:
            with self._scope:
                async with self._plugin.open(self._registry):
                    self._check_provided()
                    self._scope.shield = True  # until leave(): the calls come to rest before what they stand on
                    opened = True
                    task_status.started()
                    await self._held()
        except BaseException as thrown:
            fault = take_apart(thrown)
            if not opened:
                if fault.interrupt is not None and fault.interrupt is not thrown:
                    raise fault.interrupt from thrown  # bare, whatever nurseries it came through
                if fault.failure is not None:
                    thrown.add_note(f'in plugin "{self.name}", while it was opened')
                raise
            # nothing but cancellations is no failure: whoever is cancelled around us raises that for himself
            self.failure = fault.interrupt or fault.failure
            if self.failure is not None:
                self.failure.add_note(f'in plugin "{self.name}"')
        finally:
            self._gone = True
            if self._waiting is not None:
                reschedule(self._waiting)
        if self._crashed and self.failure is None:
            self.failure = RuntimeError(f'plugin "{self.name}" ended before it was asked to')
            self.failure.add_note(f'in plugin "{self.name}"')

    async def _held(self) -> None:
        """Hold the plugin until it is asked to leave. If something in it fails before, the registry ends, and the
        plugin is held all the same until it is its turn to leave."""
        try:
            await self._leave.wait()
        except BaseException:
            if not self._leave.is_set():
                self._crashed = True
                self._block.cancel(f'plugin "{self.name}" crashed')
                # Shield: what calls, jobs and later plugins stand on goes after them. Bound: they have been cancelled.
                with trio.CancelScope(shield=True):
                    await self._leave.wait()
            raise

    def _check_provided(self) -> None:
        provided = self._services.provided_by(f'plugin "{self.name}"')
        missing = [shown_type(kind) for kind in self._plugin.provides if kind not in provided]
        if missing:
            raise RuntimeError(f'plugin "{self.name}" says that it provides {", ".join(missing)}, and does not')

    @enable_ki_protection
    async def leave(self) -> KeyboardInterrupt | None:
        """Ask the plugin to leave, and wait until it has. Returns a Ctrl-C that came meanwhile, which also cuts what
        the plugin does.

        **Cancellation**: the plugin sees it, and is still awaited.
        """
        interrupt: KeyboardInterrupt | None = None

        def abort(raise_cancel: RaiseCancelT) -> Abort:
            nonlocal interrupt
            try:
                raise_cancel()
            except trio.Cancelled:
                pass
            except KeyboardInterrupt as thrown:
                interrupt = thrown
                self._scope.cancel("Ctrl-C")
            return Abort.FAILED

        self._scope.shield = False
        self._leave.set()
        if not self._gone:
            self._waiting = trio.lowlevel.current_task()
            await wait_task_rescheduled(abort)
        return interrupt


@asynccontextmanager
@enable_ki_protection
async def hold(core: Core, plugins: Iterable[AnyPlugin]) -> AsyncGenerator[Registry]:
    """A registry with these plugins, open for as long as the block.

    **Cancellation**: calls under way are cancelled, cause `shutdown`, and settle; plugins leave in reverse order; then
    it goes on.
    """
    reach = Reach(core)
    hosts: list[Host] = []
    thrown: BaseException | None = None
    async with trio.open_nursery() as core.nursery:
        core.block = block = trio.CancelScope()
        try:
            with block:
                for plugin in plugins:
                    host = Host(plugin, reach, block)
                    await core.nursery.start(host.run)
                    hosts.append(host)
                if not block.cancel_called:  # nothing has failed while others were opened
                    yield Registry(reach)
        except BaseException as raised:
            thrown = raised
        thrown = await _come_to_rest(core, hosts, thrown, abruptly=block.cancel_called or thrown is not None)
    failures = [host for host in hosts if host.failure is not None]
    for host in failures[0 if thrown is not None else 1 :]:
        assert host.failure is not None
        logger.error('plugin "%s" failed: %s: %s', host.name, type(host.failure).__name__, printable(host.failure))
    if thrown is not None:
        raise thrown
    if failures and failures[0].failure is not None:
        raise failures[0].failure
    await trio.lowlevel.checkpoint_if_cancelled()  # what came while plugins left has cut them, and goes on


async def _come_to_rest(
    core: Core, hosts: list[Host], thrown: BaseException | None, *, abruptly: bool
) -> BaseException | None:
    """Calls and jobs end, then plugins leave in reverse order. What the block has raised, or a Ctrl-C since, goes on.

    **Cancellation**: not raised; what runs is cancelled, and awaited.
    """
    thrown = await end(core, abruptly=abruptly) or core.interrupt or thrown
    for host in reversed(hosts):
        thrown = await host.leave() or thrown
    core.closed = True
    return thrown
