"""The timeout policy: enforces what tools declare, and nothing else. It knows no budget of its own (T031)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager

import attrs

from trio_tools.pipeline import CallNext, Dispatch
from trio_tools.registry import AnyPlugin, Registry, plugin
from trio_tools.values import ToolResult, timed_out, went_idle


@attrs.frozen
class TimeoutConfig:
    """Nothing to configure: budgets are declared by tools, in seconds."""


def enforce(dispatch: Dispatch, call_next: CallNext) -> Awaitable[ToolResult]:
    """Claim the call's outcome if the tool's budget runs out; a tool without one is passed through.

    **Cancellation**: as `call_next()`.
    """
    timeout, idle_timeout = dispatch.tool.timeout, dispatch.tool.idle_timeout
    if idle_timeout is None:
        return call_next() if timeout is None else dispatch.within(timeout, call_next, timed_out(timeout))

    def until_idle() -> Awaitable[ToolResult]:
        return dispatch.within(idle_timeout, call_next, went_idle(idle_timeout), renew_on_progress=True)

    return until_idle() if timeout is None else dispatch.within(timeout, until_idle, timed_out(timeout))


@plugin("timeout", config=TimeoutConfig)
@asynccontextmanager
async def timeout(registry: Registry, config: TimeoutConfig) -> AsyncGenerator[None]:
    """Enforce `timeout` and `idle_timeout` of every tool, in seconds.

    **Cancellation**: leaving takes the wrapper off for later calls.
    """
    with registry.add_wrapper(enforce):
        yield


def with_timeout(listed: tuple[AnyPlugin, ...]) -> tuple[AnyPlugin, ...]:
    """These plugins behind the timeout policy, unless one of its name is among them."""
    unlisted = all(getattr(one, "name", None) != timeout.name for one in listed)
    return (timeout, *listed) if unlisted else listed
