"""What an exploration does to the process that it runs in, and takes back."""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager

import attrs

# Which exploration, or block, a process was started in: its value is told apart from every other.
MARK = "TRIO_TOOLS_TESTING"


@attrs.frozen
class Surroundings:
    """`files` is the folder that temporary files go to, `mark` what every process carries in its environment that is
    started meanwhile."""

    files: str
    mark: str


@contextmanager
def private_surroundings() -> Generator[Surroundings]:
    """A folder of one's own for temporary files, and a mark on every process that is started."""
    folder = tempfile.mkdtemp(prefix="trio_tools_")
    mark = secrets.token_hex(8)
    before = tempfile.tempdir
    tempfile.tempdir = folder
    gc.freeze()  # what is there already is no garbage of a run, and need not be looked through after each
    try:
        with _variable("TMPDIR", folder), _variable(MARK, mark):
            yield Surroundings(folder, f"{MARK}={mark}")
    finally:
        gc.unfreeze()
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _variable(name: str, value: str) -> Generator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def ctrl_c_is_trios() -> Generator[bool]:
    """Have Ctrl-C reach Trio; gives whether it does. Only the main thread is sent signals."""
    if threading.current_thread() is not threading.main_thread():
        yield False
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield True
    finally:
        signal.signal(signal.SIGINT, before)
