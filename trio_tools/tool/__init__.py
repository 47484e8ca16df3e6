"""How a tool is declared: a typed function or a raw schema, its budgets, and what its body may do."""

from trio_tools.tool._callables import is_generator, place_of
from trio_tools.tool._context import Job, SyncToolContext, ToolContext
from trio_tools.tool._declaration import Declaration
from trio_tools.tool._describe import described
from trio_tools.tool._shape import Shape
from trio_tools.tool._signature import Signature
from trio_tools.tool._tool import MAX_RESULT_BYTES, Body, Classifier, Finalizer, Tool, tool

__all__ = [
    "MAX_RESULT_BYTES",
    "Body",
    "Classifier",
    "Declaration",
    "Finalizer",
    "Job",
    "Shape",
    "Signature",
    "SyncToolContext",
    "Tool",
    "ToolContext",
    "described",
    "is_generator",
    "place_of",
    "tool",
]
