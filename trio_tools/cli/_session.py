"""On whose behalf the calls of a run are made: what they are recorded as."""

from __future__ import annotations

import secrets

from trio_tools import Session
from trio_tools.cli._printable import complain
from trio_tools.cli._setting import JOURNAL
from trio_tools.cli._status import Refused
from trio_tools.config import Config

# Random bytes of a name that is made up: no two of a journal are the same, and a person can still type it.
RANDOM_BYTES = 6


def session_for(config: Config, name: str | None) -> Session | None:
    """The session of this name, or a new one, which is told on stderr; None if nothing records it.

    Raises `Refused` for a name that nobody would record, and for an empty one.
    """
    if all(one.name != JOURNAL for one in config.plugins):
        if name is not None:
            raise Refused("--session is what calls are recorded as: add --journal FILE, or list the plugin journal")
        return None
    if name is None:
        name = secrets.token_hex(RANDOM_BYTES)
        complain(f"session {name}")
    if not name:
        raise Refused("--session must not be empty")
    return Session(name)
