"""Text of others on one line: in a message, on a terminal.

A terminal obeys what it is shown: escape sequences move its cursor, retitle its window, answer as if typed; carriage
returns and direction marks make a line read as another. So what others wrote goes through `one_line` first.
"""

from __future__ import annotations


def one_line(text: str, *, limit: int) -> str:
    """The text on one line, with everything escaped that is not plainly visible, and cut to `limit` characters.

    Escaped as `\\x1b`, `\\u202e`: control and format characters, direction marks, line ends, every space but the
    common one, lone surrogates, and what Unicode has not assigned.
    """
    cut = len(text) > limit
    shown = text[:limit] if cut else text
    if not shown.isprintable():
        shown = "".join(one if one.isprintable() else _escaped(one) for one in shown)
    if len(shown) > limit:  # grown by escapes
        shown, cut = shown[:limit], True
    return shown[: max(0, limit - 3)] + "..." if cut else shown


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
