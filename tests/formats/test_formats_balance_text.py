"""A conversation in a file: three shapes, kept to the byte where nothing need change, and what is none of them."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from trio_tools.formats import NotATranscript, balance_text

ASKS = '{"role": "assistant", "tool_calls": [{"id":"a", "n": 1.50e3, "function": {"name": "é\\u0001"}}]}'
TOLD = '{"tool_call_id": "a",  "role": "tool", "n": 123456789012345678901234567890.10}'
EMPTY = '{"role": "assistant"}'


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (f"[{ASKS},{EMPTY},{TOLD}]", f"[{ASKS}, {TOLD}]"),
        (f" [\n  {ASKS},\n  {EMPTY},\n  {TOLD}\n ]\n", f" [\n  {ASKS},\n  {TOLD}\n ]\n"),
        (
            f'{{"a": 1e400, "messages":[{EMPTY}, {ASKS} ,{TOLD}], "a": "é"}}',
            f'{{"a": 1e400, "messages":[{ASKS}, {TOLD}], "a": "é"}}',
        ),
        (f"{ASKS}\n\n{TOLD}\n{EMPTY}", f"{ASKS}\n{TOLD}\n"),
        (f"{ASKS}\r\n{TOLD}\r\n{EMPTY}\r\n", f"{ASKS}\r\n{TOLD}\r\n"),
        (f"\n{EMPTY}", ""),
        (f"[{EMPTY}]", "[]"),
        (f"\ufeff[{EMPTY}]", "\ufeff[]"),
    ],
)
def test_what_need_not_change_stays_to_the_byte(given: str, written: str) -> None:
    outcome = balance_text(given.encode())
    assert outcome.text.decode() == written
    assert [one.what for one in outcome.changes] == ["message removed"]


@pytest.mark.parametrize("given", ["[]", f" [{ASKS},{TOLD}]\n\n", f"{ASKS}\n\n{TOLD}", '{"messages": []}'])
def test_what_is_balanced_is_given_back_as_it_is(given: str) -> None:
    text = given.encode()
    assert balance_text(text).text is text


def test_an_id_is_put_into_the_text_that_a_message_stands_in() -> None:
    """Numbers keep their digits, and repeated keys stay."""
    given = '[{"role": "assistant", "tool_calls": [ {"x": 1.0e5, "x": 2} , {}, {"id": null} ], "y": 1E2}]'
    read = balance_text(given.encode()).text.decode()
    asked = '{"id": "call_1", "x": 1.0e5, "x": 2} , {"id": "call_2"}, {"id": "call_3"} ], "y": 1E2}'
    assert read.startswith('[{"role": "assistant", "tool_calls": [ ' + asked)
    assert [one["tool_call_id"] for one in json.loads(read)[1:]] == ["call_1", "call_2", "call_3"]


def test_places_are_lines_where_messages_are() -> None:
    outcome = balance_text(f"\n{ASKS}\n\n{EMPTY}\n".encode())
    assert [one.place for one in outcome.changes] == ["line 2.tool_calls[0]", "line 4"]
    assert [one.place for one in balance_text(f"[{ASKS}]".encode()).changes] == ["messages[0].tool_calls[0]"]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (b"", "it is empty, and has no messages"),
        (b"\n \r\n", "it is empty, and has no messages"),
        (b"[\xff]", "not UTF-8 at byte 1"),
        (b"\xef\xbb\xbf[\xff]", "not UTF-8 at byte 4"),
        (b"nope", "not JSON: Expecting value at character 0"),
        (b'[{"role": "user"}', "not JSON: Expecting ',' delimiter at character 17"),
        (b"[NaN]", "not JSON: NaN"),
        (b'"text"', "it must be an array of messages, an object with messages, or a message a line"),
        (b'{\n"model": "m"}', "it must be an array of messages, an object with messages, or a message a line"),
        (b'{"messages": {}}', "messages must be an array, not an object"),
        (b'{"messages": [], "messages": []}', 'the transcript has the key "messages" more than once'),
        (b'{"role": "user"}\n{"role": "user"', "line 2: not JSON: Expecting ',' delimiter at character 15"),
        (b'{"role": "user"}\n' + b"[" * 100_000, "line 2: not readable: nested too deep"),
        (b"[" * 100_000, "not readable: nested too deep"),
        (b'{"messages": []}\n{"messages": []}', "not JSON: more text after the value, at character 17"),
        (b'[{"role": "user", "role": "user"}]', 'messages[0] has the key "role" more than once'),
        (b'[{"role": "robot"}]', "messages[0].role must be one of assistant, user, system, developer, tool, fun"),
        (b'[{"choices": []}]', "messages[0] is a whole response, which has choices; give the message in it"),
        (b'[{"role": "tool", "content": [{"type": "tool_result"}]}]', "messages[0].content[0] is a result in"),
        (b'[{"tool_calls": [{}], "content": [{"type": "tool_use"}], "role": "user"}]', "messages[0].content[0] is a "),
        (b'{"calls": []}\n{"x": 1}', "line 2 has neither calls nor a tool, so it is neither a turn nor a result"),
        (b'[{"role": "assistant", "function_call": {}}]', "messages[0].function_call has no name"),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(given: bytes, error: str) -> None:
    with pytest.raises(NotATranscript) as caught:
        balance_text(given)
    assert str(caught.value).startswith(error)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("deep", range(100, 1_100, 50))
def test_depth_is_no_error_of_ours_wherever_it_ends(deep: int) -> None:
    nested = '{"role": "user", "content": "", "x": ' + "[" * deep + "]" * deep + "}"
    for text in (f"[{nested}]", f'{{"messages": [{nested}]}}', nested):
        with suppress(NotATranscript):
            assert balance_text(text.encode()).changes == ()


def test_a_conversation_of_megabytes_is_balanced() -> None:
    """Pictures make it large, and long sessions have many calls."""
    large = '{"role": "user", "content": "' + "x\\n" * 500_000 + '"}'
    calls = "".join(f"{ASKS}\n{TOLD}\n" for _ in range(500))
    outcome = balance_text(f"{large}\n{calls}{large}".encode())
    assert len(outcome.changes) == 499
    assert outcome.text.count(b"\n") == 1_002
