"""Messages about lines that are no turns: on stdout for the plain form, on stderr where a provider's messages go."""

from __future__ import annotations

from message_run import Row, row

# Nested deeper than Python reads.
DEEP = b"[" * 100_000 + b"\n"
# Longer than a line may be.
OVERLONG = b" " * (64 * 1024 * 1024 + 1) + b"\n"

PLAIN: tuple[Row, ...] = (
    row("run -", out=('{"line": 1, "error": "not UTF-8 at byte 0"}',), stdin=b"\xff\n"),
    row("run -", out=('{"line": 1, "error": "not JSON: Expecting value at character 0"}',), stdin=b"nope\n"),
    row("run -", out=('{"line": 1, "error": "not JSON: Expecting \',\' delimiter at character 2"}',), stdin=b"[1\n"),
    row(
        "run -", out=('{"line": 1, "error": "not JSON: more text after the value, at character 3"}',), stdin=b"{} {}\n"
    ),
    row("run -", out=('{"line": 1, "error": "not JSON: NaN"}',), stdin=b'{"calls": [NaN]}\n'),
    row("run -", out=('{"line": 1, "error": "a turn must be an object, not an array"}',), stdin=b"[]\n"),
    row("run -", out=('{"line": 1, "error": "a turn must be an object, not a number"}',), stdin=b"1\n"),
    row("run -", out=('{"line": 1, "error": "a turn must be an object, not null"}',), stdin=b"null\n"),
    row("run -", out=('{"line": 1, "error": "a turn has no calls"}',), stdin=b"{}\n"),
    row("run -", out=('{"line": 1, "error": "calls must be an array, not a number"}',), stdin=b'{"calls": 1}\n'),
    row("run -", out=('{"line": 1, "error": "calls[0] must be an object, not a number"}',), stdin=b'{"calls": [1]}\n'),
    row(
        "run -",
        out=('{"line": 1, "error": "a turn has an unknown key \\"a\\"; known: calls"}',),
        stdin=b'{"calls": [], "a": 1}\n',
    ),
    row(
        "run -",
        out=('{"line": 1, "error": "a turn has the key \\"calls\\" more than once"}',),
        stdin=b'{"calls": [], "calls": []}\n',
    ),
    row("run -", out=('{"line": 1, "error": "calls[0] has no name"}',), stdin=b'{"calls": [{}]}\n'),
    row(
        "run -",
        out=('{"line": 1, "error": "calls[0].name must be a string, not a number"}',),
        stdin=b'{"calls": [{"name": 1}]}\n',
    ),
    row(
        "run -",
        out=('{"line": 1, "error": "calls[0].id must be a string, not a boolean"}',),
        stdin=b'{"calls": [{"name": "x", "id": true}]}\n',
    ),
    row(
        "run -",
        out=(
            (
                '{"line": 1, "error": "calls[0] has an unknown key \\"nam\\\\u001b\\\\u202e\\"; known: id, name, '
                'arguments"}'
            ),
        ),
        stdin=b'{"calls": [{"name": "x", "nam\\u001b\\u202e": 1}]}\n',
    ),
    row(
        "run -",
        out=(
            (
                '{"line": 1, "error": "a turn has an unknown key '
                '\\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...\\"; known: calls"}'
            ),
        ),
        stdin=(
            b'{"calls": [], "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'
            b"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
            b"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
            b'kkkkkkkkkkkkkkk": 1}\n'
        ),
    ),
    row("run -", out=('{"line": 1, "error": "not readable: nested too deep"}',), stdin=DEEP),
    row("run -", out=('{"line": 1, "error": "longer than 67,108,864 bytes"}',), stdin=OVERLONG),
    row(
        "run - --format plain",
        out=('{"line": 1, "error": "a turn has an unknown key \\"role\\"; known: calls"}',),
        stdin=b'{"role": "user", "content": 1}\n',
    ),
    row(
        "run - --format plain",
        out=('{"line": 1, "error": "a turn in the form openai, where plain is wanted"}',),
        stdin=b'{"tool_calls": []}\n',
    ),
)

