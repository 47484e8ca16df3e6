"""`trio-tools` as a process: started anew, or by a warm process that has imported it.

Importing is two thirds of what a short command takes, and the same each time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import IO, Protocol, TypeAlias

import attrs

ROOT = Path(__file__).parents[1]
# Bytes of one read, and of one write: more than a pipe holds.
PIECE = 131_072
# Variables that the interpreter reads when it starts, by how they begin. `PYTHONPATH` can be obeyed later.
EARLY = ("PYTHON", "LANG", "LC_")
# A process id, or an exit status as Popen has it, on its way to whoever ordered the command.
NUMBER = struct.Struct("i")
# What a standard stream is: a descriptor, a file, `subprocess.PIPE` or `subprocess.DEVNULL`.
Stream: TypeAlias = int | IO[bytes]


@attrs.frozen
class Order:
    """What a command is started with, as JSON on one line. `leads`: a session, whose terminal is its standard input."""

    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    leads: bool


class Process(Protocol):
    """What is used of a `subprocess.Popen`, whoever started it."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def kill(self) -> None: ...
    def communicate(self, data: bytes | None = None, /, timeout: float | None = None) -> tuple[bytes, bytes]: ...


class Start(Protocol):
    """Starts `trio-tools`. With `leads` it leads a session of its own, whose terminal is its standard input."""

    def __call__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path | None = None,
        stdin: Stream = subprocess.PIPE,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.PIPE,
        leads: bool = False,
    ) -> Process: ...


def fresh(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    stdin: Stream = subprocess.PIPE,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    leads: bool = False,
) -> Process:
    """A `Start` that starts it anew, as users do."""
    return subprocess.Popen(
        [*(("setsid", "--ctty") if leads else ()), sys.executable, "-m", "trio_tools.cli", *arguments],
        env=environment,
        cwd=folder,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        bufsize=0,
    )


@attrs.define
class Command:
    """A command of a warm process."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None
    _descriptor: int  # of the process: another one that is given its number gets none of its signals
    _channel: socket.socket
    returncode: int | None = None

    def poll(self) -> int | None:
        """Its status if it has ended."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Its status, which is negative for a signal. Raises `subprocess.TimeoutExpired` after so many seconds."""
        if self.returncode is None:
            if not select.select([self._channel], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("trio-tools", timeout or 0)
            said = self._channel.recv(NUMBER.size)
            self._channel.close()
            os.close(self._descriptor)
            status: int = NUMBER.unpack(_heard(said))[0]
            self.returncode = status
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._descriptor, sig)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, data: bytes | None = None, /, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write all of this to it, read all that it writes, and wait for its end; the bound is for all of that."""
        deadline = time.monotonic() + (inf if timeout is None else timeout)
        left = memoryview(data or b"")
        writes = [one for one in (self.stdin,) if one is not None]
        reads = [one for one in (self.stdout, self.stderr) if one is not None]
        told = {one: bytearray() for one in reads}
        for one in writes:
            os.set_blocking(one.fileno(), False)
        while reads or writes:
            readable, writable, _ = select.select(reads, writes, [], _seconds_until(deadline))
            if not readable and not writable:
                raise subprocess.TimeoutExpired("trio-tools", timeout or 0)
            for one in readable:
                piece = os.read(one.fileno(), PIECE)
                told[one] += piece
                if not piece:
                    reads.remove(one)
                    one.close()
            for one in writable:
                left = left[_written(one, left[:PIECE]) :]
                if not left:
                    writes.remove(one)
                    one.close()
        self.wait(_seconds_until(deadline))
        out, err = (b"" if one is None else bytes(told[one]) for one in (self.stdout, self.stderr))
        return out, err


def _seconds_until(deadline: float) -> float | None:
    return None if deadline == inf else max(0, deadline - time.monotonic())


def _written(stream: IO[bytes], data: memoryview) -> int:
    """How much of it went away: all of it, if nobody reads it any more."""
    try:
        return os.write(stream.fileno(), data)
    except BrokenPipeError:
        return sys.maxsize


def _heard(said: bytes) -> bytes:
    if not said:
        raise RuntimeError("the warm process has ended, and will not tell of its commands")
    return said


class Warm:
    """A process that has imported everything, and starts commands: its `start` is a `Start`."""

    def __init__(self) -> None:
        # `PYTHONPATH` is each command's own
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._early = _early(variables)
        self._control, its_own = socket.socketpair()
        with its_own:
            number = its_own.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks._warm_child", str(number)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=variables,
                cwd=ROOT,
                pass_fds=[number],
            )

    def start(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path | None = None,
        stdin: Stream = subprocess.PIPE,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.PIPE,
        leads: bool = False,
    ) -> Process:
        """Fork a command. Raises `ValueError` for variables that only an interpreter that is started anew obeys."""
        if _early(environment) != self._early:
            raise ValueError(f"a fresh start is needed to change variables that begin with {', '.join(EARLY)}")
        (stdin, own_stdin), (stdout, own_stdout), (stderr, own_stderr) = map(_ends, range(3), (stdin, stdout, stderr))
        its_ends = (stdin, stdout, stderr)
        order = Order(arguments, str(folder or os.getcwd()), dict(environment), leads)
        channel, its_own = socket.socketpair()
        with its_own:
            socket.send_fds(self._control, [b"+"], [*its_ends, its_own.fileno()])
        for one in its_ends:
            os.close(one)
        channel.sendall(json.dumps(attrs.asdict(order)).encode() + b"\n")
        said, (descriptor,), _, _ = socket.recv_fds(channel, NUMBER.size, 1)
        (pid,) = NUMBER.unpack(_heard(said))
        return Command(pid, own_stdin, own_stdout, own_stderr, descriptor, channel)

    def close(self) -> None:
        """End it. Commands that still run are left to those who started them."""
        self._control.close()
        self._process.wait()


@contextmanager
def warm_process() -> Generator[Start]:
    """A warm process for as long as the block; what starts commands from it."""
    process = Warm()
    try:
        yield process.start
    finally:
        process.close()


def _early(environment: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter obeys when it starts, and cannot later."""
    return {n: value for n, value in environment.items() if n.startswith(EARLY) and n != "PYTHONPATH"}


def _ends(number: int, wanted: Stream) -> tuple[int, IO[bytes] | None]:
    """The command's end of a standard stream, and ours if it is a pipe."""
    if wanted == subprocess.DEVNULL:
        return os.open(os.devnull, os.O_RDWR), None
    if wanted != subprocess.PIPE:
        return os.dup(wanted if isinstance(wanted, int) else wanted.fileno()), None
    reads, writes = os.pipe()
    if number == 0:
        return reads, os.fdopen(writes, "wb", buffering=0)
    return writes, os.fdopen(reads, "rb", buffering=0)
