"""A plugin of your own: a tool that runs others, one after the other, and says how far it is.

The package that it comes with names it, and a config lists it:

    [project.entry-points."trio_tools.plugins"]
    checks = "checks:checks"
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import trio

from trio_tools import Registry, ToolCall, ToolContext, option, plugin, tool


def _positive(_: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not 0 < value < float("inf"):
        raise ValueError(f"{attribute.name} must be a positive finite number of seconds, not {value!r}")


@attrs.frozen(kw_only=True)
class ChecksConfig:
    """How checks are run.

    Attributes:
        patience: How long one check may take.
    """

    patience: float = attrs.field(default=60.0, validator=_positive, metadata=option(unit="seconds"))


@plugin("checks", config=ChecksConfig, requires=["shell"])
@asynccontextmanager
async def checks(registry: Registry, config: ChecksConfig) -> AsyncGenerator[None]:
    """Offer `check`, which runs commands one after the other."""

    @tool(timeout=600)
    async def check(commands: list[str], ctx: ToolContext) -> dict[str, str]:
        """Run commands one after the other, and tell how each ended.

        Args:
            commands: What bash is to run.
        """
        endings: dict[str, str] = {}
        for done, command in enumerate(commands):
            ctx.report_progress(done, len(commands), f"check {done + 1} of {len(commands)}")
            call = ToolCall("bash", {"command": command, "description": "Run a check"}, id=f"check-{done + 1}")
            limit = trio.CancelScope(deadline=trio.current_time() + config.patience)
            result = await ctx.execute(call, scope=limit)
            endings[command] = result.code or result.text.rpartition("\n")[2]
        return endings

    with registry.register(check):
        yield
