"""Turns that were, as the messages of a history that a provider takes, whatever stood in them.

What is made is the same each time, and what is made of some turns is how that of more turns begins: a history that
grows is not written anew, so a provider's cache of it holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType

import attrs

from trio_tools.formats._anthropic_turn import anthropic_answer
from trio_tools.formats._message import sendable
from trio_tools.formats._names import Ids, spelled
from trio_tools.formats._openai_turn import openai_answer
from trio_tools.formats._plain import write_result
from trio_tools.values import (
    JSONValue,
    NotJSON,
    ToolCall,
    ToolResult,
    freeze_mapping,
    parse_arguments,
    safe,
    thaw,
)

# Where Anthropic's form has arguments that are no JSON object: it has no place for other text.
UNREADABLE = "unreadable_arguments"


@attrs.frozen
class HistoryTurn:
    """A turn that was: its calls, and their results, one for each and in call order.

    Raises `ValueError` for results that are not those of the calls.
    """

    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]

    def __attrs_post_init__(self) -> None:
        if len(self.calls) != len(self.results):
            raise ValueError(f"a turn of {len(self.calls)} calls with {len(self.results)} results: each call has one")
        for position, (call, result) in enumerate(zip(self.calls, self.results, strict=True)):
            if call.id != result.call_id:
                what = f"results[{position}] answers the id {result.call_id!r}, calls[{position}] has {call.id!r}"
                raise ValueError(f"{what}: give the results in call order")


def history(turns: Iterable[HistoryTurn], form: str) -> list[JSONValue]:
    """The messages of these turns: `plain`, or as `openai` or `anthropic` takes them.

    Nothing in a turn is refused. Where a provider would refuse it, it is spelled so that he takes it: an id that is
    absent, of other characters, too long or an earlier call's, on call and result alike; a name; NUL and lone
    surrogates. Arguments that are no JSON object stand for Anthropic as text under the key `unreadable_arguments`. A
    turn without calls gives no message.

    Raises `ValueError` for a form that there is none of, and what the accessors of a mapping of arguments raise.
    """
    if form not in _WRITERS:
        raise ValueError(f"there is no form {form!r} of histories: it must be one of {', '.join(_WRITERS)}")
    return _WRITERS[form](turn for turn in turns if turn.calls)


def _plain(turns: Iterable[HistoryTurn]) -> list[JSONValue]:
    messages: list[JSONValue] = []
    for turn in turns:
        messages.append({"calls": [_plain_call(call) for call in turn.calls]})
        messages.extend(write_result(result) for result in turn.results)
    return messages


def _plain_call(call: ToolCall) -> JSONValue:
    arguments: JSONValue = safe(_text_of(call))
    with suppress(NotJSON):
        if not isinstance(call.arguments, str):
            arguments = thaw(freeze_mapping(call.arguments))
    return {"id": call.id, "name": safe(call.name), "arguments": arguments}


def _openai(turns: Iterable[HistoryTurn]) -> list[JSONValue]:
    messages: list[JSONValue] = []
    ids = Ids("openai")
    for turn in turns:
        own = [ids.claim(call.id) for call in turn.calls]
        calls: list[JSONValue] = [_openai_call(call, one) for call, one in zip(turn.calls, own, strict=True)]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages.extend(openai_answer(result, one) for result, one in zip(turn.results, own, strict=True))
    return messages


def _openai_call(call: ToolCall, own_id: str) -> JSONValue:
    text = sendable(_text_of(call))
    text = text if text.strip() else "{}"  # blank means none, and servers that read it want an object
    return {"id": own_id, "type": "function", "function": {"name": spelled(call.name, "openai"), "arguments": text}}


def _anthropic(turns: Iterable[HistoryTurn]) -> list[JSONValue]:
    messages: list[JSONValue] = []
    ids = Ids("anthropic")
    for turn in turns:
        own = [ids.claim(call.id) for call in turn.calls]
        calls: list[JSONValue] = [_anthropic_call(call, one) for call, one in zip(turn.calls, own, strict=True)]
        answers: list[JSONValue] = [
            anthropic_answer(result, one) for result, one in zip(turn.results, own, strict=True)
        ]
        messages.append({"role": "assistant", "content": calls})
        messages.append({"role": "user", "content": answers})
    return messages


def _anthropic_call(call: ToolCall, own_id: str) -> JSONValue:
    return {"type": "tool_use", "id": own_id, "name": spelled(call.name, "anthropic"), "input": _input_of(call)}


def _input_of(call: ToolCall) -> JSONValue:
    arguments = call.arguments
    try:
        read = parse_arguments(arguments) if isinstance(arguments, str) else freeze_mapping(arguments)
    except NotJSON:
        return {UNREADABLE: sendable(_text_of(call))}
    return _sendable(thaw(read))


def _sendable(value: JSONValue) -> JSONValue:
    if isinstance(value, dict):
        return {sendable(key): _sendable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_sendable(one) for one in value]
    return sendable(value) if isinstance(value, str) else value


def _text_of(call: ToolCall) -> str:
    """The arguments of a call as text; of what JSON cannot carry, what is wrong with it."""
    if isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.dumps(freeze_mapping(call.arguments))
    except NotJSON as error:
        return str(error)


_WRITERS: Mapping[str, Callable[[Iterable[HistoryTurn]], list[JSONValue]]] = MappingProxyType(
    {"plain": _plain, "openai": _openai, "anthropic": _anthropic}
)