OPENAI: tuple[Row, ...] = (
    row("run - --format openai", "line 1: a turn in the form plain, where openai is wanted", stdin=b'{"calls": []}\n'),
    row("run - --format openai", "line 1: not JSON: Expecting value at character 0", stdin=b"nope\n"),
    row("run - --format openai", "line 1: a turn must be an object, not an array", stdin=b"[]\n"),
    row(
        "run - --format openai",
        'line 1: role must be one of assistant, user, system, developer, tool, function, not "robot\\u001b"',
        stdin=b'{"role": "robot\\u001b"}\n',
    ),
    row("run - --format openai", "line 1: role must be a string, not a number", stdin=b'{"role": 1}\n'),
    row("run - --format openai", "line 1: a turn has no role", stdin=b'{"content": "x"}\n'),
    row(
        "run - --format openai",
        "line 1: a turn is a whole response, which has choices, and a message, which has role",
        stdin=b'{"choices": [], "role": "assistant"}\n',
    ),
    row("run - --format openai", "line 1: choices must be an array, not a number", stdin=b'{"choices": 1}\n'),
    row("run - --format openai", "line 1: choices[0] has no message", stdin=b'{"choices": [{}]}\n'),
    row(
        "run - --format openai",
        "line 1: choices holds 2 messages, with calls: send just the one that is to be answered",
        stdin=(
            b'{"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", '
            b'"function": {"name": "x", "arguments": "{}"}}]}}, {"message": {"role": "assistant"}}]}\n'
        ),
    ),
    row(
        "run - --format openai",
        "line 1: a turn in the form anthropic, where openai is wanted",
        stdin=b'{"role": "assistant", "content": [{"type": "text"}, {"type": "tool_use"}]}\n',
    ),
    row(
        "run - --format openai",
        "line 1: content[0] is a tool_use, which this form has not: its calls stand in tool_calls",
        stdin=b'{"role": "assistant", "content": [{"type": "tool_use"}], "tool_calls": []}\n',
    ),
    row(
        "run - --format openai",
        "line 1: content must be a string or an array, not a number",
        stdin=b'{"role": "assistant", "content": 1}\n',
    ),
    row("run - --format openai", "line 1: content[0] has no type", stdin=b'{"role": "assistant", "content": [{}]}\n'),
    row(
        "run - --format openai",
        "line 1: function_call is a call without an id, as OpenAI had them once; only tool_calls are read",
        stdin=b'{"role": "assistant", "function_call": {}}\n',
    ),
    row(
        "run - --format openai",
        "line 1: tool_calls stands in a message of the role user; only an assistant's has calls",
        stdin=(
            b'{"role": "user", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "x", '
            b'"arguments": "{}"}}]}\n'
        ),
    ),
    row(
        "run - --format openai",
        'line 1: tool_calls[0].type must be "function", not "custom"',
        stdin=b'{"role": "assistant", "tool_calls": [{"id": "c", "type": "custom"}]}\n',
    ),
    row(
        "run - --format openai",
        "line 1: tool_calls[0] has no function",
        stdin=b'{"role": "assistant", "tool_calls": [{"id": "c"}]}\n',
    ),
    row(
        "run - --format openai", "line 1: tool_calls[0] has no id", stdin=b'{"role": "assistant", "tool_calls": [{}]}\n'
    ),
    row(
        "run - --format openai",
        "line 1: tool_calls[0].id cannot be sent back: a lone surrogate at character 0 of a string",
        stdin=b'{"role": "assistant", "tool_calls": [{"id": "\\ud800", "function": {}}]}\n',
    ),
    row(
        "run - --format openai",
        "line 1: tool_calls[0].function has no arguments",
        stdin=b'{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "x"}}]}\n',
    ),
    row(
        "run - --format openai",
        "line 1: tool_calls[0].function.arguments must be a string, not an object",
        stdin=b'{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": {}}}]}\n',
    ),
    row(
        "run - --format openai",
        'line 1: a turn has the key "role" more than once',
        stdin=b'{"role": "assistant", "role": "user"}\n',
    ),
    row("run - --format openai", "line 1: longer than 67,108,864 bytes", stdin=OVERLONG),
    row("run - --format openai", "line 1: not readable: nested too deep", stdin=DEEP),
    row(
        "run -",
        'line 1: role must be one of assistant, user, system, developer, tool, function, not "robot"',
        stdin=b'{"role": "robot", "tool_calls": []}\n',
    ),
)

ANTHROPIC: tuple[Row, ...] = (
    row(
        "run - --format anthropic",
        "line 1: a turn in the form openai, where anthropic is wanted",
        stdin=b'{"tool_calls": []}\n',
    ),
    row(
        "run - --format anthropic",
        "line 1: a turn in the form plain, where anthropic is wanted",
        stdin=b'{"calls": []}\n',
    ),
    row("run - --format anthropic", "line 1: a turn has no role", stdin=b"{}\n"),
    row(
        "run - --format anthropic",
        "line 1: content[0] stands in a message of the role user; only an assistant's has calls",
        stdin=b'{"role": "user", "content": [{"type": "tool_use", "id": "c", "name": "x", "input": {}}]}\n',
    ),
    row(
        "run - --format anthropic",
        "line 1: content[0] has no id",
        stdin=b'{"role": "assistant", "content": [{"type": "tool_use"}]}\n',
    ),
    row(
        "run - --format anthropic",
        "line 1: content[0] has no input",
        stdin=b'{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "x"}]}\n',
    ),
    row(
        "run - --format anthropic",
        "line 1: content[0] must be an object, not a number",
        stdin=b'{"role": "assistant", "content": [1]}\n',
    ),
    row(
        "run -",
        'line 1: role must be one of assistant, user, system, developer, tool, function, not "\\u202e"',
        stdin=b'{"type": "message", "role": "\\u202e"}\n',
    ),
)
