"""How a tool is declared: a typed function, its schema, its budgets, and what its body may do."""

from trio_tools.tool._context import SyncToolContext, ToolContext
from trio_tools.tool._signature import is_generator
from trio_tools.tool._tool import Body, Classifier, Finalizer, Tool, tool
from trio_tools.tool._types import Shape

__all__ = ["Body", "Classifier", "Finalizer", "Shape", "SyncToolContext", "Tool", "ToolContext", "is_generator", "tool"]
