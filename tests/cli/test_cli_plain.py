"""The plain form: what is a turn, what is not and why, and what a result looks like."""

import json

import pytest
import trio

from trio_tools import ErrorCode, ToolCall, ToolResult, from_json, open_registry
from trio_tools.formats import NotATurn, Turn, read_turn, write_result
from trio_tools.values import Effect, EffectState, ErrorInfo, Outcome, Text


def call(arguments: str) -> str:
    return '{"name": "x", "arguments": ' + arguments + "}"


def test_a_turn_is_its_calls_in_order() -> None:
    """L001: arguments are handed on as the text they stand in."""
    line = '{"calls": [{"id": "a", "name": "x", "arguments": {"p": [1, 2.50]}}, {"name": "y"}]}'
    assert read_turn(line) == Turn("plain", (ToolCall("x", '{"p": [1, 2.50]}', id="a"), ToolCall("y", "")))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ('"name": "x"', ToolCall("x", "")),
        ('"name": "x", "id": null', ToolCall("x", "")),
        ('"name": "x", "arguments": null', ToolCall("x", "null")),
        ('"name": "x", "arguments": ""', ToolCall("x", "")),
        ('"name": "x", "arguments": "{\\"p\\": 1}"', ToolCall("x", '{"p": 1}')),
        ('"name": "x", "arguments": {}', ToolCall("x", "{}")),
        # bad arguments are the registry's to answer
        ('"name": "x", "arguments": "{"', ToolCall("x", "{")),
        ('"name": "x", "arguments": [1]', ToolCall("x", "[1]")),
        ('"name": "x", "arguments": 7', ToolCall("x", "7")),
        ('"name": "x", "arguments": {"a": 1, "a": 2}', ToolCall("x", '{"a": 1, "a": 2}')),
        ('"name": "", "id": ""', ToolCall("", "", id="")),
        ('"\\u006eame": "\\u00e9\\ud83d\\ude00"', ToolCall("é😀", "")),
        ('"name": "\\ud800", "id": "\\u0000"', ToolCall("\ud800", "", id="\0")),
        (' "id" :\t"a"\r\n, "name":"x" ', ToolCall("x", "", id="a")),
    ],
)
def test_a_call_may_be_written_so(members: str, expected: ToolCall) -> None:
    assert read_turn('{"calls": [{' + members + "}]}").calls == (expected,)


@pytest.mark.parametrize("line", ['{"calls": []}', ' { "calls" : [ ] } \r', b'{"calls":[]}'])
def test_a_turn_may_be_empty(line: str | bytes) -> None:
    assert read_turn(line) == Turn("plain", ())


