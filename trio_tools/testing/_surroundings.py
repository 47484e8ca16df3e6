"""What an exploration does to the process that it runs in, and takes back."""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Generator, Set
from contextlib import contextmanager

import attrs
import trio

from trio_tools.testing._outside import ThreadAtWork, other_threads
from trio_tools.testing._processes import Process, all_processes

# Which exploration, or block, a process was started in: its value is told apart from every other.
MARK = "TRIO_TOOLS_TESTING"
# Objects that an interpreter may have frozen itself as it starts: those of 3.12 have 375.
FROZEN_AT_START = 1_000


@attrs.frozen
class Surroundings:
    """`files` is the folder that temporary files go to, `mark` what every process carries in its environment that is
    started meanwhile; `older` are the processes, and `others` the threads at work, that were there before, and are
    nobody's business."""

    files: str
    mark: str
    older: Set[Process]
    others: Set[ThreadAtWork]


@contextmanager
def private_surroundings() -> Generator[Surroundings]:
    """A folder of one's own for temporary files, and a mark on every process that is started."""
    before = tempfile.tempdir  # None until somebody asks for a folder
    folder = tempfile.mkdtemp(prefix="trio_tools_")
    mark, older = secrets.token_hex(8), all_processes()
    tempfile.tempdir = folder
    try:
        with _variable("TMPDIR", folder), _variable(MARK, mark):
            yield Surroundings(folder, f"{MARK}={mark}", older, other_threads())
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def garbage_waits() -> Generator[None]:
    """The collector comes between runs, when it is called: in the midst of one it would run finalizers at a step that
    nobody has seeded. What is there already is not looked through each time, unless somebody has frozen objects before:
    they could not be told apart again."""
    own = gc.get_freeze_count() <= FROZEN_AT_START
    was_enabled = gc.isenabled()
    gc.disable()
    if own:
        gc.freeze()
    try:
        yield
    finally:
        if own:
            gc.unfreeze()
        if was_enabled:
            gc.enable()


@trio.lowlevel.enable_ki_protection
def collect_garbage() -> None:
    """Let the collector run. A person's Ctrl-C waits for the end of it: Python hears it in the next line that it runs,
    which would be one of a callback of the collector, as Hypothesis has one, and what is raised there is lost."""
    gc.collect()


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
