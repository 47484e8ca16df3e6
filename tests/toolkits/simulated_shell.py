"""A shell whose commands are simulated, in Trio's own time: what they write and when they end is the test's to say."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio

from trio_tools import JobNotice, Registry, Session, ToolCall, ToolResult, open_registry
from trio_tools.registry import RegistryView
from trio_tools.toolkits.shell import ShellConfig, _background, shell
from trio_tools.toolkits.shell._command import Request, Shell
from trio_tools.toolkits.shell._limits import Limit
from trio_tools.toolkits.shell._output import Captured, Kept
from trio_tools.toolkits.shell._progress import ShellProgress
from trio_tools.toolkits.shell._text import Finished
from trio_tools.values import ToolError

ADA, BOB = Session("a", owner="ada"), Session("b", owner="bob")
# Seconds that a simulated command takes to stop.
STOPPING = 2.0


@attrs.define
class Simulated:
    """One command that runs."""

    request: Request
    kept: tuple[Kept, Kept]
    end: trio.Event = attrs.field(factory=trio.Event)
    exit_code: int | None = 0
    signal: str | None = None
    limit: Limit | None = None

    def write(self, data: bytes, *, stderr: bool = False) -> None:
        self.kept[stderr].tail.add(data)

    async def run(self) -> Finished:
        with trio.CancelScope() as stopped:
            try:
                await self.end.wait()
            except trio.Cancelled:
                stopped.shield = True
                self.exit_code, self.signal = None, "SIGTERM"
                await trio.sleep(STOPPING)
        out, errors = (Captured(kept=one.tail.kept(), total=one.tail.total) for one in self.kept)
        return Finished(
            stdout=out,
            stderr=errors,
            exit_code=self.exit_code,
            signal=self.signal,
            limits=self.request.limits,
            limit=self.limit,
        )


@attrs.define
class SimulatedShell:
    """The registry with it, its commands in order of their start, and the notices of those that ended."""

    registry: Registry
    commands: list[Simulated]
    notices: list[JobNotice]

    async def call(
        self,
        name: str,
        *,
        session: Session | None = ADA,
        view: RegistryView | None = None,
        scope: trio.CancelScope | None = None,
        **arguments: object,
    ) -> ToolResult:
        call = ToolCall(name, arguments)
        return await (view or self.registry).execute(call, scope=scope or trio.CancelScope(), session=session)

    async def start(self, *, session: Session | None = ADA, view: RegistryView | None = None, **more: object) -> str:
        """Start one in the background; what is said of it."""
        given: dict[str, object] = {"command": "serve", "description": "Serve", "run_in_background": True, **more}
        result = await self.call("bash", session=session, view=view, **given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        await trio.testing.wait_all_tasks_blocked()
        return result.text

    async def output(self, task_id: str = "bash-1", **more: object) -> str:
        return (await self.call("bash_output", task_id=task_id, **more)).text  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    async def finish(self, command: Simulated) -> None:
        """Have it end, and wait until its job has."""
        command.end.set()
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def simulated(monkeypatch: pytest.MonkeyPatch, folder: Path, **options: object) -> AsyncGenerator[SimulatedShell]:
    """The shell's plugin in a registry, with simulated commands in the background."""
    commands: list[Simulated] = []

    async def run_command(
        shell: Shell, request: Request, *, kept: tuple[Kept, Kept], progress: ShellProgress
    ) -> Finished:
        await trio.lowlevel.checkpoint()
        if request.command == "missing":
            raise ToolError("could not start bash: No such file or directory", code="BASH_SPAWN_FAILED")
        if request.command == "unborn":
            await trio.sleep_forever()
        commands.append(Simulated(request, kept))
        return await commands[-1].run()

    monkeypatch.setattr(_background, "run_command", run_command)
    # no supervisor, since nothing is started: to try one takes real time, of which the clock knows nothing
    config = ShellConfig(root=folder, supervise="never", **options)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    async with open_registry(plugins=[shell(config)]) as registry:
        here = SimulatedShell(registry, commands, [])
        registry.add_job_observer(here.notices.append)
        yield here
