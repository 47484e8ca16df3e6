"""A transcript written so that each call is answered once, in call order, right behind it. All that need not change
goes on as the text it stands in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import attrs

from trio_tools.formats._pairing import Pairing
from trio_tools.formats._parts import Answer, Call, Message, edited, member
from trio_tools.formats._plain import write_result
from trio_tools.formats._span import Span
from trio_tools.values import ABORTED, Text, ToolResult

# What stands for a result that a transcript has not: the text of an abort, and all that is known.
UNKNOWN = (
    "Error: tool call aborted\n"
    "There is no record of how this call ended. It may have run: check what it has done before you repeat it."
)

# The key under which an answer names its call. In plain it is there twice, the second time as `from_json` reads it.
_NAMES_CALL: Mapping[str, str] = MappingProxyType({"plain": "id", "openai": "tool_call_id", "anthropic": "tool_use_id"})
_NAMES_IT_AGAIN = "call_id"


@attrs.frozen
class Piece:
    """A message of what is written: its text, and which message it is, unchanged; None for one that was changed or
    made."""

    text: str
    origin: Span | None = None


@attrs.frozen
class Rendering:
    """How to write a transcript of this form, its calls paired. `ids` are the new ids of calls that get one."""

    form: str
    pairing: Pairing
    ids: Mapping[Call, str]

    def pieces(self, messages: Iterable[Message]) -> Iterator[Piece]:
        """The messages as they are to stand."""
        return self._by_turn(messages) if self.form == "anthropic" else self._by_call(messages)

    def id_of(self, call: Call) -> str | None:
        """The id that a call has in the end."""
        return self.ids.get(call, call.id)

    def is_named_anew(self, call: Call, answer: Answer) -> bool:
        """Whether an answer has to name its call by another id than it does."""
        return not call.is_old and answer.id != self.id_of(call)

    def _by_call(self, messages: Iterable[Message]) -> Iterator[Piece]:
        """Where each answer is a message."""
        for message in messages:
            if message.answers:
                continue
            yield self._asking(message)
            for call in message.calls:
                yield self._answering(call)

    def _by_turn(self, messages: Iterable[Message]) -> Iterator[Piece]:
        """Where one message of the user holds the answers of a turn, and what he says himself behind them."""
        owed: Sequence[Call] = ()
        for message in messages:
            if message.is_users:
                yield from self._users(message, owed)
            else:
                if owed:
                    yield self._made(owed)
                yield self._asking(message)
            owed = message.calls
        if owed:
            yield self._made(owed)

    def _asking(self, message: Message) -> Piece:
        edits = [member(call.span, "id", json.dumps(self.ids[call])) for call in message.calls if call in self.ids]
        return Piece(edited(message.span, edits)) if edits else Piece(message.span.raw, message.span)

    def _users(self, message: Message, owed: Sequence[Call]) -> Iterator[Piece]:
        answers = [self._answering(call) for call in owed]
        rest = [Piece(one.raw, one) for one in message.rest]
        content = message.span.some("content").get("content")
        if owed and content is not None and content.kind == "a string" and content.string().strip():
            rest = [Piece(f'{{"type": "text", "text": {content.raw}}}')]
        before = [one if isinstance(one, Span) else one.span for one in message.units]
        if [one.origin for one in (*answers, *rest)] == before:
            yield Piece(message.span.raw, message.span)
        elif answers or rest:
            text = ", ".join(one.text for one in (*answers, *rest))
            yield Piece(edited(message.span, [member(message.span, "content", f"[{text}]")]))

    def _made(self, owed: Sequence[Call]) -> Piece:
        answers = ", ".join(self._answering(call).text for call in owed)
        return Piece(f'{{"role": "user", "content": [{answers}]}}')

    def _answering(self, call: Call) -> Piece:
        answer = self.pairing.answers.get(call)
        if answer is None:
            return Piece(json.dumps(self._unknown(call)))
        if not self.is_named_anew(call, answer):
            return Piece(answer.span.raw, answer.span)
        own_id = json.dumps(self.id_of(call))
        keys = [_NAMES_CALL[self.form], *answer.span.some(_NAMES_IT_AGAIN)]
        return Piece(edited(answer.span, [member(answer.span, key, own_id) for key in keys]))

    def _unknown(self, call: Call) -> object:
        own_id = self.id_of(call)
        if self.form == "anthropic":
            block = {"type": "text", "text": UNKNOWN}
            return {"type": "tool_result", "tool_use_id": own_id, "content": [block], "is_error": True}
        if self.form == "plain":
            # whether it was dispatched nobody knows, and what may have run must not be taken for what never did
            content = (Text(UNKNOWN),)
            return write_result(ToolResult(own_id, call.name or "", content, error=ABORTED, dispatched=True))
        if call.is_old:
            return {"role": "function", "name": call.name, "content": UNKNOWN}
        return {"role": "tool", "tool_call_id": own_id, "content": UNKNOWN}
