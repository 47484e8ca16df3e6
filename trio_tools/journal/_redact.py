"""Redaction: what is never written down.

Arguments are redacted by name before an event reaches the store, so that no file, no log of a database and no page of
memory that is swapped out ever holds them because of us.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import attrs

from trio_tools.journal._fold import place_of
from trio_tools.journal._records import JournalEvent
from trio_tools.values import (
    CallAccepted,
    CallSettled,
    ErrorCode,
    ErrorInfo,
    JSONValue,
    NotJSON,
    ToolResult,
    failure_content,
    freeze,
    parse_arguments,
)

REDACTED = "(redacted)"


class Redaction:
    """Takes out of events the values of what has one of these names, at any depth. Remembers which unsettled calls it
    has taken something from: what is said of their arguments may quote them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._touched: set[str] = set()

    def __call__(self, event: JournalEvent) -> JournalEvent:
        """The event as it may be written."""
        if not self._names:
            return event
        if isinstance(event, CallAccepted):
            return self._accepted(event)
        if isinstance(event, CallSettled) and place_of(event.ref) in self._touched:
            self._touched.discard(place_of(event.ref))
            return _without_quotes(event)
        return event

    def _accepted(self, event: CallAccepted) -> CallAccepted:
        arguments = event.arguments
        kept = self._text(arguments) if isinstance(arguments, str) else self._value(arguments)
        if kept != arguments or arguments is None:  # what could not be kept cannot be looked into
            self._touched.add(place_of(event.ref))
        return attrs.evolve(event, arguments=freeze(kept), metadata=freeze(self._value(event.metadata)))

    def _value(self, value: JSONValue) -> JSONValue:
        if isinstance(value, dict):
            return {key: REDACTED if key in self._names else self._value(member) for key, member in value.items()}
        return [self._value(item) for item in value] if isinstance(value, list) else value

    def _text(self, text: str) -> str:
        """A model's raw text: as it stands if there is nothing in it, and not at all if nobody can tell."""
        try:
            read = parse_arguments(text)
        except NotJSON:
            return f"{REDACTED[:-1]}: {len(text):,} characters that are no JSON object)"
        kept = self._value(read)
        return text if kept == read else json.dumps(kept, ensure_ascii=False)


def _without_quotes(event: CallSettled) -> CallSettled:
    """Without the words that refuse arguments: validators quote what they refuse."""
    result = event.result
    if result.error is None or result.error.code != ErrorCode.INVALID_ARGS:
        return event
    error = ErrorInfo(result.error.name, ErrorCode.INVALID_ARGS, f"invalid arguments: {REDACTED}")
    kept: ToolResult = attrs.evolve(result, error=error, content=failure_content(error), superseded=None)
    return attrs.evolve(event, result=kept)
