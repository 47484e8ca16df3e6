"""Ctrl-C while `trio-tools call` waits for its arguments."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Bytes that go through a pipe only if somebody reads: it holds 64 KiB.
MORE_THAN_A_PIPE = 1024 * 1024


def is_asleep(process: subprocess.Popen[bytes]) -> bool:
    """Whether it waits in the kernel, as it does in a read of a pipe that is empty."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_ends_a_call_that_waits_for_its_arguments() -> None:
    """They are read before signals are taken: nothing is under way that would have to come to rest."""
    command = [sys.executable, "-m", "trio_tools.cli", "call", "read", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b" " * MORE_THAN_A_PIPE)
        process.stdin.flush()
        while not is_asleep(process):
            pass
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
        assert process.wait() == 130
