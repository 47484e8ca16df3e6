"""What the todo toolkit has to be told."""

from __future__ import annotations

import attrs

from trio_tools.registry import option, true_or_false

# Sessions whose lists are kept at once: more than one process talks to, and some 100 MB if every one of them fills its
# list with the longest tasks of four-byte characters. Usual lists take a hundredth of that.
MAX_SESSIONS = 500


def _sessions(_: object, attribute: attrs.Attribute[int], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{attribute.name} must be a positive whole number of sessions, not {value!r}")


@attrs.frozen(kw_only=True)
class TodoConfig:
    """What a list of tasks may be, and how many lists are kept.

    Raises `TypeError` for a choice that is no bool, and `ValueError` for a number that is not positive.

    Attributes:
        several_in_progress: Whether several tasks of a list may be in progress at once. A model that works alone keeps
            to one better where two are refused; one that hands out work needs several.
        max_sessions: How many sessions' lists are kept; of more, the one that was written longest ago is forgotten.
    """

    several_in_progress: bool = attrs.field(validator=true_or_false)
    max_sessions: int = attrs.field(default=MAX_SESSIONS, validator=_sessions, metadata=option(unit="sessions"))
