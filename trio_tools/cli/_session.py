"""On whose behalf the calls of a run are made: who has read a file, whose list of tasks it is, what is recorded."""

from __future__ import annotations

import secrets

from trio_tools import Session
from trio_tools.cli._printable import complain
from trio_tools.cli._setting import JOURNAL
from trio_tools.cli._status import Refused
from trio_tools.config import Config

# Random bytes of a name that is made up: no two of a journal are the same, and a person can still type it.
RANDOM_BYTES = 6


def session_for(config: Config, name: str | None) -> Session:
    """The session of this name, or a new one, which is told on stderr if there will be a record to find it in.

    Raises `Refused` for a name that nobody would record, and for an empty one.
    """
    recorded = any(one.name == JOURNAL for one in config.plugins)
    if name is not None and not recorded:
        raise Refused("--session is what calls are recorded as: add --journal FILE, or list the plugin journal")
    if name is None:
        name = secrets.token_hex(RANDOM_BYTES)
        if recorded:
            complain(f"session {name}")
    if not name:
        raise Refused("--session must not be empty")
    return Session(name)
