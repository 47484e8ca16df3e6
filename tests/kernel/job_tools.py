"""What the tests of jobs share: a tool that starts one, and notes of what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs
import trio

from trio_tools import (
    Job,
    JobNotice,
    Registry,
    Session,
    ToolCall,
    ToolContext,
    tool,
)

SESSION = Session("s", owner="o")


@attrs.frozen
class Nothing:
    """No config."""


class Started:
    """A tool `start` that starts what it is told to, and notes of what came of it."""

    def __init__(self, registry: Registry, work: Callable[[], Awaitable[object]]) -> None:
        self.jobs: list[Job] = []
        self.notices: list[JobNotice] = []
        self.contexts: list[ToolContext] = []
        self.registry = registry
        self._work = work
        registry.register(tool(name="start")(self.start))
        registry.add_job_observer(self.notices.append)

    async def start(self, ctx: ToolContext) -> str:
        self.contexts.append(ctx)
        self.jobs.append(ctx.start_job(self._work, name="watch"))
        return self.jobs[-1].id

    async def call(self) -> Job:
        result = await self.registry.execute(ToolCall("start"), scope=trio.CancelScope(), session=SESSION)
        assert result.value == self.jobs[-1].id
        return self.jobs[-1]


async def five_seconds() -> dict[str, int]:
    await trio.sleep(5)
    return {"lines": 3}


async def for_ever() -> None:
    await trio.sleep_forever()
