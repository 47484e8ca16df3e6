"""Tools that fail in ways of their own, and a registry that tries them again, for the tests of the retry policy."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import TypeAlias

import attrs
import trio

from trio_tools import (
    CallDispatching,
    CallEvent,
    CallNext,
    Dispatch,
    Registry,
    Tool,
    ToolCall,
    ToolResult,
    open_registry,
    tool,
)
from trio_tools.policies import RetryConfig, retry, timeout
from trio_tools.registry import AnyPlugin

Wrapper: TypeAlias = Callable[[Dispatch, CallNext], Awaitable[ToolResult]]

# Three attempts with waits of 1 and 2 seconds between them, and nothing drawn.
STEADY = RetryConfig(attempts=3, first_delay=1.0, factor=2.0, jitter=0.0)


@attrs.define
class Tried:
    """A tool, and the times on Trio's clock at which its body was entered."""

    tool: Tool
    entered: list[float]


def failing(
    *failures: BaseException,
    seconds: float = 0,
    timeout: float | None = None,
    read_only: bool = False,
    idempotent: bool = True,
) -> Tried:
    """A tool that takes so many seconds and raises these at its first, second, ... entry, and then returns
    "recovered"."""
    left = list(failures)
    entered: list[float] = []

    @tool(timeout=timeout, read_only=read_only, idempotent=idempotent)
    async def flaky() -> str:
        entered.append(trio.current_time())
        await trio.sleep(seconds)
        if left:
            raise left.pop(0)
        return "recovered"

    return Tried(flaky, entered)


@asynccontextmanager
async def trying(
    *tools: Tool, config: RetryConfig = STEADY, wrappers: Sequence[Wrapper] = (), each: bool = False
) -> AsyncGenerator[Registry]:
    """A registry with these tools, the policy, and these wrappers inside of it. A tool's budget is for the whole, or
    for `each` attempt."""
    plugins: list[AnyPlugin] = [retry(config), timeout] if each else [timeout, retry(config)]
    async with open_registry(plugins=plugins) as registry:
        for one in tools:
            registry.register(one)
        for wrapper in wrappers:
            registry.add_wrapper(wrapper)
        yield registry


async def called(registry: Registry, one: Tool, *, cancel_at: float = inf, deadline: float = inf) -> ToolResult:
    """One call; its scope is cancelled, or has its deadline, so many seconds from now."""
    scope = trio.CancelScope(deadline=trio.current_time() + deadline)
    results: list[ToolResult] = []

    async def give_up() -> None:
        await trio.sleep(cancel_at)
        scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(give_up)
        results.append(await registry.execute(ToolCall(one.name, id="c1"), scope=scope))
        nursery.cancel_scope.cancel()
    return results[0]


async def tried(
    one: Tool,
    *wrappers: Wrapper,
    config: RetryConfig = STEADY,
    each: bool = False,
    cancel_at: float = inf,
    deadline: float = inf,
) -> ToolResult:
    """One call of this tool, in a registry that is opened for it."""
    results: list[ToolResult] = []
    async with trying(one, config=config, wrappers=wrappers, each=each) as registry:
        results.append(await called(registry, one, cancel_at=cancel_at, deadline=deadline))
    return results[0]


@attrs.define
class Heard:
    """A recorder: what it was told of attempts."""

    attempts: list[int] = attrs.field(factory=list[int])

    async def record(self, event: CallEvent) -> None:
        if isinstance(event, CallDispatching):
            self.attempts.append(event.attempt)
