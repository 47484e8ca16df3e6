"""Text of others in a column of a table: on one line, escaped, and as wide as every terminal draws it."""

from __future__ import annotations

import unicodedata

from trio_tools.cli._printable import printable

# Levels of calls in calls that are told apart by their indent. Deeper ones would leave no room for their names.
MAX_INDENT = 4


def column_text(text: str, *, limit: int, plain: bool = False) -> str:
    """The text, cut to `limit` characters; what is still too long for its column ends in an ellipsis there. If `plain`,
    all that is not ASCII is escaped too."""
    shown = printable(text, limit=limit)
    if shown.isascii():
        return shown
    return "".join(one if not plain and _has_sure_width(one) else _escaped(one) for one in shown)


def indent(depth: int, *, plain: bool = False) -> str:
    """What stands before the name of a call that was made so many levels below the model's own. In ASCII if `plain`."""
    if not depth:
        return ""
    return "  " * (min(depth, MAX_INDENT) - 1) + ("- " if plain else "\u2514 ")


def _has_sure_width(character: str) -> bool:
    """Whether every terminal gives it the width that rich counts with. Fillers, halves of flags and colours of skin
    are wide in one and nothing in the next, and would push a line over the edge."""
    from rich.cells import cell_len

    if character.isascii():
        return True
    if unicodedata.category(character).startswith("M"):  # a mark, on the character before it
        return True
    wide = unicodedata.east_asian_width(character) in {"W", "F"}
    return cell_len(character) >= 1 + wide and not "\U0001f1e6" <= character <= "\U0001f1ff"


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()
