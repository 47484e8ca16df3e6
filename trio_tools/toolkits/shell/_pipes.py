"""The pipes that a command writes to."""

from __future__ import annotations

import os
from contextlib import ExitStack


def pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    """A pipe: our end, which does not block, and theirs, which only the command is to hold."""
    read, write = os.pipe()
    ours.callback(os.close, read)
    theirs.callback(os.close, write)
    os.set_blocking(read, False)
    return read, write
