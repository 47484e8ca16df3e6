"""Stock tools: the calls that a contract is tried on. They are quick on the real clock, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from trio_tools.tool import Tool, ToolContext, tool
from trio_tools.values import EMPTY, FrozenDict, ToolError, freeze_mapping

# Seconds that a stock tool works between two checkpoints: no time on the virtual clock, and little on the real one.
WORK = 0.02
# Seconds of a stock tool's bounded clean-up: more than it needs.
CLEANUP_BOUND = 5.0


@tool
async def quick() -> str:
    """Come to a value without waiting."""
    return "quick"


@tool
async def slow() -> str:
    """Wait twice, then come to a value."""
    await trio.sleep(WORK)
    await trio.sleep(WORK)
    return "slow"


@tool
async def failing() -> str:
    """Wait, then fail."""
    await trio.sleep(WORK)
    raise ToolError("this tool always fails")


@tool
async def cleaning() -> str:
    """Wait, and clean up under a bounded shield, whatever happens."""
    try:
        await trio.sleep(WORK)
        return "cleaned"
    finally:
        # bounded by CLEANUP_BOUND: it stands for tools whose clean-up must not be cut
        with trio.move_on_after(CLEANUP_BOUND, shield=True):
            await trio.sleep(WORK)


@tool
async def swallowing() -> str:
    """Wait, and come to a value although it was cut: a bad tool, of which there are many."""
    try:
        await trio.sleep(WORK)
    except trio.Cancelled:
        return "swallowed"
    return "not cut"


@tool
async def echo(text: str, seconds: float) -> str:
    """Wait for so many seconds and come to the text."""
    await trio.sleep(seconds)
    return f"echo of {text}"


STOCK = (quick, slow, failing, cleaning, swallowing)

parallel_echo = attrs.evolve(echo, parallel=True)


class Attempts:
    """How often the body of a call was entered: one for each run."""

    def __init__(self) -> None:
        self.number = 0


def failing_with(code: str | None, *, times: int) -> Tool:
    """A tool that fails with this code (None: that of a plain failure) so many times, and then comes to a value. It may
    be repeated: a wrapper that retries only what is safe to repeat has nothing against it."""

    async def flaky(ctx: ToolContext) -> str:
        attempts = ctx.require(Attempts)
        attempts.number += 1
        await trio.sleep(WORK)
        if attempts.number <= times:
            raise ToolError(f"attempt {attempts.number} fails", code=code)
        return f"attempt {attempts.number}"

    return tool(flaky, description="Fail some times.", idempotent=True)


@tool(idempotent=True)
async def hanging_once(ctx: ToolContext) -> str:
    """Wait for ever at the first attempt, and come to a value at the next."""
    attempts = ctx.require(Attempts)
    attempts.number += 1
    if attempts.number == 1:
        await trio.sleep_forever()
    await trio.sleep(WORK)
    return f"attempt {attempts.number}"


_OBJECT = freeze_mapping({"type": "object"})


@attrs.frozen
class _AnyArguments:
    """A signature that takes whatever JSON object comes."""

    schema: FrozenDict = _OBJECT
    context: str | None = None
    is_async: bool = True
    trusted: bool = True

    def read(self, arguments: FrozenDict, problems: list[str]) -> dict[str, object]:
        return {"arguments": arguments}

    def bind(self, values: dict[str, object], context: object) -> tuple[Sequence[object], dict[str, object]]:
        return (), values

    def prepare(self) -> None:
        """Nothing to get ready."""


def stand_in(name: str, body: Callable[[FrozenDict], Awaitable[object]], *, timeout: float | None = None) -> Tool:
    """A tool of this name that takes any arguments, with a budget in seconds, if any."""

    async def run(arguments: FrozenDict = EMPTY) -> object:
        return await body(arguments)

    return Tool(
        name=name,
        description="Stands in.",
        parameters={"type": "object"},
        body=run,
        signature=_AnyArguments(),
        timeout=timeout,
        parallel=True,
    )
