"""A file that is there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from trio_tools.cli._printable import named
from trio_tools.cli._status import FAILED, Refused

# Random bytes in the name that a file has meanwhile: nothing else has it.
_RANDOM_BYTES = 8
# Characters of its own name in it, for a person who finds it. They take 160 bytes of UTF-8 at most, of 255 for a name.
_OWN_CHARACTERS = 40


@contextmanager
def whole(place: str, *, mode: int, put: Callable[[str, str], None]) -> Generator[int]:
    """A descriptor to write a file with. When the block has ended and all is on the disk, it comes to its place; if the
    block raises, nothing does.

    Arguments: `mode` of the file, less what umask takes; `put`, `os.replace`, or `os.link`, which replaces nothing.

    Raises `OSError`, and `ValueError` for a NUL in the name.
    """
    folder, name = os.path.split(place)
    made = os.path.join(folder, f".{name[:_OWN_CHARACTERS]}.{secrets.token_hex(_RANDOM_BYTES)}.part")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            yield descriptor
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        put(made, place)
    finally:
        with suppress(OSError):  # it was moved; or it stays, and the error that is told says why
            os.unlink(made)


def cannot_write(file: str, error: OSError | ValueError) -> Refused:
    """What is said of a file that cannot be written."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Refused(f'cannot write "{named(file)}": {reason}', status=FAILED)
