"""A line of calls in whichever form it is, its form found by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs

from trio_tools.formats._anthropic_turn import read_anthropic
from trio_tools.formats._openai_turn import read_openai
from trio_tools.formats._plain import read_plain
from trio_tools.formats._span import NotATurn, Span, whole
from trio_tools.values import ToolCall

_READERS: Mapping[str, Callable[[Span], tuple[ToolCall, ...]]] = MappingProxyType(
    {"plain": read_plain, "openai": read_openai, "anthropic": read_anthropic}
)
# The forms that turns and results have, by name.
TURN_FORMS = tuple(_READERS)

# Keys that say OpenAI when they hold something, and those that say it even when they are null: its SDK writes them so.
_OPENAI_CALLS = {"choices", "tool_calls", "function_call"}
_OPENAI_KEYS = _OPENAI_CALLS | {"tool_call_id", "refusal", "audio", "annotations"}
_OPENAI_ROLES = {"developer", "tool", "function"}
# Types of blocks that one of the two has alone.
_OPENAI_BLOCKS = {"image_url", "input_audio", "file", "refusal"}
_ANTHROPIC_BLOCKS = {
    *("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"),
    *("image", "document", "search_result"),
}


@attrs.frozen
class Turn:
    """The calls of one line, and the form that they are to be answered in. It is None only if there are no calls, and
    the message that had none is the same in several forms."""

    form: str | None
    calls: tuple[ToolCall, ...]


def read_turn(line: bytes | str, form: str | None = None) -> Turn:
    """The calls of a line, which is in this form, or if it is None in any.

    Raises `NotATurn` for what is not UTF-8, not exactly one JSON value, not of the form, or of no form; `ValueError`
    for a form that there is none of.
    """
    if form is not None and form not in _READERS:
        raise ValueError(f"there is no form {form!r} of turns: it must be one of {', '.join(TURN_FORMS)}")
    try:
        turn = whole(line)
        found = form_of(turn)
        if form is None:
            form = found
        elif found not in {None, form}:
            raise NotATurn(f"a turn in the form {found}, where {form} is wanted")
        return Turn(form, _reader(form, turn)(turn))
    except RecursionError:
        raise NotATurn("not readable: nested too deep", form=form) from None
    except NotATurn as fault:
        raise NotATurn(str(fault), form=form) from None


def form_of(turn: Span) -> str | None:
    """The form that a line is in, well or badly, as far as that can be told."""
    if turn.kind != "an object":
        return None
    members = dict(turn.entries())
    if "calls" in members:
        return "plain"
    if any(key in members and members[key].kind != "null" for key in _OPENAI_CALLS):
        return "openai"
    blocks = _types_in(members.get("content"))
    if _text_of(members.get("type")) == "message" or blocks & _ANTHROPIC_BLOCKS:
        return "anthropic"
    if members.keys() & _OPENAI_KEYS or _text_of(members.get("role")) in _OPENAI_ROLES or blocks & _OPENAI_BLOCKS:
        return "openai"
    return None


def _types_in(content: Span | None) -> set[str | None]:
    if content is None or content.kind != "an array":
        return set()
    return {_text_of(dict(block.entries()).get("type")) for block in content.items() if block.kind == "an object"}


def _text_of(value: Span | None) -> str | None:
    return value.string() if value is not None and value.kind == "a string" else None


def _reader(form: str | None, turn: Span) -> Callable[[Span], tuple[ToolCall, ...]]:
    """What reads a turn of this form. What is in none of them is a message that all providers have, or is refused as
    the plain form does it."""
    if form is not None:
        return _READERS[form]
    is_message = turn.kind == "an object" and turn.some("role", "content")
    return read_anthropic if is_message else read_plain
