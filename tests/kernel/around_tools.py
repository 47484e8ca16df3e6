"""Tools, wrappers and a way to run one call, for the tests of wrappers, claims, budgets and ownership."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import TypeAlias

import trio

from trio_tools import CallNext, Dispatch, ErrorInfo, Registry, Tool, ToolCall, ToolResult, open_registry, tool

Wrapper: TypeAlias = Callable[[Dispatch, CallNext], Awaitable[ToolResult]]
OWN = ErrorInfo("OwnError", "OWN_LIMIT", "my own limit")


@asynccontextmanager
async def opened(*tools: Tool, wrappers: Sequence[Wrapper] = (), outside: bool = False) -> AsyncGenerator[Registry]:
    """A registry with these tools and wrappers; the timeout policy is outside of them, or, `outside`, inside."""
    from trio_tools.policies import timeout

    async with open_registry(defaults=not outside) as registry:
        for wrapper in wrappers:
            registry.add_wrapper(wrapper)
        for one in tools:
            registry.register(one)
        if outside:
            async with timeout.open(registry):
                yield registry
        else:
            yield registry


async def later(seconds: float, act: Callable[[], object]) -> None:
    """Do something at a time of the virtual clock."""
    await trio.sleep(seconds)
    act()


async def execute(
    registry: Registry, name: str, *, cancel_at: float = inf, deadline: float = inf, call_id: str | None = None
) -> ToolResult:
    """One call; its scope is cancelled, or has its deadline, so many seconds from now."""
    scope = trio.CancelScope(deadline=trio.current_time() + deadline)
    results: list[ToolResult] = []
    async with trio.open_nursery() as nursery:
        if cancel_at < inf:
            nursery.start_soon(later, cancel_at, scope.cancel)
        results.append(await registry.execute(ToolCall(name, id=call_id), scope=scope))
        nursery.cancel_scope.cancel()
    (result,) = results
    return result


async def run(
    one: Tool,
    *wrappers: Wrapper,
    outside: bool = False,
    cancel_at: float = inf,
    deadline: float = inf,
) -> ToolResult:
    """One call of this tool, in a registry that is opened for it."""
    results: list[ToolResult] = []
    async with opened(one, wrappers=wrappers, outside=outside) as registry:
        results.append(await execute(registry, one.name, cancel_at=cancel_at, deadline=deadline))
    (result,) = results
    return result


async def rest(seconds: float) -> None:
    """Work that no cancel cuts."""
    with trio.CancelScope(shield=True):
        await trio.sleep(seconds)


def working(
    seconds: float = inf, cleanup: float = 0, *, timeout: float | None = None, idle_timeout: float | None = None
) -> Tool:
    """A tool that works for so long, and cleans up for so long, whatever happens. Its value is "worked"."""

    @tool(timeout=timeout, idle_timeout=idle_timeout)
    async def work() -> str:
        try:
            await trio.sleep(seconds)
        finally:
            await rest(cleanup)
        return "worked"

    return work


def answering(value: object = "answer", *, timeout: float | None = None, output: object = None) -> Tool:
    """A tool that returns this value at once."""

    @tool(timeout=timeout, output=output)
    async def answer() -> object:
        return value

    return answer


def raising(*failures: BaseException, timeout: float | None = None) -> Tool:
    """A tool that raises these at its first, second, ... entry, and then returns "recovered"."""
    left = list(failures)

    @tool(name="raise", timeout=timeout)
    async def raise_one() -> str:
        if left:
            raise left.pop(0)
        return "recovered"

    return raise_one


def limit(seconds: float, outcome: ErrorInfo = OWN) -> Wrapper:
    """A wrapper that claims."""

    async def limited(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        return await dispatch.within(seconds, call_next, outcome)

    return limited


def silent_limit(seconds: float) -> Wrapper:
    """A wrapper that cuts what is inside it, claims nothing, and returns what comes of it."""

    async def cut(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
        with trio.move_on_after(seconds):
            return await call_next()
        return dispatch.failure("cut before it began", code="CUT_EARLY")

    return cut


async def shield(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    """A wrapper that shields what is inside it."""
    with trio.CancelScope(shield=True):
        return await call_next()
    raise AssertionError("nobody cancels this scope")


async def retry_once(dispatch: Dispatch, call_next: CallNext) -> ToolResult:
    """A wrapper that tries again if the first attempt failed."""
    result = await call_next()
    return await call_next() if result.is_error else result
