"""Text on its way to a terminal."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from trio_tools.values import one_line

# Characters of a message on one line. Enough for every path; a name in it can be as long as its input.
MESSAGE_LENGTH = 2_000

# Characters of a name, a path or an argument in a message, so that what is wrong with it has room behind it.
NAME_LENGTH = 500

# Characters that one character becomes at most: `\\U0001f600`.
LONGEST_ESCAPE = 10

printable = one_line


def named(text: str) -> str:
    """What others wrote, as a part of a message."""
    return printable(text, limit=NAME_LENGTH)


def shown_text(text: str) -> str:
    """A text of several lines, with everything escaped in them that is not plainly visible, but for tabs."""
    return "\n".join("\t".join(_whole(part) for part in line.split("\t")) for line in text.split("\n"))


def _whole(part: str) -> str:
    return part if part.isprintable() else printable(part, limit=LONGEST_ESCAPE * len(part))


def shown_json(text: str) -> str:
    """JSON text as it is written, but with everything escaped in it, as JSON does it, that a terminal may obey."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else _json_escape(one) for one in text)


def _json_escape(character: str) -> str:
    if character in "\t\r":  # between values, where JSON allows nothing else that is not visible
        return " "
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def json_text(document: object, *, indent: int | None = None) -> str:
    """A document as JSON in ASCII, in which nothing can move a terminal, and nothing is lost for a program."""
    # json escapes all control characters but DEL, which can only stand inside a string
    return json.dumps(document, ensure_ascii=True, indent=indent).replace("\x7f", "\\u007f")


def complain(message: str) -> None:
    """Tell the user on stderr, in one printable line. Never raises: there may be nobody there."""
    with suppress(OSError, ValueError, AttributeError):  # gone, closed, or none at all
        print(printable(f"trio-tools: {message}", limit=MESSAGE_LENGTH), file=sys.stderr, flush=True)
