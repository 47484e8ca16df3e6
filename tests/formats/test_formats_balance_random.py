"""Damaged conversations come out balanced, whatever happened to them, and nothing else in them is touched."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from balance_damage import Message, conversations, damaged, is_result, parts_of
from balance_rules import unanswered
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from trio_tools.formats import Balanced, balance, balance_text

FORMS = ["plain", "openai", "anthropic"]
OFTEN = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
in_each_form = pytest.mark.parametrize("form", FORMS)


@in_each_form
@OFTEN
@given(data=st.data())
def test_what_is_balanced_comes_back_as_the_very_messages(form: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(form))
    assert unanswered(messages, form) == []
    outcome = balance(messages)
    assert outcome.changes == ()
    assert len(outcome.messages) == len(messages)
    assert all(after is before for after, before in zip(outcome.messages, messages, strict=True))
    text = json.dumps(messages, indent=3).encode()
    assert balance_text(text).text is text


@in_each_form
@OFTEN
@given(data=st.data())
def test_what_is_damaged_comes_out_balanced_and_twice_is_as_once(form: str, data: st.DataObject) -> None:
    messages = data.draw(damaged(form))
    before = copy.deepcopy(messages)
    outcome = balance(messages, form)
    assert messages == before
    assert unanswered(outcome.messages, form) == []
    event(f"{len(outcome.changes)} changes")
    again = balance(outcome.messages, form)
    assert again.changes == ()
    assert again.messages == outcome.messages
    assert bool(outcome.changes) == (outcome.messages != messages)
    _nothing_else_is_touched(messages, outcome, form)
    _a_result_that_has_one_call_stays_its(messages, outcome, form)


def _nothing_else_is_touched(messages: list[Message], outcome: Balanced, form: str) -> None:
    after: list[Any] = list(outcome.messages)
    assert said(after, form) == said(messages, form)
    kept = Counter(_content(one) for message in after for one in parts_of(message, form) if is_result(one))
    given = Counter(_content(one) for message in messages for one in parts_of(message, form) if is_result(one))
    added = sum((kept - given).values())
    assert added == sum("added" in one.what for one in outcome.changes)
    assert sum((given - kept).values()) == sum(one.what == "result removed" for one in outcome.changes)


def said(messages: list[Message], form: str) -> list[Any]:
    """All that is neither a result nor an id, in order."""
    found: list[Any] = []
    for message in messages:
        if form == "anthropic" and message["role"] == "user":
            content: str | list[Message] = message["content"]
            blocks: list[Message] = [{"type": "text", "text": content}] if isinstance(content, str) else content
            found += [one for one in blocks if one["type"] != "tool_result"]
        elif not any(map(is_result, parts_of(message, form))) and not _is_empty(message):
            bare = copy.deepcopy(message)
            for call in parts_of(bare, form):
                call.pop("id", None)
            found.append(bare)
    return found


def _is_empty(message: Message) -> bool:
    return message.get("role") == "assistant" and not any(value for key, value in message.items() if key != "role")


def _content(part: Message) -> str:
    return json.dumps(part.get("content", part.get("text")))


def _a_result_that_has_one_call_stays_its(messages: list[Message], outcome: Balanced, form: str) -> None:
    """Where ids leave no doubt, the results are those that were given."""
    before, after = _told(messages, form), _told(list(outcome.messages), form)
    for own_id, (calls, results) in before.items():
        if own_id and len(calls) == 1 and len(results) == 1 and calls[0] < results[0][0]:
            (_, text), *others = after[own_id][1]
            assert not others
            assert text == results[0][1]


def _told(messages: list[Any], form: str) -> dict[str | None, tuple[list[int], list[tuple[int, str]]]]:
    """For each id the places of its calls, and the places and contents of its results."""
    found: dict[str | None, tuple[list[int], list[tuple[int, str]]]] = {}
    parts = [part for message in messages for part in parts_of(message, form)]
    for place, part in enumerate(parts):
        own_id = next((part[key] for key in ("id", "tool_call_id", "tool_use_id") if key in part), None)
        calls, results = found.setdefault(own_id, ([], []))
        if is_result(part):
            results.append((place, _content(part)))
        else:
            calls.append(place)
    return found


@in_each_form
@OFTEN
@given(data=st.data())
def test_text_is_balanced_as_values_are(form: str, data: st.DataObject) -> None:
    messages = data.draw(damaged(form))
    outcome = balance(messages)
    array = json.dumps(messages, indent=data.draw(st.sampled_from([None, 1])), ensure_ascii=False)
    shapes = [
        array,
        f'{{"n": 1.50e3, "messages": {array}, "m": 1}}',
        "".join(f"{json.dumps(one)}\n" for one in messages),
    ]
    for shape in shapes if messages else shapes[:2]:
        written = balance_text(shape.encode())
        assert len(written.changes) == len(outcome.changes)
        read = written.text.decode()
        found = [json.loads(one) for one in read.splitlines()] if shape is shapes[2] else json.loads(read)
        assert (found["messages"] if isinstance(found, dict) else found) == outcome.messages
        if shape is shapes[1]:
            assert read.startswith('{"n": 1.50e3, "messages": [')
            assert read.endswith('], "m": 1}')


def test_the_rules_find_what_is_wrong() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "x"}}
    asking, answer = {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a", "content": ""}
    assert unanswered([asking, answer], "openai") == []
    for bad in ([asking], [answer], [asking, answer, answer], [asking, {"role": "user"}, answer], [asking, answer] * 2):
        assert unanswered(bad, "openai")
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}
    result, text = {"type": "tool_result", "tool_use_id": "a"}, {"type": "text", "text": "t"}
    told = {"role": "user", "content": [result]}
    assert unanswered([use, told], "anthropic") == []
    for wrong in (
        [use],
        [told],
        [use, {"role": "user", "content": [text, result]}],
        [use, told, use, told],
        [use, use, told],
    ):
        assert unanswered(wrong, "anthropic")
