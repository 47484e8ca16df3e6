"""All that is known of a call, as the page tells it below its bar."""

from __future__ import annotations

import json
from collections.abc import Iterator

from trio_tools.cli.log._axis import Line
from trio_tools.cli.log._html import Html, element, foreign
from trio_tools.cli.log._moment import moment
from trio_tools.cli.log._outcome import cause_of, lasting
from trio_tools.journal import CallRecord, EffectRecord
from trio_tools.values import Effect, JSONValue, ToolResult

# Characters of one text on the page: what a person reads of it. All of it is in the JSON.
TEXT_LENGTH = 20_000
# Characters of a name, an id or a reason.
NAME_LENGTH = 500


def account(line: Line) -> Html:
    """What is known of the call of a line."""
    call = line.call
    parts = [element("dl", _facts(call)), *_text("Arguments", _written(call.arguments))]
    if call.metadata:
        parts += _text("Metadata", _written(call.metadata))
    if call.result is not None:
        parts += _result(call.result)
    if effects := list(_effects(call)):
        parts += [element("h4", "Effects"), *effects]
    return element("div", parts, class_="facts")


def _facts(call: CallRecord) -> Iterator[Html]:
    ref = call.ref
    yield from _fact("tool", ref.tool)
    if ref.call_id is not None:
        yield from _fact("id", ref.call_id)
    yield from _fact("call", f"{ref.turn}/{ref.position}")
    if ref.parent is not None:
        yield from _fact("made by call", ref.parent)
    yield from _fact("came", moment(call.accepted))
    if call.decided is not None:
        verdict = "allowed" if call.allowed else "denied"
        yield from _fact(verdict, f"after {lasting(call.decided - call.accepted)}")
    if call.reason is not None:
        yield from _fact("because", call.reason)
    for attempt in call.dispatched:
        yield from _fact("body entered", f"after {lasting(attempt - call.accepted)}")
    if call.cancelled is not None:
        yield from _fact("given up", f"after {lasting(call.cancelled - call.accepted)}")
    if (cause := cause_of(call)) is not None:
        yield from _fact("ended by", cause.value)
    if call.settled is not None:
        yield from _fact("settled", moment(call.settled))


def _fact(name: str, value: str) -> Iterator[Html]:
    yield element("dt", name)
    yield element("dd", foreign(value, limit=NAME_LENGTH))


def _result(result: ToolResult) -> Iterator[Html]:
    if result.error is not None:
        code = foreign(f"{result.error.code} ({result.error.name})", limit=NAME_LENGTH)
        yield from (element("h4", "Error"), element("p", code))
    yield from _text("What a model reads", result.text)
    if result.value is not None and result.value != result.text:
        yield from _text("Value", _written(result.value))
    if result.superseded is not None:
        yield from _text("What it came to before it was replaced", result.superseded.text)
    for context in result.contexts:
        yield from _text("For the conversation", _written(context))


def _effects(call: CallRecord) -> Iterator[Html]:
    """Its own, and those that its result names beside them: of earlier calls with the key, and of calls it made."""
    own = [one.effect for one in call.effects]
    for one in call.effects:
        yield from _effect(one.effect, _when(one, call))
    for effect in () if call.result is None else call.result.effects:
        if effect.earlier:
            yield from _effect(effect, "done by an earlier call")
        elif effect.call is not None and effect not in own:
            yield from _effect(effect, f"done by call {effect.call}")


def _when(one: EffectRecord, call: CallRecord) -> str:
    ended = "nobody saw its end" if one.ended is None else f"ended after {lasting(one.ended - call.accepted)}"
    decided = "" if one.resolved is None else f", decided {moment(one.resolved)}"
    return f"begun after {lasting(one.begun - call.accepted)}, {ended}{decided}"


def _effect(effect: Effect, when: str) -> Iterator[Html]:
    named = foreign(effect.name, limit=NAME_LENGTH)
    key = () if effect.key is None else (element("span", " with key "), foreign(effect.key, limit=NAME_LENGTH))
    when_words = element("span", f" ({when})", class_="faint")
    yield element("p", named, *key, element("strong", f": {effect.state.value}"), when_words)
    if effect.error is not None:
        yield _block(effect.error)
    if effect.receipt is not None:
        yield _block(_written(effect.receipt))


def _text(head: str, text: str) -> Iterator[Html]:
    yield from (element("h4", head), _block(text))


def _block(text: str) -> Html:
    return foreign(text, limit=TEXT_LENGTH, tag="pre")


def _written(value: JSONValue) -> str:
    """JSON as it can be read; raw text as it came."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
