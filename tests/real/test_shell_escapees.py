"""The look through /proc for what left a command's group, at processes that have no environment just then."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import trio

from trio_tools.toolkits.shell import _escapees
from trio_tools.toolkits.shell._environment import MARK_VARIABLE

# Of this process alone: other tests look through /proc at the same time.
MARK = uuid4().hex


def test_what_is_just_becoming_another_program_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """B022: for a moment it has no environment, and so no mark."""
    daemon = subprocess.Popen(["sleep", "300"], env={**os.environ, MARK_VARIABLE: MARK}, start_new_session=True)
    environment, looks = _escapees._environment, 0

    def at_first_without(pid: str) -> bytes | None:
        nonlocal looks
        looks += pid == str(daemon.pid)
        return b"" if pid == str(daemon.pid) and looks == 1 else environment(pid)

    monkeypatch.setattr(_escapees, "_environment", at_first_without)
    try:
        assert trio.run(partial(_escapees.kill_escapees, MARK, leader=0))
        assert not Path(f"/proc/{daemon.pid}").exists()
    finally:
        daemon.kill()
        daemon.wait()


# Its first thread ends, and another one runs on.
_HEADLESS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(300,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_what_has_ended_its_first_thread_is_found() -> None:
    """B022: the process itself looks dead, and shows no environment."""
    environment = {**os.environ, MARK_VARIABLE: MARK}
    daemon = subprocess.Popen([sys.executable, "-c", _HEADLESS], env=environment, start_new_session=True)
    try:
        while b") Z" not in Path(f"/proc/{daemon.pid}/stat").read_bytes():
            time.sleep(0.001)
        assert len(os.listdir(f"/proc/{daemon.pid}/task")) == 2
        assert trio.run(partial(_escapees.kill_escapees, MARK, leader=0))
        assert not Path(f"/proc/{daemon.pid}").exists()
    finally:
        daemon.kill()
        daemon.wait()


def test_what_has_no_environment_for_good_holds_no_look_up() -> None:
    daemon = subprocess.Popen(["env", "-i", "sleep", "300"])
    try:
        while Path(f"/proc/{daemon.pid}/cmdline").read_bytes() != b"sleep\000300\0":
            time.sleep(0.001)
        assert trio.run(partial(_escapees.kill_escapees, MARK, leader=0))
        assert daemon.poll() is None
    finally:
        daemon.kill()
        daemon.wait()
