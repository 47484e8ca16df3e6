"""A list of tasks that a model keeps for itself, one for each session."""

from trio_tools.toolkits.todo._config import TodoConfig
from trio_tools.toolkits.todo._lists import Todo, TodoLists
from trio_tools.toolkits.todo._plugin import todo

__all__ = ["Todo", "TodoConfig", "TodoLists", "todo"]
