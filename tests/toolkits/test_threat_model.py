"""What the threat model shows is what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import trio

from trio_tools import ToolCall, ToolContext, ToolResult, open_registry, tool

PAGE = Path(__file__).parent.parent.parent / "docs" / "threat-model.md"


@tool
async def bash(command: str) -> str:
    """Stand in for the real one."""
    return command


@tool
async def other(ctx: ToolContext) -> str:
    """Run a command from inside."""
    return (await ctx.execute(ToolCall("bash", {"command": "true"}), scope=trio.CancelScope())).text


async def test_the_policy_that_is_shown_asks_for_each_command_and_lets_no_tool_run_one() -> None:
    """R023: with nobody to ask, that is a denial."""
    (shown,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(shown, names)

    async def ask(name: str, **arguments: object) -> ToolResult:
        return await registry.execute(ToolCall(name, arguments), scope=trio.CancelScope())

    async with open_registry() as registry:
        registry.register(bash)
        registry.register(other)
        registry.add_pre_policy(names["careful"])
        asked = await ask("bash", command="true")
        assert (asked.code, asked.dispatched) == ("DENIED", False)
        assert "commands are run for the model only" in (await ask("other")).text
