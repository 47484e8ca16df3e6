"""How a line of a log names a call or a job."""

from __future__ import annotations

from trio_tools.values import one_line

# Characters of a name or an id in a line. Usual ones fit; the fields have them whole.
NAME_LENGTH = 100


def named(name: str, own_id: str | None) -> str:
    """A name and an id, if there is one, escaped and cut so that the line stays one."""
    shown = one_line(name, limit=NAME_LENGTH)
    return shown if own_id is None else f"{shown} ({one_line(own_id, limit=NAME_LENGTH)})"
