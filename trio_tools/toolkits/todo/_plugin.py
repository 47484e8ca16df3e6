"""The tool `todo_write`, and the plugin that brings it."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from trio_tools.registry import Registry, plugin
from trio_tools.tool import Declaration, Tool, ToolContext
from trio_tools.toolkits.todo._config import TodoConfig
from trio_tools.toolkits.todo._lists import Todo, TodoLists
from trio_tools.values import ToolError

_TODO_WRITE = Declaration()


@plugin("todo", config=TodoConfig, provides=(TodoLists,))
@asynccontextmanager
async def todo(registry: Registry, config: TodoConfig) -> AsyncGenerator[None]:
    """Offer `todo_write`, with which a model keeps a list of tasks for its session, and `TodoLists`, to read them.

    **Cancellation**: opening and leaving wait for nothing. The lists are gone when it leaves.
    """
    lists = TodoLists(several_in_progress=config.several_in_progress, max_sessions=config.max_sessions)
    with registry.provide(TodoLists, lists), registry.register(todo_tool(lists)):
        yield


def todo_tool(lists: TodoLists) -> Tool:
    """The tool `todo_write` over these lists."""

    # Exclusive, so that of two in a turn the later one stands. Its body never waits: it is cut before it has begun, or
    # not at all.
    @_TODO_WRITE.tool(idempotent=True, parallel=False)
    async def todo_write(todos: list[Todo], *, ctx: ToolContext) -> str:
        """Write down the tasks of this session, all of them each time: the list replaces the one before.

        Use it for work of several steps. Mark a task in_progress before you begin it, and completed as soon as it is
        done and not before; add what you find is to be done, and leave out what has become needless. An empty list
        clears it.

        Args:
            todos: The whole list, in the order in which you mean to do it. No two tasks have the same content.
        """
        if ctx.session is None:
            raise ToolError("todo_write requires an owning agent session", code="TODO_NO_SESSION")
        count = Counter(one.status for one in lists.replace(ctx.session, todos))
        return (
            f"Updated todo list: {count['pending']} pending, {count['in_progress']} in progress, "
            f"{count['completed']} completed."
        )

    return todo_write
