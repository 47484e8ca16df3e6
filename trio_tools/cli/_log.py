"""What the house logs, such as a plugin that failed: told on stderr, escaped like all else."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager

from trio_tools.cli._printable import complain
from trio_tools.cli._screen import Screen


class _Told(logging.Handler):
    def __init__(self, screen: Screen) -> None:
        super().__init__(logging.WARNING)
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        with self._screen.aside():
            complain(record.getMessage())


@contextmanager
def log_told(screen: Screen) -> Generator[None]:
    """Warnings and errors of trio_tools go to stderr for as long as the block, past a screen."""
    logger = logging.getLogger("trio_tools")
    handler = _Told(screen)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
