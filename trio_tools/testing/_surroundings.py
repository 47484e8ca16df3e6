"""What an exploration does to the process that it runs in, and takes back."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def private_files() -> Generator[str]:
    """A folder of its own for temporary files, of this process and of those that it starts."""
    folder = tempfile.mkdtemp(prefix="trio_tools_")
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable
        shutil.rmtree(folder, ignore_errors=True)


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
