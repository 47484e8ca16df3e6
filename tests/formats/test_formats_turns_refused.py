"""A line that is broken is refused whole, with its place, and with the form it was in as far as that can be told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_formats_turns import ANTHROPIC, ANTHROPIC_CALL, OPENAI, OPENAI_CALL, response

from trio_tools.formats import NotATurn, read_turn

ROLES = "assistant, user, system, developer, tool, function"
GOOD: Any = {"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}}
BLOCK: Any = {"type": "tool_use", "id": "c", "name": "x", "input": {}}


def refused(line: str | bytes, form: str | None = None) -> tuple[str, str | None]:
    with pytest.raises(NotATurn) as caught:
        read_turn(line, form)
    return str(caught.value), caught.value.form


def without(members: dict[str, object], key: str) -> dict[str, object]:
    return {name: one for name, one in members.items() if name != key}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (1, "tool_calls[1] must be an object, not a number"),
        (without(GOOD, "id"), "tool_calls[1] has no id"),
        ({**GOOD, "id": None}, "tool_calls[1].id must be a string, not null"),
        ({**GOOD, "id": "\ud800"}, "tool_calls[1].id cannot be sent back: a lone surrogate at character 0 of a string"),
        (without(GOOD, "function"), "tool_calls[1] has no function"),
        ({**GOOD, "function": "x"}, "tool_calls[1].function must be an object, not a string"),
        ({**GOOD, "function": {"arguments": "{}"}}, "tool_calls[1].function has no name"),
        (
            {**GOOD, "function": {"name": 1, "arguments": "{}"}},
            "tool_calls[1].function.name must be a string, not a number",
        ),
        ({**GOOD, "function": {"name": "x"}}, "tool_calls[1].function has no arguments"),
        (
            {**GOOD, "function": {"name": "x", "arguments": {}}},
            "tool_calls[1].function.arguments must be a string, not an object",
        ),
        (
            {"id": "c", "type": "custom", "custom": {"name": "x", "input": "free text"}},
            'tool_calls[1].type must be "function", not "custom"',
        ),
        ({**GOOD, "type": 1}, "tool_calls[1].type must be a string, not a number"),
    ],
    ids=str,
)
def test_a_broken_openai_call_is_refused_with_its_place(call: object, error: str) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [GOOD, call]}
    assert refused(json.dumps(message)) == (error, "openai")
    inside = error.replace("tool_calls", "choices[0].message.tool_calls")
    assert refused(json.dumps({"choices": [{"message": message}]})) == (inside, "openai")


@pytest.mark.parametrize(
    ("block", "error"),
    [
        (1, "content[1] must be an object, not a number"),
        (without(BLOCK, "type"), "content[1] has no type"),
        ({**BLOCK, "type": None}, "content[1].type must be a string, not null"),
        (without(BLOCK, "id"), "content[1] has no id"),
        ({**BLOCK, "id": 1}, "content[1].id must be a string, not a number"),
        ({**BLOCK, "id": "\udfff"}, "content[1].id cannot be sent back: a lone surrogate at character 0 of a string"),
        (without(BLOCK, "name"), "content[1] has no name"),
        ({**BLOCK, "name": ["x"]}, "content[1].name must be a string, not an array"),
        (without(BLOCK, "input"), "content[1] has no input"),
    ],
    ids=str,
)
def test_a_broken_anthropic_call_is_refused_with_its_place(block: object, error: str) -> None:
    message = {"role": "assistant", "content": [BLOCK, block]}
    assert refused(json.dumps(message)) == (error, "anthropic")


@pytest.mark.parametrize(
    ("line", "error", "form"),
    [
        (OPENAI.replace('"role": "assistant", ', ""), "a turn has no role", "openai"),
        (OPENAI.replace('"assistant"', "1"), "role must be a string, not a number", "openai"),
        (
            OPENAI.replace("assistant", "user"),
            "tool_calls stands in a message of the role user; only an assistant's has calls",
            "openai",
        ),
        ('{"role": "assistant", "tool_calls": 1}', "tool_calls must be an array, not a number", "openai"),
        ('{"role": "assistant", "content": 1}', "content must be a string or an array, not a number", None),
        (
            '{"role": "assistant", "function_call": {"name": "x", "arguments": "{}"}}',
            "function_call is a call without an id, as OpenAI had them once; only tool_calls are read",
            "openai",
        ),
        (
            OPENAI.replace("null", f"[{ANTHROPIC_CALL}]"),
            "content[0] is a tool_use, which this form has not: its calls stand in tool_calls",
            "openai",
        ),
        ('{"choices": null}', "choices must be an array, not null", "openai"),
        ('{"choices": [{"delta": {}}]}', "choices[0] has no message", "openai"),
        ('{"choices": [{"message": {}}]}', "choices[0].message has no role", "openai"),
        (
            response(OPENAI, '{"role": "assistant", "content": "no"}'),
            "choices holds 2 messages, with calls: send just the one that is to be answered",
            "openai",
        ),
        (
            response(OPENAI)[:-1] + ', "content": [' + ANTHROPIC_CALL + "]}",
            "a turn is a whole response, which has choices, and a message, which has content",
            "openai",
        ),
        (ANTHROPIC.replace('"role": "assistant", ', ""), "a turn has no role", "anthropic"),
        (
            ANTHROPIC.replace("assistant", "user"),
            "content[0] stands in a message of the role user; only an assistant's has calls",
            "anthropic",
        ),
        ('{"type": "message"}', "a turn has no role", "anthropic"),
        ('{"role": "model", "parts": []}', f'role must be one of {ROLES}, not "model"', None),
        ('{"role": "\\u001b[31m", "content": ""}', f'role must be one of {ROLES}, not "\\u001b[31m"', None),
        ('{"content": "hi"}', "a turn has no role", None),
        (OPENAI[:-1] + ', "calls": []}', 'a turn has an unknown key "role"; known: calls', "plain"),
        ('{"type": "content_block_stop"}', 'a turn has an unknown key "type"; known: calls', None),
        ("{}", "a turn has no calls", None),
        ("[" + OPENAI + "]", "a turn must be an object, not an array", None),
    ],
)
def test_what_is_no_turn_in_any_form_is_refused(line: str, error: str, form: str | None) -> None:
    assert refused(line) == (error, form)


@pytest.mark.parametrize(
    ("line", "form", "error"),
    [
        ("{", "openai", "not JSON: Expecting property name enclosed in double quotes at character 1"),
        (b"\xff", "anthropic", "not UTF-8 at byte 0"),
        ("{}", "openai", "a turn has no role"),
        ("{}", "anthropic", "a turn has no role"),
        ("{}", "plain", "a turn has no calls"),
        ("7", "anthropic", "a turn must be an object, not a number"),
        ('{"role": "user", "content": "hi"}', "plain", 'a turn has an unknown key "role"; known: calls'),
        ('{"role": "tool", "content": "hi"}', "anthropic", "a turn in the form openai, where anthropic is wanted"),
        ('{"type": "message"}', "openai", "a turn in the form anthropic, where openai is wanted"),
        ('{"calls": 1}', "openai", "a turn in the form plain, where openai is wanted"),
    ],
)
def test_where_a_form_is_wanted_every_fault_is_one_in_that_form(line: str | bytes, form: str, error: str) -> None:
    assert refused(line, form) == (error, form)


OTHER_CALL = OPENAI_CALL.replace('"id": "c1"', '"id": "c1", "id": "c2"')


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (OPENAI.replace('{"role"', '{"role": "tool", "role"'), 'a turn has the key "role" more than once'),
        (
            OPENAI.replace('"tool_calls"', '"tool_calls": null, "tool_calls"'),
            'a turn has the key "tool_calls" more than once',
        ),
        (OPENAI[:-1] + ', "tool\\u005fcalls": null}', 'a turn has the key "tool_calls" more than once'),
        (OPENAI.replace(OPENAI_CALL, OTHER_CALL), 'tool_calls[0] has the key "id" more than once'),
        (OPENAI.replace('"name"', '"name": "y", "name"'), 'tool_calls[0].function has the key "name" more than once'),
        (response(OPENAI)[:-1] + ', "choices": []}', 'a turn has the key "choices" more than once'),
        (ANTHROPIC[:-1] + ', "content": "hi"}', 'a turn has the key "content" more than once'),
        (ANTHROPIC.replace('"type"', '"type": "text", "type"'), 'content[0] has the key "type" more than once'),
        (ANTHROPIC.replace('"tool_use"', '"tool_use", "type": "text"'), 'content[0] has the key "type" more than once'),
        (ANTHROPIC.replace('"input"', '"input": {}, "input"'), 'content[0] has the key "input" more than once'),
    ],
)
def test_a_key_that_is_read_may_not_be_repeated(line: str, error: str) -> None:
    assert refused(line)[0] == error
    assert refused(line)[1] != "plain"