def test_huge_and_deep_arguments_are_left_to_the_registry() -> None:
    huge = '{"n": ' + "1" * 5_000 + "}"
    deep = '{"a":' * 400 + "1" + "}" * 400
    assert [one.arguments for one in read_turn(f'{{"calls": [{call(huge)}, {call(deep)}]}}').calls] == [huge, deep]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "not JSON: Expecting value at character 0"),
        ("x", "not JSON: Expecting value at character 0"),
        ('{"calls": [}', "not JSON: Expecting value at character 11"),
        ('{"calls": []', "not JSON: Expecting ',' delimiter at character 12"),
        ('{"calls": []} x', "not JSON: more text after the value, at character 14"),
        ('{"calls": []}{"calls": []}', "not JSON: more text after the value, at character 13"),
        ('{"calls": [{"name": "x", "arguments": {"n": NaN}}]}', "not JSON: NaN"),
        ('{"calls": [-Infinity]}', "not JSON: -Infinity"),
        ("{'calls': []}", "not JSON: Expecting property name enclosed in double quotes at character 1"),
        ('{"calls": ["\t"]}', "not JSON: Invalid control character at at character 12"),
        (b'{"calls": "\xff"}', "not UTF-8 at byte 11"),
        ("[" * 100_000, "not readable: nested too deep"),
        ("[]", "a turn must be an object, not an array"),
        ("null", "a turn must be an object, not null"),
        ('"calls"', "a turn must be an object, not a string"),
        ("true", "a turn must be an object, not a boolean"),
        ("-1e9", "a turn must be an object, not a number"),
        ("{}", "a turn has no calls"),
        ('{"calls": {}}', "calls must be an array, not an object"),
        ('{"calls": null}', "calls must be an array, not null"),
        ('{"calls": [], "id": 1}', 'a turn has an unknown key "id"; known: calls'),
        ('{"calls": [], "calls": []}', 'a turn has the key "calls" more than once'),
        ('{"calls": [1]}', "calls[0] must be an object, not a number"),
        ('{"calls": [{"name": "x"}, {}]}', "calls[1] has no name"),
        ('{"calls": [{"name": "x"}, {"name": 1}]}', "calls[1].name must be a string, not a number"),
        ('{"calls": [{"name": null}]}', "calls[0].name must be a string, not null"),
        ('{"calls": [{"name": "x", "id": 1}]}', "calls[0].id must be a string, not a number"),
        ('{"calls": [{"name": "x", "id": {}}]}', "calls[0].id must be a string, not an object"),
        (
            '{"calls": [{"name": "x", "args": {}}]}',
            'calls[0] has an unknown key "args"; known: id, name, arguments',
        ),
        ('{"calls": [{"name": "x", "name": "x"}]}', 'calls[0] has the key "name" more than once'),
        ('{"calls": [{"name": "x", "n\\u0061me": "x"}]}', 'calls[0] has the key "name" more than once'),
    ],
)
def test_what_is_no_turn_is_refused_with_its_place(line: str | bytes, error: str) -> None:
    with pytest.raises(NotATurn) as caught:
        read_turn(line)
    assert str(caught.value) == error


def test_a_long_unknown_key_is_cut() -> None:
    with pytest.raises(NotATurn) as caught:
        read_turn(json.dumps({"\x1b" * 1_000_000: 1}))
    assert len(str(caught.value)) < 500
    assert "\x1b" not in str(caught.value)


async def test_bad_arguments_of_one_call_are_its_own_result() -> None:
    """L001, L006, D29: the calls beside it run."""
    deep = '{"a":' * 300 + "1" + "}" * 300
    bad = ['{"a": 1, "a": 2}', "[1]", '{"n": ' + "1" * 5_000 + "}", '"{"', '{"\\ud800": 1}', deep]
    line = ", ".join(call(one) for one in ["{}", *bad, "{}"])
    async with open_registry() as registry:

        async def x() -> str:
            await trio.lowlevel.checkpoint()
            return "ran"

        registry.register(x)
        turn = read_turn('{"calls": [' + line + "]}")
        results = await registry.execute_turn(turn.calls, scope=trio.CancelScope())
    assert [one.code for one in results] == [None, *[ErrorCode.INVALID_ARGS] * len(bad), None]


RESULT = ToolResult(
    "c1",
    "mail",
    (Text("Error: \x1b[31m\ud83d"),),
    error=ErrorInfo("ToolError", "MAIL_LOST", "lost"),
    dispatched=True,
    effects=(Effect("mail.send", EffectState.COMMITTED, {"id": 1}),),
    contexts=({"a": [1]},),
    superseded=Outcome((Text("sent"),), "sent"),
)


def test_a_result_has_what_is_asked_for_first_and_then_all() -> None:
    document = write_result(RESULT)
    assert list(document)[:5] == ["id", "tool", "code", "is_error", "text"]
    assert [document[key] for key in list(document)[:4]] == ["c1", "mail", "MAIL_LOST", True]
    assert document["text"] == "Error: \x1b[31m\ud83d"


def test_a_result_comes_back_from_its_text() -> None:
    document = json.loads(json.dumps(write_result(RESULT)))
    for key in ("id", "code", "is_error", "text"):
        del document[key]
    assert from_json(ToolResult, document) == RESULT
