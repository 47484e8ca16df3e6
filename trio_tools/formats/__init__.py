"""Wire shapes: how a tool is told to each provider, and how calls come in and results go out as JSON. The plain form
here is trio_tools' own."""

from trio_tools.formats._draft import NotInForm
from trio_tools.formats._forms import FORMS, to_anthropic, to_gemini, to_mcp, to_openai, to_openai_responses
from trio_tools.formats._plain import NotATurn, read_turn, write_result

__all__ = [
    "FORMS",
    "NotATurn",
    "NotInForm",
    "read_turn",
    "to_anthropic",
    "to_gemini",
    "to_mcp",
    "to_openai",
    "to_openai_responses",
    "write_result",
]
