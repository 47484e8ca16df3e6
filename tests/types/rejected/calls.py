"""Every line marked `rejected` must be refused by both type checkers, and no other line."""

import trio

from trio_tools import Registry, ToolCall, ToolResult, tool

tool(timeout="30")  # rejected


async def calls(registry: Registry, call: ToolCall, scope: trio.CancelScope) -> None:
    await registry.execute(call)  # rejected
    await registry.execute(call, scope=None)  # rejected
    await registry.execute(call, scope)  # rejected
    await registry.execute("web_fetch", scope=scope)  # rejected
    await registry.execute_turn([call])  # rejected
    await registry.execute_turn([call], scope=None)  # rejected
    await registry.execute_turn(call, scope=scope)  # rejected
    await registry.execute_turn([call], scope=scope, on_settled=lambda result: None)  # rejected
    registry.tools["x"] = tool(lambda: None)  # rejected


def results(result: ToolResult, call: ToolCall) -> None:
    result.value = 1  # rejected
    result.error = None  # rejected
    result.text = ""  # rejected
    result.contexts += (1,)  # rejected
    call.name = "other"  # rejected
