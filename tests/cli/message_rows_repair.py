"""Messages of `trio-tools repair`: what is no transcript, what was changed in one, and files that cannot be used."""

from __future__ import annotations

from message_run import Row, row

DEEP = b"[" * 100_000
ASKS = b'{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "x\\u001b"}}]}\n'
TOLD = b'{"role": "tool", "tool_call_id": "a", "content": "done"}\n'
FAILED = b'{"role": "tool", "tool_call_id": "a", "content": "Error: no"}\n'
USES = b'{"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}\n'


def refused(error: str, stdin: bytes, options: str = "") -> Row:
    return row(f"repair - {options}", f"standard input: {error}", stdin=stdin)


def changed(stdin: bytes, *changes: str) -> Row:
    return row("repair - --check", *changes, stdin=stdin, status=1)


NO_TRANSCRIPT: tuple[Row, ...] = (
    refused("it is empty, and has no messages", b""),
    refused("not UTF-8 at byte 1", b"[\xff"),
    refused("not readable: nested too deep", DEEP),
    refused("line 2: not readable: nested too deep", TOLD + DEEP),
    refused("line 2: not JSON: Expecting value at character 0", TOLD + b"nope"),
    refused("it must be an array of messages, an object with messages, or a message a line", b"1"),
    refused("messages[0] is a whole response, which has choices; give the message in it", b'[{"choices": []}]'),
    refused(
        "line 2 has neither calls nor a tool, so it is neither a turn nor a result", b'{"calls": []}\n{"\\u001b": 1}'
    ),
    refused(
        "line 1.content[0] is a tool_use, which this form has not",
        b'{"role": "assistant", "tool_calls": [{}], "content": [{"type": "tool_use"}]}',
    ),
    refused(
        "line 1.content[0] is a result in a message of the role assistant; only a user's has results",
        b'{"role": "assistant", "content": [{"type": "tool_result"}]}',
    ),
    refused("line 2 is in the form anthropic, and line 1 in openai: a transcript is in one form", TOLD + USES),
    refused("line 1 is in the form openai, where plain is wanted: a transcript is in one form", TOLD, "--format plain"),
    row(
        "repair broken\x1b.json",
        "broken\\x1b.json: line 1.role must be one of assistant, user, system, developer, tool, function, not "
        '"\\u001b\\u202e"',
        files={"broken\x1b.json": '{"role": "\\u001b\\u202e"}'},
    ),
)

FILES: tuple[Row, ...] = (
    row("repair no.json", 'cannot read "no.json": No such file or directory'),
    row("repair .", 'cannot read ".": Is a directory'),
    row("repair 'a\0b'", 'cannot read "a\\x00b": embedded null byte'),
    row("repair /dev/zero", "/dev/zero is longer than 268,435,456 bytes"),
    row("repair -", "cannot read standard input: it is closed", stdin=None),
    row("repair - --check --output x.json", "--check writes nothing; leave --output out"),
    row("repair - --output no/x.json", 'cannot write "no/x.json": No such file or directory', stdin=b"[]", status=1),
    row("repair - --output /dev/null", '--output: "/dev/null" is no regular file', stdin=b"[]"),
    row(
        "repair x.json --output ./x.json",
        '--output: "x.json" is the file that is read; give another name',
        files={"x.json": "[]"},
    ),
    row("repair - --format gemini", '--format: there is no form "gemini"; there are plain, openai, anthropic'),
    row("repair -", "cannot write to standard output: No space left on device", stdin=b"[]", stdout="full", status=1),
)

CHANGES: tuple[Row, ...] = (
    changed(ASKS, 'line 1.tool_calls[0]: result of "x\\u001b" added: it has none, and whether it ran is not known'),
    changed(b'[{"role": "assistant"}]', "messages[0]: message removed: it says nothing"),
    changed(TOLD, 'line 1: result removed: no call before it has the id "a"'),
    changed(
        b'{"role": "function", "name": "x", "content": ""}',
        'line 1: result removed: no call before it has the name "x"',
    ),
    changed(
        ASKS + b'{"role": "user", "content": ""}\n' + TOLD,
        "line 3: result moved: results stand right behind their calls, in call order",
    ),
    changed(ASKS + TOLD + TOLD, "line 2: result removed: the call has another result, line 3, that came later"),
    changed(
        ASKS + FAILED + TOLD,
        "line 2: result removed: the call has another result, line 3, that tells of no failure",
    ),
    changed(
        ASKS + TOLD + FAILED,
        "line 3: result removed: the call has another result, line 2, that tells of no failure",
    ),
    changed(
        ASKS + b'{"role": "tool"}\n' + ASKS.replace(b'"a"', b'"b"') + TOLD.replace(b'"a"', b'"b"') + TOLD,
        "line 2: result removed: the call has another result, line 5, that names it",
        "line 5: result moved: results stand right behind their calls, in call order",
    ),
    changed(
        ASKS + b'{"role": "tool"}',
        'line 2: id "a" given: it named no call, and can answer only this one',
    ),
    changed(
        ASKS + TOLD + b'{"role": "tool"}',
        "line 3: result removed: it names no call, and which one it answers cannot be told",
    ),
    changed(
        ASKS + TOLD + ASKS + TOLD,
        'line 3.tool_calls[0]: id "a_1" given: an earlier call has "a"',
    ),
    changed(
        b'{"role": "assistant", "tool_calls": [{}]}\n{"role": "tool"}',
        'line 1.tool_calls[0]: id "call_1" given: it had none',
    ),
)
