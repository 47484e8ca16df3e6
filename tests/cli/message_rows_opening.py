"""Messages about plugins that cannot be opened or left, or fail while a call runs."""

from __future__ import annotations

from message_plugins import CRASHING, ENDING, SPEAKING, plugin
from message_run import Row, row

LONG = "a" * 10_000

# What makes a plugin raise a `Cancelled` of a scope that was left long ago.
STORED = """
with trio.CancelScope() as elsewhere:
    elsewhere.cancel()
    try:
        await trio.sleep(0)
    except trio.Cancelled as kept:
        stored = kept
raise stored
yield
"""

OPENING: tuple[Row, ...] = (
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: plugin "x" raised a Cancelled that no scope of its has sent',
        plugins={"x": plugin(STORED)},
    ),
    row(
        "tools --set plugins.x=true",
        "in plugin \"x\", while it was opened: TypeError: a service is required by its type, not by 'Shop'",
        plugins={"x": plugin("registry.require('Shop')\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: no \\x1b[31m luck',
        plugins={"x": plugin("raise ValueError('no \\x1b[31m luck')\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: its code tried to exit the process, with code 3',
        plugins={"x": plugin("raise SystemExit(3)\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: GeneratorExit',
        plugins={"x": plugin("raise GeneratorExit\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: No such file: "a\\x1bb"',
        plugins={"x": plugin("raise OSError(2, 'No such file', 'a\\x1bb')\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        "in plugin \"x\", while it was opened: KeyError: 'k'",
        plugins={"x": plugin("raise KeyError('k')\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: ValueError: a; OSError: b',
        plugins={"x": plugin("raise ExceptionGroup('g', [ValueError('a'), OSError('b')])\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: BaseException: b\\x0a\\u202e',
        plugins={"x": plugin("raise BaseException('b\\n\\u202e')\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: generator didn\'t yield',
        plugins={"x": plugin("return\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        ('in plugin "x", while it was opened: ' + LONG[:1949] + "..."),
        plugins={"x": plugin("raise ValueError('a' * 10_000)\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x", while it was opened: LookupError: in a nursery',
        plugins={
            "x": plugin("async with trio.open_nursery() as nursery:\n    raise LookupError('in a nursery')\n    yield")
        },
    ),
    row(
        "call nothing --set plugins.x=true --timeout 0.1",
        "the time was up before all plugins were open",
        status=1,
        plugins={"x": plugin("await trio.sleep(60)\nyield")},
    ),
    row("run nowhere --timeout 1e-9", "the time was up before the input was open", status=1),
    row("call nothing --set plugins.x=true", status=130, plugins={"x": plugin("raise KeyboardInterrupt\nyield")}),
)

LEAVING: tuple[Row, ...] = (
    row(
        "tools --set plugins.x=true",
        'in plugin "x": left badly',
        status=1,
        plugins={"x": plugin("yield\nraise RuntimeError('left badly')")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x": generator didn\'t stop',
        status=1,
        plugins={"x": plugin("yield\nyield")},
    ),
    row(
        "tools --set plugins.x=true",
        'in plugin "x": its code tried to exit the process, with code 0',
        status=1,
        plugins={"x": plugin("yield\nraise SystemExit")},
    ),
    row(
        "call nothing --set plugins.x=true",
        "there is no such tool; `trio-tools tools` lists those that there are",
        'in plugin "x": its code tried to exit the process, with code 3',
        out=('Error: unknown tool "nothing"',),
        status=1,
        plugins={"x": plugin("yield\nraise SystemExit(3)")},
    ),
    row(
        "tools --set plugins.x=true --set plugins.y=true",
        'plugin "x" failed: ValueError: one\\x1b',
        'in plugin "y": two',
        status=1,
        plugins={
            "x": plugin('yield\nraise ValueError("one\x1b")'),
            "y": plugin('yield\nraise ValueError("two")', name="y"),
        },
    ),
    row(
        "call ends --set plugins.x=true",
        'in plugin "x": plugin "x" ended before it was asked to',
        out=("Error: tool call aborted",),
        status=1,
        plugins={"x": plugin(ENDING)},
    ),
    row(
        "call waits --set plugins.x=true",
        'in plugin "x": ConnectionError: the line\\x1b[2J is dead',
        out=("Error: tool call aborted",),
        status=1,
        plugins={"x": plugin(CRASHING)},
    ),
    row(
        "run - --set plugins.x=true",
        'in plugin "x": one',
        status=1,
        plugins={"x": plugin('yield\nraise ValueError("one")')},
        stdin=b'{"calls": []}\n',
    ),
    row(
        "tools --schemas openai-strict --set plugins.x=true",
        (
            "tool 'odd' does not go into the form openai-strict: $.properties.a: this form has no optional keys, "
            "and this one has no default to tell; give it a default that JSON can show, or let it be null"
        ),
        plugins={"x": plugin(SPEAKING)},
    ),
)
