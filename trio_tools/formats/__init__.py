"""Wire shapes: how a tool is told to each provider, and how calls come in and results go out as JSON. The plain form
of these is trio_tools' own."""

from trio_tools.formats._anthropic_turn import anthropic_assistant_message, anthropic_user_message
from trio_tools.formats._balance import Balanced, balance
from trio_tools.formats._draft import NotInForm
from trio_tools.formats._forms import FORMS, to_anthropic, to_gemini, to_mcp, to_openai, to_openai_responses
from trio_tools.formats._history import HistoryTurn, history
from trio_tools.formats._openai_turn import openai_assistant_message, openai_tool_message
from trio_tools.formats._parts import Change, NotATranscript
from trio_tools.formats._plain import write_result
from trio_tools.formats._span import NotATurn
from trio_tools.formats._transcript import BalancedText, balance_text
from trio_tools.formats._turn import TURN_FORMS, Turn, read_turn

__all__ = [
    "Balanced",
    "BalancedText",
    "Change",
    "FORMS",
    "HistoryTurn",
    "NotATranscript",
    "NotATurn",
    "NotInForm",
    "TURN_FORMS",
    "Turn",
    "anthropic_assistant_message",
    "anthropic_user_message",
    "balance",
    "balance_text",
    "history",
    "openai_assistant_message",
    "openai_tool_message",
    "read_turn",
    "to_anthropic",
    "to_gemini",
    "to_mcp",
    "to_openai",
    "to_openai_responses",
    "write_result",
]
