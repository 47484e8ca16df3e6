"""What the house logs, such as a plugin that failed, and what the logging plugin does: told on stderr, escaped like all
else."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Generator
from contextlib import contextmanager

from trio_tools.cli._printable import complain
from trio_tools.cli._screen import Screen


class _Told(logging.Handler):
    def __init__(self, screen: Screen) -> None:
        super().__init__(logging.INFO)
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        with self._screen.aside():
            complain(record.getMessage())
            if record.exc_info:
                for part in traceback.format_exception(record.exc_info[1]):
                    for line in part.rstrip("\n").split("\n"):
                        complain(line)


@contextmanager
def log_told(screen: Screen) -> Generator[None]:
    """What trio_tools logs at INFO and above goes to stderr for as long as the block, past a screen. Of calls there is
    something only if the logging plugin is on."""
    logger = logging.getLogger("trio_tools")
    before, handler = logger.level, _Told(screen)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
